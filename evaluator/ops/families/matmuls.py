"""Matrix products. float32 means IEEE float32 products, not TF32, except where the op's precision class says so."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
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


def mm_reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.mm(a, b)


def product_cases() -> list[Case]:
    """float32 correctness cases of two matrices, whatever the precision class.

    Those with few outputs add up positive numbers: of a sum that cancels, an honest kernel's error may be large.
    """
    positive = tensor(1, 129, generator="uniform", low=0.5, high=1.5), tensor(129, 1, generator="uniform", low=0.5, high=1.5)
    return [
        correctness("plain", tensor(64, 64), tensor(64, 64)),
        correctness("odd", tensor(33, 65), tensor(65, 17)),
        correctness("row_times_column", *positive),
        correctness("one_row", tensor(1, 257), tensor(257, 67)),
        correctness("one_column", tensor(67, 257), tensor(257, 1)),
        correctness("column_times_row", tensor(127, 1), tensor(1, 103)),
        correctness("long_inner", tensor(17, 1023), tensor(1023, 13)),
        correctness("transposed_left", transposed(37, 53), tensor(53, 29)),
        correctness("transposed_right", tensor(37, 53), transposed(53, 29)),
        correctness("padded_rows", padded(31, 45, 3), padded(45, 19, 5)),
        correctness("large", tensor(31, 65, generator="large"), tensor(65, 33)),
        correctness("sparse", tensor(31, 65, generator="sparse"), tensor(65, 33)),
        correctness("integers", tensor(31, 65, generator="integers", low=-8, high=9), tensor(65, 33, generator="integers", low=-8, high=9)),
    ]


def mm_cases(device: str) -> list[Case]:
    return [
        *product_cases(),
        correctness("one_element", tensor(1, 1), tensor(1, 1)),
        correctness("float16", tensor(33, 65, dtype="float16"), tensor(65, 47, dtype="float16")),
        correctness("long_inner_float16", tensor(9, 1777, dtype="float16"), tensor(1777, 11, dtype="float16")),
        *([correctness("bfloat16", tensor(33, 65, dtype="bfloat16"), tensor(65, 47, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *mm_performance_cases(device),
    ]


def mm_performance_cases(device: str) -> list[Case]:
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


def mm_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    m, n, k = 2 * pick(8, 60) + 1, 2 * pick(8, 60) + 1, 2 * pick(8, 120) + 1
    return [
        hidden("odd", tensor(m, k), tensor(k, n)),
        hidden("transposed", transposed(n, k), transposed(k, m)),
    ]


def mm_cost(case: Case) -> Cost:
    a, b = case.tensors
    (m, k), n = a.shape, b.shape[1]
    return cost(case, m * n, a.dtype, flops=2 * m * n * k)


MM = Op(
    slug="mm",
    title="Matrix product",
    summary="Multiplies two matrices; float32 inputs with IEEE float32 precision.",
    description=(
        "Element (i, j) of the result is the sum over k of self[i, k] times mat2[k, j]. Sums are kept in float32 also where inputs are "
        "float16 or bfloat16, and float32 inputs must not be rounded to TF32. Every layer of a transformer spends most of its time here. A "
        "fast kernel keeps tiles of both matrices near the arithmetic units, feeds tensor cores while the next tiles are on their way, and "
        "orders its tiles so that neighbours share what the L2 cache holds."
    ),
    signature="mm(Tensor self, Tensor mat2) -> Tensor",
    reference=mm_reference,
    cases=mm_cases,
    hidden_cases=mm_hidden_cases,
    cost=mm_cost,
    aten="aten.mm.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul",),
    starters=starter.load("mm"),
)


def mm_tf32_cases(device: str) -> list[Case]:
    """Beside the usual: values that float16 cannot hold, since its significand is as long as TF32's."""
    return [
        *product_cases(),
        correctness("beyond_float16", tensor(17, 65, generator="large", high=1e3), tensor(65, 23)),
        correctness("below_float16", tensor(17, 65, high=1e-6), tensor(65, 23, high=1e-6)),
        *mm_tf32_performance_cases(device),
    ]


def mm_tf32_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x256x256", "Small square product", tensor(256, 256), tensor(256, 256)),
            performance("197x192x768", "ViT-Ti/16 MLP, one image", tensor(197, 192), tensor(192, 768)),
        ]
    return [
        performance("gpt2_mlp", "GPT-2 MLP, 1024 tokens", tensor(1024, 768), tensor(768, 3072)),
        performance("bert_large_mlp", "BERT-large MLP, batch 8 of 512 tokens", tensor(4096, 1024), tensor(1024, 4096)),
        performance("vit_l16_qkv", "ViT-L/16 queries, keys and values, 32 images", tensor(6304, 1024), tensor(1024, 3072)),
    ]


MM_TF32 = Op(
    slug="mm_tf32",
    title="Matrix product in TF32",
    summary="Multiplies two float32 matrices; products may be rounded to TF32.",
    description=(
        "The same sum as mm for float32 matrices, but inputs may be rounded to TF32 (10 bits after the point, the range of float32) before "
        "they are multiplied; sums stay in float32. This is how models that are trained in float32 use tensor cores. The tolerance is that "
        "of TF32: products in bfloat16 are too coarse, and float16 cannot hold all values. Tiles of float32 take twice the room of float16 "
        "ones, so that memory traffic bounds a kernel earlier than in mm."
    ),
    signature="mm_tf32(Tensor self, Tensor mat2) -> Tensor",
    reference=mm_reference,
    cases=mm_tf32_cases,
    hidden_cases=mm_hidden_cases,
    cost=mm_cost,
    precision="tf32",
    aten="aten.mm.default",
    suites=("core",),
    dtypes=("float32",),
    tags=("matmul", "tf32"),
    starters=starter.load("mm_tf32"),
)


def bmm_reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.bmm(a, b)


def bmm_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(3, 64, 64), tensor(3, 64, 64)),
        correctness("odd", tensor(5, 33, 65), tensor(5, 65, 17)),
        correctness("one_element", tensor(1, 1, 1), tensor(1, 1, 1)),
        correctness("one_product", tensor(1, 67, 43), tensor(1, 43, 29)),
        correctness("many_small", tensor(127, 3, 5), tensor(127, 5, 7)),
        correctness("rows_times_columns", tensor(61, 1, 129), tensor(61, 129, 1)),
        correctness("columns_times_rows", tensor(5, 67, 1), tensor(5, 1, 35)),
        correctness("long_inner", tensor(2, 5, 1023), tensor(2, 1023, 7)),
        correctness("transposed_left", transposed(3, 37, 53), tensor(3, 53, 29)),
        correctness("transposed_right", tensor(3, 37, 53), transposed(3, 53, 29)),
        correctness("batch_inside", tensor(5, 31, 17, strides=(17, 85, 1)), tensor(5, 17, 23, strides=(23, 115, 1))),
        correctness("one_right_for_all", tensor(5, 31, 17), tensor(5, 17, 23, strides=(0, 23, 1))),
        correctness("large", tensor(3, 31, 65, generator="large"), tensor(3, 65, 33)),
        correctness("float16", tensor(3, 33, 65, dtype="float16"), tensor(3, 65, 47, dtype="float16")),
        correctness("long_inner_float16", tensor(2, 5, 1777, dtype="float16"), tensor(2, 1777, 5, dtype="float16")),
        *(
            [correctness("bfloat16", tensor(3, 33, 65, dtype="bfloat16"), tensor(3, 65, 47, dtype="bfloat16"))]
            if takes_bfloat16(device)
            else []
        ),
        *bmm_performance_cases(device),
    ]


def bmm_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("vit_s16_scores", "ViT-S/16 scores of 6 heads, one image", tensor(6, 197, 64), transposed(6, 64, 197)),
            performance("vit_ti16_values", "ViT-Ti/16 values of 3 heads, one image", tensor(3, 197, 197), tensor(3, 197, 64)),
        ]
    return [
        performance("gpt2_scores", "GPT-2 scores of 12 heads, batch 2", tensor(24, 1024, 64), transposed(24, 64, 1024)),
        performance(
            "llama2_7b_scores_fp16",
            "Llama 2 7B scores of 32 heads, 2048 tokens",
            tensor(32, 2048, 128, dtype="float16"),
            transposed(32, 128, 2048, dtype="float16"),
        ),
        performance(
            "llama2_7b_values_fp16",
            "Llama 2 7B values of 32 heads, 2048 tokens",
            tensor(32, 2048, 2048, dtype="float16"),
            tensor(32, 2048, 128, dtype="float16"),
        ),
    ]


def bmm_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    m, n, k, many = 2 * pick(1, 30) + 1, 2 * pick(1, 30) + 1, 2 * pick(1, 60) + 1, pick(20, 200)
    return [
        hidden("odd", tensor(2, m, k), tensor(2, k, n)),
        hidden("transposed", transposed(2, n, k), transposed(2, k, m)),
        hidden("many", tensor(many, 3, 7), tensor(many, 7, 5)),
    ]


def bmm_cost(case: Case) -> Cost:
    a, b = case.tensors
    (batch, m, k), n = a.shape, b.shape[2]
    return cost(case, batch * m * n, a.dtype, flops=2 * batch * m * n * k)


BMM = Op(
    slug="bmm",
    title="Batched matrix product",
    summary="Multiplies pairs of matrices, one pair for each index of the first dimension.",
    description=(
        "Element (b, i, j) of the result is the sum over k of self[b, i, k] times mat2[b, k, j]. Attention that is not fused computes its "
        "scores and its weighted values so, one product for each head. Products of heads are small and have a short inner or outer side: a "
        "fast kernel has enough tiles in flight over all of them, does not waste half a tile on 64 columns, and reads transposed keys as "
        "they lie."
    ),
    signature="bmm(Tensor self, Tensor mat2) -> Tensor",
    reference=bmm_reference,
    cases=bmm_cases,
    hidden_cases=bmm_hidden_cases,
    cost=bmm_cost,
    aten="aten.bmm.default",
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "batched"),
    starters=starter.load("bmm"),
)

OPS: tuple[Op, ...] = (MM, MM_TF32, BMM)
