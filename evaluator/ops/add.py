"""add: the sum of two tensors, broadcast against each other."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, cost, every_other, hidden, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.add(x, y)


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), tensor(64, 128)),
        correctness("odd", tensor(3, 67, 5), tensor(3, 67, 5)),
        correctness("one_element", tensor(1), tensor(1)),
        correctness("scalars", tensor(), tensor()),
        correctness("empty", tensor(0, 7), tensor(0, 7)),
        correctness("row_broadcast", tensor(33, 65), tensor(65)),
        correctness("column_broadcast", tensor(33, 1), tensor(33, 65)),
        correctness("both_broadcast", tensor(5, 1, 7), tensor(1, 3, 7)),
        correctness("scalar_broadcast", tensor(129), tensor()),
        correctness("transposed", transposed(37, 53), tensor(37, 53)),
        correctness("every_other", every_other(19, 31), transposed(19, 31)),
        correctness("large", tensor(1023, generator="large"), tensor(1023)),
        correctness("special", tensor(61, 67, generator="special"), tensor(61, 67, generator="special")),
        correctness("float16", tensor(31, 129, dtype="float16"), tensor(31, 129, dtype="float16")),
        *([correctness("bfloat16", tensor(31, 129, dtype="bfloat16"), tensor(129, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x4096", "OPT-6.7B residual, 256 tokens", tensor(256, 4096), tensor(256, 4096)),
            performance("197x3072_bias", "ViT-B/16 MLP bias, one image", tensor(197, 3072), tensor(3072)),
        ]
    return [
        performance("gpt2_residual", "GPT-2 residual, batch 16", tensor(16, 1024, 768), tensor(16, 1024, 768)),
        performance("gpt2_bias", "GPT-2 MLP bias, batch 8", tensor(8, 1024, 3072), tensor(3072)),
        performance(
            "llama3_8b_residual_fp16",
            "Llama 3 8B residual, 8192 tokens",
            tensor(8192, 4096, dtype="float16"),
            tensor(8192, 4096, dtype="float16"),
        ),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    return [
        hidden("odd", tensor(rows, columns), tensor(rows, columns)),
        hidden("broadcast", tensor(columns), tensor(rows, columns)),
        hidden("strided", transposed(columns, rows), every_other(columns, rows)),
    ]


def least_cost(case: Case) -> Cost:
    x, y = case.tensors
    out = math.prod(broadcast(x.shape, y.shape))
    return cost(case, out, x.dtype, flops=out)


def broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + a, (1,) * (length - len(b)) + b
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


OP = Op(
    slug="add",
    title="Add",
    summary="Adds two tensors, broadcast against each other.",
    signature="add(Tensor self, Tensor other) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.add.Tensor",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("add"),
)
