"""Matrix times vector, and matrix products with something added."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    every_other,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    tensor_bytes,
    transposed,
)
from evaluator.ops.cases import projections
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def mv_reference(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.mv(matrix, vector)


def mv_cases(device: str) -> list[Case]:
    # Few outputs, so the numbers are positive: of a sum that cancels, an honest kernel's error may be large.
    one_row = tensor(1, 1021, generator="uniform", low=0.5, high=1.5), tensor(1021, generator="uniform", low=0.5, high=1.5)
    return [
        correctness("plain", tensor(64, 64), tensor(64)),
        correctness("odd", tensor(67, 129), tensor(129)),
        correctness("one_element", tensor(1, 1), tensor(1)),
        correctness("one_row", *one_row),
        correctness("one_column", tensor(127, 1), tensor(1)),
        correctness("long", tensor(7, 2503), tensor(2503)),
        correctness("tall", tensor(1009, 17), tensor(17)),
        correctness("transposed", transposed(61, 83), tensor(83)),
        correctness("padded_rows", padded(31, 45, 3), tensor(45)),
        correctness("every_other", every_other(37, 59), tensor(59, strides=(3,))),
        correctness("large", tensor(33, 65, generator="large"), tensor(65)),
        correctness("sparse", tensor(63, 257, generator="sparse"), tensor(257)),
        correctness("float16", tensor(65, 129, dtype="float16"), tensor(129, dtype="float16")),
        correctness("long_float16", tensor(5, 3001, dtype="float16"), tensor(3001, dtype="float16")),
        *([correctness("bfloat16", tensor(65, 129, dtype="bfloat16"), tensor(129, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *mv_performance_cases(device),
    ]


def mv_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x4096", "256 passages against one query, E5-Mistral-7B embeddings", tensor(256, 4096), tensor(4096)),
            performance("256x1024", "BERT-mini MLP, one token", tensor(256, 1024), tensor(1024)),
        ]
    half = "float16"
    return [
        performance("gpt2_vocabulary", "GPT-2 vocabulary, one token", tensor(50257, 768), tensor(768)),
        performance("llama3_8b_up_fp16", "Llama 3 8B MLP up, one token", tensor(14336, 4096, dtype=half), tensor(4096, dtype=half)),
        performance("llama3_8b_down_fp16", "Llama 3 8B MLP down, one token", tensor(4096, 14336, dtype=half), tensor(14336, dtype=half)),
    ]


def mv_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns, many = 2 * pick(4, 60) + 1, 2 * pick(1, 80) + 1, pick(1_000, 2_800)
    return [
        hidden("odd", tensor(rows, columns), tensor(columns)),
        hidden("transposed", transposed(columns, rows), tensor(rows, strides=(2,))),
        hidden("long", tensor(7, many), tensor(many)),
    ]


def mv_cost(case: Case) -> Cost:
    matrix, _ = case.tensors
    rows, columns = matrix.shape
    return cost(case, rows, matrix.dtype, flops=2 * rows * columns)


MV = Op(
    slug="mv",
    title="Matrix times vector",
    summary="Multiplies a matrix with a vector.",
    description=(
        "Element i of the result is the sum over k of self[i, k] times vec[k], added up in float32. A language model that writes one token "
        "for one user multiplies every weight matrix with one vector. Each element of the matrix is used once, so that nothing but memory "
        "bandwidth counts: a fast kernel has many wide loads under way, splits long rows among programs where there are few rows, and "
        "reads a transposed matrix along its columns."
    ),
    signature="mv(Tensor self, Tensor vec) -> Tensor",
    reference=mv_reference,
    cases=mv_cases,
    hidden_cases=mv_hidden_cases,
    cost=mv_cost,
    aten="aten.mv.default",
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "memory-bound"),
    starters=starter.load("mv"),
)


def addmm_reference(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: float = 1, alpha: float = 1) -> torch.Tensor:
    import torch

    return torch.addmm(x, a, b, beta=beta, alpha=alpha)


def addmm_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("plain", tensor(64, 64), tensor(64, 64), tensor(64, 64)),
        correctness("odd", tensor(33, 17), tensor(33, 65), tensor(65, 17), beta=0.5, alpha=2.0),
        correctness("one_row", tensor(1, 1), tensor(1, 37), tensor(37, 53), beta=-1.5),
        correctness("vector", tensor(29), tensor(37, 53), tensor(53, 29)),
        correctness("one_column", tensor(37, 1), tensor(37, 53), tensor(53, 29), alpha=-0.25),
        correctness("scalar", tensor(), tensor(37, 53), tensor(53, 29), beta=3.0),
        correctness("only_alpha", tensor(41), tensor(35, 53), tensor(53, 41), alpha=0.125),
        correctness("only_beta", tensor(35, 41), tensor(35, 53), tensor(53, 41), beta=-20.0),
        correctness("without_input", tensor(31, 43, generator="special_nan"), tensor(31, 29), tensor(29, 43), beta=0.0, alpha=1.5),
        correctness("without_product", tensor(31, 43), tensor(31, 29), tensor(29, 43), beta=0.75, alpha=0.0),
        correctness("empty_inner", tensor(31, 43), tensor(31, 0), tensor(0, 43), beta=0.75),
        correctness("transposed", transposed(37, 29), transposed(37, 53), transposed(53, 29), beta=0.5),
        correctness("padded_rows", padded(31, 19, 7), padded(31, 45, 3), padded(45, 19, 5), alpha=2.0),
        correctness("large", tensor(33, generator="large"), tensor(31, 65, generator="large"), tensor(65, 33), beta=30.0),
        *(
            correctness(name, tensor(47, dtype=name), tensor(33, 65, dtype=name), tensor(65, 47, dtype=name), beta=2.0, alpha=0.5)
            for name in halves
        ),
        *addmm_performance_cases(device),
    ]


def addmm_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("197x384x384", "ViT-S/16 output projection, one image", tensor(384), tensor(197, 384), tensor(384, 384)),
            performance("128x768x768", "GPT-2 output projection, 128 tokens", tensor(768), tensor(128, 768), tensor(768, 768)),
        ]
    half = "float16"
    return [
        performance("gpt2_qkv", "GPT-2 queries, keys and values, 1024 tokens", tensor(2304), tensor(1024, 768), tensor(768, 2304)),
        performance(
            "gpt2_xl_mlp_fp16",
            "GPT-2 XL MLP, batch 4 of 1024 tokens",
            tensor(6400, dtype=half),
            tensor(4096, 1600, dtype=half),
            tensor(1600, 6400, dtype=half),
        ),
        performance(
            "llama2_7b_lora_fp16",
            "Llama 2 7B with LoRA of rank 16 and alpha 32, 4096 tokens",
            tensor(4096, 4096, dtype=half),
            tensor(4096, 16, dtype=half),
            tensor(16, 4096, dtype=half),
            alpha=2.0,
        ),
    ]


def addmm_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    m, n, k, eighths = 2 * pick(1, 60) + 1, 2 * pick(1, 60) + 1, 2 * pick(1, 80) + 1, pick(9, 30)
    return [
        hidden("odd", tensor(n), tensor(m, k), tensor(k, n), beta=eighths / 8),
        hidden("transposed", transposed(n, m), transposed(n, k), transposed(k, m), alpha=-eighths / 8),
    ]


def addmm_cost(case: Case) -> Cost:
    x, a, b = case.tensors
    (m, k), n = a.shape, b.shape[1]
    whole = cost(case, m * n, a.dtype, flops=2 * m * n * k + 2 * m * n)
    unread = tensor_bytes(x) if case.kwargs.get("beta") == 0 else 0
    return dataclasses.replace(whole, input_bytes=whole.input_bytes - unread)


ADDMM = Op(
    slug="addmm",
    title="Matrix product plus a tensor",
    summary="Adds a tensor, times beta, to a matrix product, times alpha.",
    description=(
        "beta times self plus alpha times the matrix product of mat1 and mat2. self broadcasts: it is a matrix, a row, a column or one "
        "number. With beta = 0 it is not read at all, so that NaN in it does not reach the result. GPT-2's layers are calls of it, and so "
        "are updates of low rank such as LoRA's. What is added must ride along in the product's last step; a second pass over the result "
        "costs more than the sum."
    ),
    signature="addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    reference=addmm_reference,
    cases=addmm_cases,
    hidden_cases=addmm_hidden_cases,
    cost=addmm_cost,
    aten="aten.addmm.default",
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "epilogue"),
    starters=starter.load("addmm"),
)


def linear_reference(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    import torch

    return torch.nn.functional.linear(x, weight, bias)


def linear_cases(device: str) -> list[Case]:
    return [*projections.correctness_cases(device), *linear_performance_cases(device)]


def linear_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            projections.biased("vit_s16_qkv", "ViT-S/16 queries, keys and values, one image", (197, 384), 1152),
            projections.plain("t5_small_query", "T5-small queries, 256 tokens", (256, 512), 512),
        ]
    return [
        projections.biased("bert_base_attention", "BERT-base attention output, batch 16 of 512 tokens", (16, 512, 768), 768),
        projections.plain("llama3_8b_query_fp16", "Llama 3 8B queries, 4096 tokens", (4096, 4096), 4096, "float16"),
        projections.biased("whisper_large_mlp_fp16", "Whisper large MLP, 8 times 30 s", (8, 1500, 1280), 5120, "float16"),
    ]


LINEAR = Op(
    slug="linear",
    title="Linear layer",
    summary="Multiplies rows with a transposed weight matrix and adds a bias.",
    description=(
        "The last dimension of the input, times the transposed weight, plus the bias where one is given: out[..., o] = sum over i of "
        "input[..., i] times weight[o, i], plus bias[o]. Inputs have two or three dimensions. It is the layer that models consist of; "
        "weights lie row by row as checkpoints hold them, so that both factors are read along the inner dimension. A fast kernel treats "
        "all leading dimensions as one and adds the bias before it writes."
    ),
    signature="linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    reference=linear_reference,
    cases=linear_cases,
    hidden_cases=projections.hidden_cases,
    cost=projections.least_cost,
    aten="aten.linear.default",
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "epilogue"),
    starters=starter.load("linear"),
)

OPS: tuple[Op, ...] = (MV, ADDMM, LINEAR)
