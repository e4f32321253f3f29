"""sum: adds the elements along one or more dimensions."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    argument,
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def reference(x: torch.Tensor, dim: tuple[int, ...], keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.sum(x, dim=tuple(dim), keepdim=keepdim)


def cases(device: str) -> list[Case]:
    return [
        correctness("rows", tensor(64, 128), (1,), False),
        correctness("columns", tensor(64, 128), (0,), False),
        correctness("rows_keepdim", tensor(33, 67), (-1,), True),
        correctness("middle", tensor(5, 37, 9), (1,), False),
        correctness("two_dims", tensor(7, 11, 13), (0, 2), False),
        correctness("all_dims", tensor(31, 33), (0, 1), False),
        correctness("all_dims_keepdim", tensor(3, 5, 7), (0, 1, 2), True),
        correctness("one_element", tensor(1, 1), (1,), False),
        correctness("one_column", tensor(65, 1), (1,), False),
        correctness("vector", tensor(4099), (0,), False),
        correctness("empty_rows", tensor(5, 0), (1,), False),
        correctness("transposed", transposed(37, 53), (1,), False),
        correctness("every_other", every_other(19, 31), (0,), False),
        correctness("large", tensor(17, 1023, generator="large"), (1,), False),
        correctness("sparse", tensor(33, 129, generator="sparse"), (1,), False),
        correctness("float16", tensor(31, 129, dtype="float16"), (1,), False),
        *([correctness("bfloat16", tensor(31, 129, dtype="bfloat16"), (-1,), True)] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x16384", "OPT-6.7B MLP, 128 tokens", tensor(128, 16384), (1,), False),
            performance("64x50257", "GPT-2 vocabulary, 64 tokens", tensor(64, 50257), (-1,), True),
        ]
    return [
        performance("4096x4096", "Llama 2 7B scores of one head, 4096 tokens", tensor(4096, 4096), (-1,), False),
        performance("gpt2_bias_gradient", "GPT-2 MLP bias gradient, batch 8", tensor(8, 1024, 3072), (0, 1), False),
        performance("resnet50_pool_fp16", "ResNet-50 layer 1 pooled, batch 64", tensor(64, 256, 56, 56, dtype="float16"), (2, 3), False),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = 2 * pick(1, 40) + 1, 2 * pick(1, 500) + 1
    return [
        hidden("rows", tensor(rows, columns), (1,), False),
        hidden("columns", transposed(columns, rows), (0,), True),
        hidden("two_dims", tensor(pick(2, 9), pick(2, 40), pick(2, 40)), (1, 2), False),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    dims = argument(case, 1, "dim")
    reduced = {dim % len(x.shape) for dim in dims} if isinstance(dims, tuple) else set()
    kept = math.prod(size for dim, size in enumerate(x.shape) if dim not in reduced)
    return cost(case, kept, x.dtype, flops=elements(x))


OP = Op(
    slug="sum",
    title="Sum",
    summary="Adds the elements along one or more dimensions.",
    signature="sum(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.sum.dim_IntList",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("reduction",),
    starters=starter.load("sum"),
)
