"""Attention of language models: causal, with fewer heads of keys than of queries, and of one new token against a cache."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import ITEM_BYTES, correctness, elements, hidden, performance, takes_bfloat16, tensor, tensor_bytes
from evaluator.ops.cases import attentions
from evaluator.ops.cases.attentions import heads
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def causal_attention_reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
    import torch

    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)


def causal_attention_cases(device: str) -> list[Case]:
    return [
        *attentions.correctness_cases(device),
        correctness("more_keys", tensor(2, 3, 19, 24), *heads(2, 3, 53, 24)[1:]),
        *causal_attention_performance_cases(device),
    ]


def causal_attention_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2", "GPT-2, 128 tokens", *heads(1, 12, 128, 64)),
            performance("stories15m", "Llama of 15 million parameters (stories15M), 256 tokens", *heads(1, 6, 256, 48)),
        ]
    return [
        performance("gpt2", "GPT-2, batch 4 of 1024 tokens", *heads(4, 12, 1024, 64)),
        performance("llama2_7b_fp16", "Llama 2 7B, 2048 tokens", *heads(1, 32, 2048, 128, dtype="float16")),
        performance("gpt2_xl_fp16", "GPT-2 XL, batch 8 of 1024 tokens", *heads(8, 25, 1024, 64, dtype="float16")),
    ]


def causal_attention_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return attentions.hidden_cases(pick)


def causal_cost(case: Case) -> Cost:
    return attentions.least_cost(case, causal=True)


CAUSAL_ATTENTION = Op(
    slug="causal_attention",
    title="Causal attention",
    summary="Attention in which no token sees those after it.",
    description=(
        "softmax(q k^T * scale) v for each head, where query i sees the keys 0 to i alone. q, k and v are (batch, heads, tokens, width); "
        "scale is 1 / sqrt(width) unless it is given. Language models such as GPT-2 and Llama 2 attend so while they are trained and while "
        "they read a prompt. Half of the scores need not be computed: a fast kernel leaves out the tiles above the diagonal, compares "
        "indices in the tiles on it only, and shares out the uneven work so that the last rows do not keep a few processors busy alone."
    ),
    signature="causal_attention(Tensor q, Tensor k, Tensor v, *, float? scale=None) -> Tensor",
    reference=causal_attention_reference,
    cases=causal_attention_cases,
    hidden_cases=causal_attention_hidden_cases,
    cost=causal_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("attention", "fused", "causal"),
    starters=starter.load("causal_attention"),
)


def gqa_attention_reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
    import torch

    # Torch's flash kernel lets heads share keys. Where it does not run (float32, GPUs before Ampere) it is faster to repeat them.
    half = q.dtype in (torch.float16, torch.bfloat16)
    shares = half and q.is_cuda and torch.cuda.get_device_capability(q.device) >= (8, 0)
    if not shares:
        k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale, enable_gqa=shares)


def _pairs_share(count: int) -> int:
    """Heads of keys for so many heads of queries."""
    return max(1, count // 2)


def gqa_attention_cases(device: str) -> list[Case]:
    return [
        *attentions.correctness_cases(device, _pairs_share),
        correctness("one_key_head", *heads(2, 7, 31, 24, kv=1)),
        correctness("three_share", *heads(2, 6, 31, 24, kv=2)),
        correctness("none_share", *heads(2, 3, 31, 24, kv=3)),
        *gqa_attention_performance_cases(device),
    ]


def gqa_attention_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("smollm_135m", "SmolLM 135M, 128 tokens", *heads(1, 9, 128, 64, kv=3)),
            performance("qwen2_5_0_5b", "Qwen2.5 0.5B, 128 tokens", *heads(1, 14, 128, 64, kv=2)),
        ]
    return [
        performance("qwen2_5_0_5b", "Qwen2.5 0.5B, 2048 tokens", *heads(1, 14, 2048, 64, kv=2)),
        performance("llama3_8b_fp16", "Llama 3 8B, 2048 tokens", *heads(1, 32, 2048, 128, kv=8, dtype="float16")),
        performance("llama3_2_1b_fp16", "Llama 3.2 1B, batch 8 of 1024 tokens", *heads(8, 32, 1024, 64, kv=8, dtype="float16")),
    ]


def gqa_attention_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    tokens, share, kv = 2 * pick(2, 50) + 1, pick(2, 5), pick(2, 3)
    return [
        *attentions.hidden_cases(pick, _pairs_share),
        hidden("share", *heads(1, kv * share, tokens, 16, kv=kv)),
    ]


GQA_ATTENTION = Op(
    slug="gqa_attention",
    title="Grouped-query attention",
    summary="Causal attention in which several heads of queries share one head of keys and values.",
    description=(
        "Causal attention of q (batch, heads, tokens, width) with k and v of fewer heads: head h of the queries goes with head h // (heads "
        "/ key heads). Query i sees the keys 0 to i; scale is 1 / sqrt(width) unless it is given. Llama 3, Mistral and Qwen attend so, "
        "since it makes the cache of keys and values several times smaller. Repeating keys for each head would waste what the model saves: "
        "a fast kernel lets the heads of a group use a tile of keys while it is near, and has causal attention's uneven work to share out."
    ),
    signature="gqa_attention(Tensor q, Tensor k, Tensor v, *, float? scale=None) -> Tensor",
    reference=gqa_attention_reference,
    cases=gqa_attention_cases,
    hidden_cases=gqa_attention_hidden_cases,
    cost=causal_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("attention", "fused", "causal", "grouped"),
    starters=starter.load("gqa_attention"),
)


def decode_attention_reference(
    q: torch.Tensor, k_cache: torch.Tensor, v_cache: torch.Tensor, lengths: torch.Tensor, *, scale: float | None = None
) -> torch.Tensor:
    import torch

    (batch, heads, width), (kv_heads, capacity) = q.shape, k_cache.shape[1:3]
    # The heads that share keys become the rows of one product: no key is copied.
    rows = q.reshape(batch, kv_heads, heads // kv_heads, width)
    seen = torch.arange(capacity, device=q.device) < lengths[:, None, None, None]
    if q.dtype in (torch.float16, torch.bfloat16):
        out = torch.nn.functional.scaled_dot_product_attention(rows, k_cache, v_cache, attn_mask=seen, scale=scale)
    else:  # for so few queries, torch's kernel of float32 takes twice as long as the steps one by one
        scores = rows * (width**-0.5 if scale is None else scale) @ k_cache.mT
        out = torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1) @ v_cache
    return out.reshape(batch, heads, width)


def _cache(
    batch: int, count: int, kv: int, capacity: int, width: int, *, low: int = 1, dtype: str = "float32", index: str = "int32"
) -> tuple[TensorSpec, TensorSpec, TensorSpec, TensorSpec]:
    """Queries, keys, values, and how many tokens of each cache count: from `low` to all."""
    k = tensor(batch, kv, capacity, width, dtype=dtype)
    lengths = tensor(batch, dtype=index, generator="integers", low=low, high=capacity + 1)
    return tensor(batch, count, width, dtype=dtype), k, k, lengths


def decode_attention_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    q, _, _, lengths = _cache(3, 6, 2, 47, 24)
    tokens_first = tensor(3, 2, 47, 24, strides=(2256, 24, 48, 1))
    large = tensor(3, 6, 32, generator="large", high=0.005)
    return [
        correctness("plain", *_cache(4, 8, 2, 64, 32)),
        correctness("odd", *_cache(3, 6, 2, 47, 20)),
        correctness("odd_width", *_cache(5, 3, 1, 61, 17)),
        correctness("none_share", *_cache(3, 5, 5, 41, 24)),
        correctness("many_share", *_cache(3, 20, 1, 41, 24)),
        correctness("one_head", *_cache(7, 1, 1, 97, 24)),
        correctness("one_sequence", *_cache(1, 8, 4, 59, 64, low=20)),
        correctness("many_sequences", *_cache(31, 2, 1, 13, 24)),
        correctness("one_element", *_cache(1, 1, 1, 1, 1)),
        correctness("all_full", *_cache(3, 4, 2, 45, 24, low=45)),
        correctness("first_token", *_cache(3, 4, 1, 1, 24)),
        correctness("short", *_cache(9, 4, 2, 3, 24)),
        correctness("long", *_cache(3, 2, 1, 331, 16)),
        correctness("scale", *_cache(3, 6, 2, 47, 24), scale=0.6),
        correctness("int64_lengths", *_cache(3, 6, 2, 47, 24, index="int64")),
        correctness("tokens_first", q, tokens_first, tokens_first, lengths),
        correctness("large", large, *_cache(3, 6, 2, 47, 32)[1:]),
        *(correctness(name, *_cache(3, 6, 2, 67, 40, dtype=name)) for name in halves),
        *decode_attention_performance_cases(device),
    ]


def decode_attention_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("smollm_135m", "SmolLM 135M, 4 users with up to 512 tokens", *_cache(4, 9, 3, 512, 64, low=256)),
            performance("qwen2_5_0_5b", "Qwen2.5 0.5B, 4 users with up to 1024 tokens", *_cache(4, 14, 2, 1024, 64, low=512)),
        ]
    half = "float16"
    return [
        performance("qwen2_5_0_5b", "Qwen2.5 0.5B, 32 users with up to 4096 tokens", *_cache(32, 14, 2, 4096, 64, low=3072)),
        performance("llama3_8b_fp16", "Llama 3 8B, 16 users with up to 4096 tokens", *_cache(16, 32, 8, 4096, 128, low=3072, dtype=half)),
        performance("llama3_70b_fp16", "Llama 3 70B, 8 users with up to 8192 tokens", *_cache(8, 64, 8, 8192, 128, low=6144, dtype=half)),
    ]


def decode_attention_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    batch, kv, share, capacity, width = pick(2, 6), pick(1, 3), pick(1, 6), 2 * pick(5, 70) + 1, 8 * pick(1, 4)
    scale: Argument = pick(1, 9) / 10
    return [
        hidden("odd", *_cache(batch, kv * share, kv, capacity, width)),
        hidden("scale", *_cache(3, share, 1, pick(5, 99), 24), scale=scale),
    ]


def decode_attention_cost(case: Case) -> Cost:
    """Keys and values of the least number of tokens that a cache may hold; the others need not be read."""
    q, k, v, lengths = case.tensors
    tokens = int(lengths.low)
    rows = (tensor_bytes(k) + tensor_bytes(v)) // k.shape[2] * tokens
    flops = 4 * elements(q) * tokens
    return Cost(rows + tensor_bytes(q) + tensor_bytes(lengths), elements(q) * ITEM_BYTES[q.dtype], flops)


DECODE_ATTENTION = Op(
    slug="decode_attention",
    title="Attention of one new token",
    summary="Attention of one query for each sequence with its cache of keys and values.",
    description=(
        "q is (batch, heads, width), the caches are (batch, key heads, capacity, width), lengths is (batch): sequence b holds lengths[b] "
        "tokens, at least one, and what lies behind them must not count. For each head, softmax(q k^T * scale) v over those tokens; head h "
        "goes with head h // (heads / key heads) of the cache; scale is 1 / sqrt(width) unless it is given. This is the attention of every "
        "step in which a language model writes. All of a cache is read for one query, so that memory bandwidth decides. A fast kernel "
        "splits each sequence among many programs and joins their sums, serves all heads of a group with one read, and reads no token "
        "beyond the length."
    ),
    signature="decode_attention(Tensor q, Tensor k_cache, Tensor v_cache, Tensor lengths, *, float? scale=None) -> Tensor",
    reference=decode_attention_reference,
    cases=decode_attention_cases,
    hidden_cases=decode_attention_hidden_cases,
    cost=decode_attention_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("attention", "fused", "memory-bound", "grouped"),
    starters=starter.load("decode_attention"),
)

OPS: tuple[Op, ...] = (CAUSAL_ATTENTION, GQA_ATTENTION, DECODE_ATTENTION)
