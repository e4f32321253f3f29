"""Masks: masked_fill."""

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
from evaluator.ops.definition import Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def masked_fill(x: torch.Tensor, mask: torch.Tensor, value: float) -> torch.Tensor:
    import torch

    return torch.masked_fill(x, mask, value)


def coin(*shape: int, strides: tuple[int, ...] | None = None) -> TensorSpec:
    """A mask of which half is set."""
    return tensor(*shape, dtype="bool", strides=strides)


def masked_fill_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), coin(64, 128), 0.0),
        correctness("minus_infinity", tensor(17, 67), coin(17, 67), -math.inf),
        correctness("vector", tensor(4099), coin(4099), 1.5),
        correctness("one_element", tensor(1), coin(1), -2.0),
        correctness("scalar", tensor(), coin(), 7.0),
        correctness("empty", tensor(0, 7), coin(0, 7), 1.0),
        correctness("integer_value", tensor(3, 41, 5), coin(3, 41, 5), -7),
        correctness("mask_of_a_row", tensor(19, 43), coin(43), -1e9),
        correctness("mask_of_a_column", tensor(19, 43), coin(19, 1), -1e9),
        correctness("mask_of_all_heads", tensor(2, 3, 17, 19), coin(2, 1, 17, 19), -math.inf),
        correctness("mask_of_a_batch", tensor(5, 3, 7, 11), coin(5, 1, 1, 11), -1e4),
        correctness("transposed", transposed(37, 53), coin(37, 53), 3.25),
        correctness("strided_mask", padded(37, 53, 3), coin(37, 53, strides=(1, 37)), 3.25),
        correctness("large", tensor(1023, generator="large"), coin(1023), 0.1),
        correctness("special", tensor(31, 33, generator="special"), coin(31, 33), -0.5),
        correctness("float16", tensor(31, 129, dtype="float16"), coin(31, 129), -65504.0),
        *([correctness("bfloat16", tensor(31, 129, dtype="bfloat16"), coin(129), -1e9)] if takes_bfloat16(device) else []),
        *masked_fill_performance(device),
    ]


def masked_fill_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2_scores", "GPT-2 scores of 12 heads, 256 tokens", tensor(12, 256, 256), coin(1, 256, 256), -math.inf),
            performance("wav2vec2_frames", "wav2vec 2.0 masked frames, batch 4", tensor(4, 249, 768), coin(4, 249, 1), 0.0),
        ]
    return [
        performance("gpt2_scores", "GPT-2 scores of 12 heads, batch 8", tensor(8, 12, 1024, 1024), coin(1, 1, 1024, 1024), -math.inf),
        performance(
            "t5_large_scores_fp16",
            "T5-Large scores of 16 heads, 512 tokens, batch 32",
            tensor(32, 16, 512, 512, dtype="float16"),
            coin(32, 1, 1, 512),
            -65504.0,
        ),
    ]


def masked_fill_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 60), 2 * pick(1, 90) + 1
    return [
        hidden("odd", tensor(rows, columns), coin(rows, columns), pick(1, 9)),
        hidden("mask_of_a_row", transposed(rows, columns), coin(columns), -math.inf),
        hidden("mask_of_a_column", tensor(pick(2, 5), rows, pick(2, 60)), coin(rows, 1), -pick(1, 9)),
    ]


def masked_fill_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=0)


OPS: tuple[Op, ...] = (
    Op(
        slug="masked_fill",
        title="Masked fill",
        summary="A value wherever a mask is set, the input elsewhere.",
        description=(
            "out = value where mask else self; the mask is broadcast to the input's shape. Attention hides padding and later tokens "
            "with it (value minus infinity), pre-training masks frames and patches. At most a byte of mask for each element and one "
            "pass over the input: the difficulty is to read a broadcast mask once and to spend no time on working out where in it "
            "each element lies."
        ),
        signature="masked_fill(Tensor self, Tensor mask, Scalar value) -> Tensor",
        reference=masked_fill,
        cases=masked_fill_cases,
        hidden_cases=masked_fill_hidden,
        cost=masked_fill_cost,
        aten="aten.masked_fill.Scalar",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "element-wise", "broadcast"),
        compare="exact",
        starters=starter.load("masked_fill"),
    ),
)
