"""mm: the product of two matrices. float32 means IEEE float32 products, not TF32."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, cost, hidden, padded, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.mm(a, b)


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 64), tensor(64, 64)),
        correctness("odd", tensor(33, 65), tensor(65, 17)),
        correctness("one_element", tensor(1, 1), tensor(1, 1)),
        correctness("row_times_column", tensor(1, 129), tensor(129, 1)),
        correctness("column_times_row", tensor(67, 1), tensor(1, 35)),
        correctness("long_inner", tensor(5, 1023), tensor(1023, 7)),
        correctness("transposed_left", transposed(37, 53), tensor(53, 29)),
        correctness("transposed_right", tensor(37, 53), transposed(53, 29)),
        correctness("padded_rows", padded(31, 45, 3), padded(45, 19, 5)),
        correctness("large", tensor(31, 65, generator="large"), tensor(65, 33)),
        correctness("sparse", tensor(31, 65, generator="sparse"), tensor(65, 33)),
        correctness("integers", tensor(31, 65, generator="integers", low=-8, high=9), tensor(65, 33, generator="integers", low=-8, high=9)),
        correctness("float16", tensor(33, 65, dtype="float16"), tensor(65, 47, dtype="float16")),
        *([correctness("bfloat16", tensor(33, 65, dtype="bfloat16"), tensor(65, 47, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x256x256", "Small square product", tensor(256, 256), tensor(256, 256)),
            performance("128x384x384", "ViT-S/16 projection, 128 tokens", tensor(128, 384), tensor(384, 384)),
        ]
    return [
        performance("gpt2_mlp", "GPT-2 MLP, 1024 tokens", tensor(1024, 768), tensor(768, 3072)),
        performance(
            "llama3_8b_projection_fp16",
            "Llama 3 8B output projection, 4096 tokens",
            tensor(4096, 4096, dtype="float16"),
            tensor(4096, 4096, dtype="float16"),
        ),
        performance(
            "llama3_8b_mlp_fp16",
            "Llama 3 8B MLP, 2048 tokens",
            tensor(2048, 4096, dtype="float16"),
            tensor(4096, 14336, dtype="float16"),
        ),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    m, n, k = 2 * pick(1, 60) + 1, 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    return [
        hidden("odd", tensor(m, k), tensor(k, n)),
        hidden("transposed", transposed(n, k), transposed(k, m)),
    ]


def least_cost(case: Case) -> Cost:
    a, b = case.tensors
    (m, k), n = a.shape, b.shape[1]
    return cost(case, m * n, a.dtype, flops=2 * m * n * k)


OP = Op(
    slug="mm",
    title="Matrix product",
    summary="Multiplies two matrices; float32 inputs with IEEE float32 precision.",
    signature="mm(Tensor self, Tensor mat2) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.mm.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul",),
    starters=starter.load("mm"),
)
