"""Attention of all queries of a sequence: softmax(q k^T * scale) v for each head, plain, with a mask, and causal."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, hidden, performance, takes_bfloat16, tensor
from evaluator.ops.cases import attentions
from evaluator.ops.cases.attentions import heads, heads_last, least_cost
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch


def attention_reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
    import torch

    return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=scale)


def attention_cases(device: str) -> list[Case]:
    return [
        *attentions.correctness_cases(device),
        correctness("fewer_keys", tensor(2, 3, 47, 24), *heads(2, 3, 13, 24)[1:]),
        correctness("more_keys", tensor(2, 3, 5, 24), *heads(2, 3, 71, 24)[1:]),
        correctness("one_query", tensor(2, 3, 1, 24), *heads(2, 3, 131, 24)[1:]),
        correctness("one_key", tensor(2, 3, 37, 24), *heads(2, 3, 1, 24)[1:]),
        correctness("wider_values", *heads(2, 3, 37, 24)[:2], tensor(2, 3, 37, 40)),
        *attention_performance_cases(device),
    ]


def attention_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("vit_s16", "ViT-S/16, one image", *heads(1, 6, 197, 64)),
            performance("whisper_tiny", "Whisper tiny, 6 heads over 5 s", *heads(1, 6, 250, 64)),
        ]
    return [
        performance("whisper_large", "Whisper large encoder, 30 s", *heads(1, 20, 1500, 64)),
        performance("vit_l16_fp16", "ViT-L/16, 32 images", *heads(32, 16, 197, 64, dtype="float16")),
        performance("sdxl_fp16", "Stable Diffusion XL, 64 x 64 patches", *heads(1, 10, 4096, 64, dtype="float16")),
    ]


def attention_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    queries, keys, width = 2 * pick(1, 50) + 1, 2 * pick(1, 50) + 1, 8 * pick(1, 6)
    return [
        *attentions.hidden_cases(pick),
        hidden("two_lengths", tensor(2, 2, queries, width), *heads(2, 2, keys, width)[1:]),
    ]


ATTENTION = Op(
    slug="attention",
    title="Attention",
    summary="Weights the values of each head by the softmax of its queries times its keys.",
    description=(
        "softmax(q k^T * scale) v for each head: q is (batch, heads, queries, width), k and v are (batch, heads, keys, width); v may be of "
        "another width. scale is 1 / sqrt(width of q) unless it is given. Encoders such as ViT, BERT and Whisper and diffusion models "
        "attend so. The scores are many times larger than inputs and output together: a fast kernel never writes them, but goes through "
        "the keys in tiles with a running maximum and sum, and keeps tensor cores busy while exponentials are computed, of which a GPU can "
        "do few."
    ),
    signature="attention(Tensor q, Tensor k, Tensor v, *, float? scale=None) -> Tensor",
    reference=attention_reference,
    cases=attention_cases,
    hidden_cases=attention_hidden_cases,
    cost=least_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("attention", "fused"),
    starters=starter.load("attention"),
)


def masked_attention_reference(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None, *, scale: float | None = None
) -> torch.Tensor:
    import torch

    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)


def masked_attention_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    qkv, shape = heads(2, 3, 37, 24), (2, 3, 37, 37)
    return [
        correctness("plain", *heads(2, 4, 32, 32), tensor(32, 32)),
        correctness("no_mask", *qkv),
        correctness("one_for_all", *qkv, tensor(37, 37), scale=0.7),
        correctness("one_each", *qkv, tensor(*shape)),
        correctness("by_head", *qkv, mask=tensor(1, 3, 37, 37, high=3.0), scale=1.0),
        correctness("by_key", *qkv, tensor(2, 1, 1, 37, high=3.0)),
        correctness("by_query_and_head", tensor(2, 3, 5, 24), *heads(2, 3, 71, 24)[1:], tensor(3, 5, 71, high=3.0)),
        correctness("expanded", *qkv, tensor(*shape, strides=(37, 0, 0, 1))),
        correctness("transposed", *qkv, tensor(*shape, strides=(37 * 37, 0, 1, 37))),
        correctness("only_some", *qkv, tensor(37, 37, dtype="bool")),
        correctness("only_some_keys", *heads(3, 2, 61, 16), tensor(3, 1, 1, 61, dtype="bool")),
        correctness("heads_last", *heads_last(2, 3, 37, 24), tensor(37, 37)),
        correctness("one_token", *heads(2, 3, 1, 17), tensor(1, 3, 1, 1)),
        correctness("long", *heads(1, 1, 307, 40), tensor(1, 1, 1, 307, high=2.0)),
        correctness("large", *qkv, tensor(37, 37, generator="large")),
        *(correctness(name, *heads(2, 3, 37, 24, dtype=name), tensor(1, 3, 37, 37, dtype=name)) for name in halves),
        *masked_attention_performance_cases(device),
    ]


def masked_attention_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance(
                "t5_small", "T5-small, 128 tokens, with its bias for each head", *heads(1, 8, 128, 64), tensor(1, 8, 128, 128), scale=1.0
            ),
            performance("bert_mini", "BERT-mini, 2 texts of up to 256 tokens", *heads(2, 4, 256, 64), tensor(2, 1, 1, 256, dtype="bool")),
        ]
    half = "float16"
    bias, pairs, padding = tensor(1, 16, 512, 512), tensor(1, 8, 256, 256, dtype=half), tensor(32, 1, 1, 512, dtype="bool")
    return [
        performance("t5_large", "T5-large, batch 8 of 512 tokens, with its bias for each head", *heads(8, 16, 512, 64), bias, scale=1.0),
        performance("alphafold_2_fp16", "AlphaFold 2, 128 sequences of 256 residues", *heads(128, 8, 256, 32, dtype=half), pairs),
        performance("bert_large_fp16", "BERT-large, 32 texts of up to 512 tokens", *heads(32, 16, 512, 64, dtype=half), padding),
    ]


def masked_attention_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    batch, count, tokens, width, some = pick(1, 3), pick(2, 4), 2 * pick(2, 40) + 1, 8 * pick(1, 6), pick(40, 100)
    return [
        hidden("by_head", *heads(batch, count, tokens, width), tensor(1, count, tokens, tokens)),
        hidden("heads_last", *heads_last(2, 2, tokens, width), tensor(2, 1, 1, tokens, high=2.0), scale=pick(1, 9) / 10),
        hidden("only_some", *heads(2, 2, some, 16), tensor(some, some, dtype="bool")),
    ]


MASKED_ATTENTION = Op(
    slug="masked_attention",
    title="Attention with a mask",
    summary="Attention that adds a mask to the scores before the softmax.",
    description=(
        "softmax(q k^T * scale + mask) v for each head. The mask broadcasts against (batch, heads, queries, keys): one for all, one for "
        "each head such as the biases of T5 and Swin, one for each key such as padding. It is of the inputs' dtype, or bool: False then "
        "shuts a pair out, as if minus infinity were added. Without a mask this is plain attention. scale is 1 / sqrt(width of q) unless "
        "it is given; T5 gives 1. Beside all that makes attention hard, a full mask is as large as the scores that a fast kernel never "
        "writes, so that reading it in time, once, and not expanded, decides."
    ),
    signature="masked_attention(Tensor q, Tensor k, Tensor v, Tensor? mask=None, *, float? scale=None) -> Tensor",
    reference=masked_attention_reference,
    cases=masked_attention_cases,
    hidden_cases=masked_attention_hidden_cases,
    cost=least_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("attention", "fused", "mask"),
    starters=starter.load("masked_attention"),
)

OPS: tuple[Op, ...] = (ATTENTION, MASKED_ATTENTION)
