"""Rotary position embeddings: pairs of elements of queries and keys, turned by an angle that grows with the position."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import ITEM_BYTES, correctness, elements, hidden, input_bytes, performance, takes_bfloat16, tensor
from evaluator.ops.definition import Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

FLOPS_PER_ELEMENT = 3


def rotary_embedding_reference(q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    def rotate(x: torch.Tensor) -> torch.Tensor:
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    return rotate(q), rotate(k)


def rotary_embedding_interleaved_reference(
    q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    def rotate(x: torch.Tensor) -> torch.Tensor:
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)

    return rotate(q), rotate(k)


def _heads_last(batch: int, heads: int, tokens: int, width: int) -> TensorSpec:
    """(batch, heads, tokens, width) as a projection leaves it in memory: all heads of a token side by side."""
    return tensor(batch, heads, tokens, width, strides=(tokens * heads * width, width, heads * width, 1))


def _angles(
    tokens: int, pairs: int, *, batch: int = 0, dtype: str = "float32", strides: tuple[int, ...] | None = None
) -> tuple[TensorSpec, TensorSpec]:
    """Cosines and sines, for all sequences or, with `batch`, for each its own."""
    shape = (batch, 1, tokens, pairs) if batch else (tokens, pairs)
    spec = TensorSpec(shape, dtype, "uniform", -1.0, 1.0, strides)
    return spec, spec


def _case(
    name: str,
    q: tuple[int, int, int, int],
    kv_heads: int,
    *,
    dtype: str = "float32",
    generator: Generator = "normal",
    own_positions: bool = False,
) -> Case:
    batch, _, tokens, width = q
    angles = _angles(tokens, width // 2, batch=batch if own_positions else 0, dtype=dtype)
    keys = tensor(batch, kv_heads, tokens, width, dtype=dtype, generator=generator)
    return correctness(name, tensor(*q, dtype=dtype, generator=generator), keys, *angles)


def rotary_cases(device: str) -> list[Case]:
    return [
        _case("plain", (2, 4, 16, 32), 4),
        _case("odd", (3, 5, 7, 22), 3),
        _case("fewer_key_heads", (1, 12, 13, 64), 2),
        _case("one_element_each", (1, 1, 1, 2), 1),
        _case("one_token", (5, 7, 1, 34), 7),
        _case("one_head", (2, 1, 61, 18), 1),
        _case("many_tokens", (1, 2, 1021, 6), 1),
        _case("own_positions", (5, 3, 11, 26), 3, own_positions=True),
        correctness("heads_last", _heads_last(2, 5, 17, 24), _heads_last(2, 3, 17, 24), *_angles(17, 12)),
        correctness("one_key_for_all", tensor(3, 5, 9, 20), tensor(3, 5, 9, 20, strides=(180, 0, 20, 1)), *_angles(9, 10)),
        correctness(
            "transposed", tensor(2, 3, 13, 30, strides=(1170, 390, 1, 13)), tensor(2, 3, 13, 30), *_angles(13, 15, strides=(1, 13))
        ),
        correctness("one_position_for_all", tensor(3, 5, 9, 20), tensor(3, 2, 9, 20), *_angles(9, 10, batch=3, strides=(0, 90, 10, 1))),
        _case("large", (2, 3, 19, 38), 3, generator="large"),
        _case("special", (2, 3, 19, 38), 3, generator="special"),
        _case("float16", (2, 5, 23, 42), 2, dtype="float16"),
        *([_case("bfloat16", (2, 5, 23, 42), 2, dtype="bfloat16")] if takes_bfloat16(device) else []),
    ]


def _performance(
    name: str, source: str, q: tuple[int, int, int, int], kv_heads: int, dtype: str = "float32", own_positions: bool = False
) -> Case:
    case = _case(name, q, kv_heads, dtype=dtype, own_positions=own_positions)
    return performance(name, source, *case.args)


def rotary_embedding_cases(device: str) -> list[Case]:
    return [*rotary_cases(device), *rotary_embedding_performance_cases(device)]


def rotary_embedding_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            _performance("llama3_2_1b", "Llama 3.2 1B, 128 tokens", (1, 32, 128, 64), 8),
            _performance("smollm_135m", "SmolLM 135M, 512 tokens", (1, 9, 512, 64), 3),
        ]
    return [
        _performance("llama2_7b", "Llama 2 7B, 2048 tokens", (1, 32, 2048, 128), 32),
        _performance("llama3_8b_fp16", "Llama 3 8B, 8192 tokens", (1, 32, 8192, 128), 8, "float16"),
        _performance(
            "qwen2_5_7b_fp16", "Qwen2.5 7B, 8 users with 1024 tokens, each at his own place", (8, 28, 1024, 128), 4, "float16", True
        ),
    ]


def rotary_embedding_interleaved_cases(device: str) -> list[Case]:
    return [*rotary_cases(device), *rotary_embedding_interleaved_performance_cases(device)]


def rotary_embedding_interleaved_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            _performance("stories15m", "Llama of 15 million parameters (stories15M), 256 tokens", (1, 6, 256, 48), 6),
            _performance("gpt_j_6b", "GPT-J 6B, the 64 elements that it turns, 128 tokens", (1, 16, 128, 64), 16),
        ]
    return [
        _performance("gpt_j_6b", "GPT-J 6B, the 64 elements that it turns, batch 4", (4, 16, 2048, 64), 16),
        _performance("flux_1_fp16", "FLUX.1, 4096 patches and 512 words", (1, 24, 4608, 128), 24, "float16"),
        _performance("llama2_70b_fp16", "Llama 2 70B in the order of its own code, 4096 tokens", (1, 64, 4096, 128), 8, "float16"),
    ]


def rotary_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    batch, heads, tokens, width = pick(1, 3), pick(2, 7), 2 * pick(2, 20) + 1, 2 * pick(3, 20)
    return [
        hidden("odd", *_case("odd", (batch, heads, tokens, width), 1).args),
        hidden("heads_last", _heads_last(2, heads, tokens, width), _heads_last(2, 2, tokens, width), *_angles(tokens, width // 2, batch=2)),
    ]


def rotary_cost(case: Case) -> Cost:
    q, k, _, _ = case.tensors
    count = elements(q) + elements(k)
    return Cost(input_bytes(case), count * ITEM_BYTES[q.dtype], FLOPS_PER_ELEMENT * count)


ROTARY_EMBEDDING = Op(
    slug="rotary_embedding",
    title="Rotary embedding of halves",
    summary="Turns pairs of elements of queries and keys; pairs lie half a head apart.",
    description=(
        "Queries and keys are (batch, heads, tokens, width). With a the first and b the second half of the last dimension, the result's "
        "halves are a*cos - b*sin and b*cos + a*sin. cos and sin are (tokens, width / 2), or (batch, 1, tokens, width / 2) where each "
        "sequence has positions of its own. Llama, Mistral, Qwen and GPT-NeoX, as most libraries run them, turn queries and keys so before "
        "every attention. In eager mode this takes some ten passes over memory; one suffices, and the cosines and sines can serve all "
        "heads of a token and queries and keys alike. Keys may have fewer heads than queries."
    ),
    signature="rotary_embedding(Tensor q, Tensor k, Tensor cos, Tensor sin) -> (Tensor, Tensor)",
    reference=rotary_embedding_reference,
    cases=rotary_embedding_cases,
    hidden_cases=rotary_hidden_cases,
    cost=rotary_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("rotary", "memory-bound", "fused"),
    starters=starter.load("rotary_embedding"),
)

ROTARY_EMBEDDING_INTERLEAVED = Op(
    slug="rotary_embedding_interleaved",
    title="Rotary embedding of neighbours",
    summary="Turns pairs of elements of queries and keys; pairs are neighbours.",
    description=(
        "Queries and keys are (batch, heads, tokens, width). With a the elements at even and b those at odd places of the last dimension, "
        "the result holds a*cos - b*sin at even and b*cos + a*sin at odd places. cos and sin are (tokens, width / 2), or (batch, 1, "
        "tokens, width / 2) where each sequence has positions of its own. GPT-J, FLUX and the first code of Llama order their pairs so. "
        "Both elements of a pair come with one load, but a kernel must take them apart and put them together again in registers, since "
        "strided accesses waste half of every transaction."
    ),
    signature="rotary_embedding_interleaved(Tensor q, Tensor k, Tensor cos, Tensor sin) -> (Tensor, Tensor)",
    reference=rotary_embedding_interleaved_reference,
    cases=rotary_embedding_interleaved_cases,
    hidden_cases=rotary_hidden_cases,
    cost=rotary_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("rotary", "memory-bound", "fused"),
    starters=starter.load("rotary_embedding_interleaved"),
)

OPS: tuple[Op, ...] = (ROTARY_EMBEDDING, ROTARY_EMBEDDING_INTERLEAVED)
