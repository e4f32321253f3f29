"""softmax: exponentials along one dimension, divided by their sum."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

FLOPS_PER_ELEMENT = 5
"""Maximum, subtraction, exponential, sum, division."""


def reference(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    return torch.softmax(x, dim)


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), -1),
        correctness("odd", tensor(17, 67), 1),
        correctness("one_row", tensor(1, 1021), -1),
        correctness("one_column", tensor(9, 1), 1),
        correctness("one_element", tensor(1, 1), 0),
        correctness("vector", tensor(4099), 0),
        correctness("first_dim", tensor(67, 17), 0),
        correctness("middle_dim", tensor(3, 41, 5), 1),
        correctness("transposed", transposed(19, 37), -1),
        correctness("every_other", every_other(13, 31), -1),
        correctness("padded_rows", padded(11, 45, 3), -1),
        correctness("large", tensor(15, 255, generator="large"), -1),
        correctness("tiny_variance", tensor(15, 129, generator="tiny_variance", high=30.0), -1),
        correctness("constant_rows", tensor(15, 33, generator="constant_rows"), -1),
        correctness("float16", tensor(15, 129, dtype="float16"), -1),
        *([correctness("bfloat16", tensor(15, 129, dtype="bfloat16"), -1)] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x4096", "Llama 2 7B scores of one head, 128 of 4096 tokens", tensor(128, 4096), -1),
            performance("32x50257", "GPT-2 vocabulary, 32 tokens", tensor(32, 50257), -1),
        ]
    return [
        performance("4096x4096", "Llama 2 7B scores of one head, 4096 tokens", tensor(4096, 4096), -1),
        performance("gpt2_scores", "GPT-2 scores of 12 heads, batch 2", tensor(2, 12, 1024, 1024), -1),
        performance("llama3_vocabulary_fp16", "Llama 3 vocabulary, 256 tokens", tensor(256, 128256, dtype="float16"), -1),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 24), 2 * pick(1, 900) + 1
    return [
        hidden("odd", tensor(rows, columns), -1),
        hidden("first_dim", tensor(2 * pick(10, 200) + 1, pick(2, 24)), 0),
        hidden("strided", transposed(pick(2, 24), pick(30, 300)), 1),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=FLOPS_PER_ELEMENT * elements(x))


OP = Op(
    slug="softmax",
    title="Softmax",
    summary="Exponentials along one dimension, divided by their sum.",
    signature="softmax(Tensor self, int dim) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.softmax.int",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("reduction", "row-wise"),
    starters=starter.load("softmax"),
)
