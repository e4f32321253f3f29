"""layer_norm: rows with mean 0 and variance 1, then scaled and shifted."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Argument, Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

FLOPS_PER_ELEMENT = 8
"""Sum, deviation, square and its sum, two for the normalisation, scale, shift."""
EPS = 1e-5


def reference(
    x: torch.Tensor,
    normalized_shape: tuple[int, ...],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = EPS,
) -> torch.Tensor:
    import torch

    return torch.nn.functional.layer_norm(x, tuple(normalized_shape), weight, bias, eps)


def affine(*shape: int, dtype: str = "float32", generator: Generator = "normal", last: int = 1, eps: float = EPS) -> tuple[Argument, ...]:
    """Arguments with weight and bias over the last `last` dimensions."""
    normalized = shape[len(shape) - last :]
    return (
        tensor(*shape, dtype=dtype, generator=generator),
        normalized,
        tensor(*normalized, dtype=dtype, low=1.0, high=0.25),
        tensor(*normalized, dtype=dtype),
        eps,
    )


def over_rows(x: TensorSpec) -> tuple[Argument, ...]:
    """Arguments with weight and bias over the last dimension of a given input."""
    columns = x.shape[-1]
    return x, (columns,), tensor(columns, low=1.0, high=0.25), tensor(columns), EPS


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", *affine(64, 128)),
        correctness("odd", *affine(17, 67)),
        correctness("three_dims", *affine(3, 7, 45)),
        correctness("two_normalized_dims", *affine(5, 9, 11, last=2)),
        correctness("no_weight_no_bias", tensor(13, 65), (65,), None, None, EPS),
        correctness("no_bias", tensor(13, 65), (65,), tensor(65), None, EPS),
        correctness("large_eps", *affine(9, 33, eps=0.5)),
        correctness("one_row", *affine(1, 1021)),
        correctness("one_column", *affine(9, 1)),
        correctness("transposed", *over_rows(transposed(19, 37))),
        correctness("padded_rows", *over_rows(padded(11, 45, 3))),
        correctness("large", *affine(15, 255, generator="large")),
        correctness("tiny_variance", *affine(15, 129, generator="tiny_variance")),
        correctness("float16", *affine(15, 129, dtype="float16")),
        *([correctness("bfloat16", *affine(15, 129, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("64x14336", "BLOOM, 64 tokens", *affine(64, 14336)),
            performance("128x4096", "OPT-6.7B, 128 tokens", *affine(128, 4096)),
        ]
    return [
        performance("gpt2", "GPT-2, batch 16", *affine(16, 1024, 768)),
        performance("opt_6_7b", "OPT-6.7B, 8192 tokens", *affine(8192, 4096)),
        performance("opt_6_7b_fp16", "OPT-6.7B, 8192 tokens", *affine(8192, 4096, dtype="float16")),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return [
        hidden("odd", *affine(pick(2, 24), 2 * pick(5, 900) + 1)),
        hidden("two_dims", *affine(pick(2, 12), pick(3, 40), pick(3, 40), last=2)),
        hidden("strided", *over_rows(transposed(pick(2, 24), pick(30, 300)))),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, math.prod(x.shape), x.dtype, flops=FLOPS_PER_ELEMENT * elements(x))


OP = Op(
    slug="layer_norm",
    title="Layer norm",
    summary="Brings rows to mean 0 and variance 1, then scales and shifts them.",
    signature="layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.layer_norm.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("normalisation", "row-wise"),
    starters=starter.load("layer_norm"),
)
