"""Quantised numbers put to use: dequantize_int8, dequantize_int4, mm_int8."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    argument,
    correctness,
    cost,
    elements,
    hidden,
    input_bytes,
    performance,
    takes_bfloat16,
    tensor,
)
from evaluator.ops.definition import Argument, Case, Cost, DType, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

FLOATS = ("float32", "float16", "bfloat16")


def int8(*shape: int, strides: tuple[int, ...] | None = None) -> TensorSpec:
    return tensor(*shape, dtype="int8", generator="integers", low=-128, high=128, strides=strides)


def scales(*shape: int, dtype: str = "float32", high: float = 0.05, strides: tuple[int, ...] | None = None) -> TensorSpec:
    return tensor(*shape, dtype=dtype, generator="uniform", low=high / 10, high=high, strides=strides)


def dequantize_int8(values: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return values.to(scale.dtype) * scale


def rows(*shape: int, dtype: str = "float32", strides: tuple[int, ...] | None = None) -> tuple[TensorSpec, TensorSpec]:
    """Values and a scale for each row."""
    return int8(*shape, strides=strides), scales(*shape[:-1], 1, dtype=dtype)


def dequantize_int8_cases(device: str) -> list[Case]:
    return [
        correctness("plain", *rows(64, 128)),
        correctness("odd", *rows(17, 67)),
        correctness("batch", *rows(3, 7, 41)),
        correctness("vector", *rows(4099)),
        correctness("one_row", *rows(1, 1021)),
        correctness("one_column", *rows(131, 1)),
        correctness("no_row", *rows(0, 7)),
        correctness("scale_of_a_column", int8(37, 53), scales(53)),
        correctness("one_scale", int8(37, 53), scales(1)),
        correctness("transposed", *rows(37, 53, strides=(1, 37))),
        correctness("padded", *rows(19, 31, strides=(36, 1))),
        correctness("strided_scale", int8(23, 29), scales(23, 1, strides=(3, 1))),
        correctness("large", int8(31, 33), tensor(31, 1, generator="large")),
        correctness("special", int8(61, 5), tensor(61, 1, generator="special")),
        correctness("float16", *rows(31, 129, dtype="float16")),
        *([correctness("bfloat16", *rows(31, 129, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *dequantize_int8_performance(device),
    ]


def dequantize_int8_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("opt_125m_mlp", "OPT-125M MLP weights, 256 rows", *rows(256, 3072)),
            performance("vit_b16_mlp", "ViT-B/16 MLP weights, 192 rows", *rows(192, 3072)),
        ]
    return [
        performance("opt_6b7_mlp", "OPT-6.7B MLP weights", *rows(16384, 4096)),
        performance("llama3_8b_mlp_fp16", "Llama 3 8B MLP weights", *rows(14336, 4096, dtype="float16")),
    ]


def dequantize_int8_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    height, width = pick(2, 60), 2 * pick(1, 90) + 1
    return [
        hidden("odd", *rows(height, width)),
        hidden("strided", *rows(height, width, strides=(1, height + 1))),
        hidden("float16", *rows(pick(2, 5), height, pick(2, 50), dtype="float16")),
    ]


def dequantize_int8_cost(case: Case) -> Cost:
    values, scale = case.tensors
    return cost(case, elements(values), scale.dtype, flops=elements(values))


def dequantize_int4(packed: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
    import torch

    low, high = packed & 15, packed >> 4
    values = torch.stack((low, high), -1).view(*scale.shape, -1).to(scale.dtype)
    zero = zero.to(scale.dtype)
    return ((values - zero.unsqueeze(-1)) * scale.unsqueeze(-1)).flatten(-2)


def groups(
    height: int, count: int, size: int, dtype: str = "float32", generator: Generator = "uniform", gap: int = 0
) -> tuple[TensorSpec, ...]:
    """Packed values of `count` groups of `size` in each row, scales, and zero points."""
    width = count * size // 2
    packed = tensor(height, width, dtype="uint8", generator="integers", low=0, high=256, strides=(width + gap, 1) if gap else None)
    scale = scales(height, count, dtype=dtype) if generator == "uniform" else tensor(height, count, dtype=dtype, generator=generator)
    return packed, scale, zeros(height, count)


def zeros(height: int, count: int, strides: tuple[int, ...] | None = None) -> TensorSpec:
    return tensor(height, count, dtype="uint8", generator="integers", low=0, high=16, strides=strides)


def dequantize_int4_cases(device: str) -> list[Case]:
    return [
        correctness("plain", *groups(32, 4, 64)),
        correctness("odd_groups", *groups(17, 5, 32)),
        correctness("groups_of_two", *groups(13, 67, 2)),
        correctness("groups_of_six", *groups(19, 23, 6)),
        correctness("one_group", *groups(31, 1, 256)),
        correctness("one_row", *groups(1, 9, 128)),
        correctness("one_byte", *groups(1, 1, 2)),
        correctness("many_rows", *groups(1021, 1, 14)),
        correctness("padded", *groups(23, 7, 16, gap=3)),
        correctness("transposed_scale", *groups(29, 3, 32)[:1], scales(29, 3, strides=(1, 29)), zeros(29, 3, strides=(1, 29))),
        correctness("large", *groups(21, 5, 16, generator="large")),
        correctness("special", *groups(21, 5, 16, generator="special")),
        correctness("float16", *groups(31, 3, 128, dtype="float16")),
        *([correctness("bfloat16", *groups(31, 3, 128, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *dequantize_int4_performance(device),
    ]


def dequantize_int4_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("tinyllama_mlp", "TinyLlama 1.1B MLP weights in groups of 128, 128 rows", *groups(128, 16, 128)),
            performance("tinyllama_down", "TinyLlama 1.1B MLP weights in groups of 64, 64 rows", *groups(64, 88, 64)),
        ]
    return [
        performance("llama3_8b_mlp_fp16", "Llama 3 8B MLP weights, AWQ groups of 128", *groups(14336, 32, 128, dtype="float16")),
        performance("llama2_70b_mlp_fp16", "Llama 2 70B MLP weights, GPTQ groups of 128", *groups(28672, 64, 128, dtype="float16")),
        performance("llama2_7b_projection", "Llama 2 7B projection, HQQ groups of 64", *groups(4096, 64, 64)),
    ]


def dequantize_int4_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    height, count, size = pick(2, 40), pick(1, 9), 2 * pick(1, 24)
    return [
        hidden("odd", *groups(height, count, size)),
        hidden("padded", *groups(height, count, size, dtype="float16", gap=pick(1, 5))),
    ]


def dequantize_int4_cost(case: Case) -> Cost:
    packed, scale, _ = case.tensors
    return cost(case, 2 * elements(packed), scale.dtype, flops=4 * elements(packed))


def mm_int8(
    a: torch.Tensor, b: torch.Tensor, a_scale: torch.Tensor, b_scale: torch.Tensor, dtype: torch.dtype | None = None
) -> torch.Tensor:
    import torch
    from torch.nn.functional import pad

    (m, k), n = a.shape, b.shape[1]
    # cuBLAS wants more than 16 rows, other sizes that 8 divides, and the columns of b one after the other in memory.
    if m <= 16 or k % 8 or n % 8:
        a = pad(a, (0, -k % 8, 0, max(0, 17 - m)))
        b = pad(b, (0, -n % 8, 0, -k % 8))
    sums = torch._int_mm(a, b.t().contiguous().t())[:m, :n]
    return (sums * a_scale * b_scale).to(dtype or a_scale.dtype)


def factors(m: int, k: int, n: int, *, column_major: bool = False) -> tuple[TensorSpec, ...]:
    """Two int8 matrices, a scale for each row of the first and one for each column of the second."""
    return int8(m, k), int8(k, n, strides=(1, k) if column_major else None), scales(m, 1), scales(n)


def mm_int8_cases(device: str) -> list[Case]:
    return [
        correctness("plain", *factors(64, 64, 64)),
        correctness("odd", *factors(33, 65, 17)),
        correctness("one_element", *factors(1, 1, 1)),
        correctness("one_row", *factors(1, 129, 35)),
        correctness("one_column", *factors(35, 129, 1)),
        correctness("column_times_row", *factors(67, 1, 35)),
        correctness("long_inner", *factors(5, 2049, 7)),
        correctness("weights_by_row", *factors(37, 53, 29, column_major=True)),
        correctness("transposed_left", int8(37, 53, strides=(1, 37)), int8(53, 29), scales(37, 1), scales(29)),
        correctness("padded_rows", int8(31, 45, strides=(48, 1)), int8(45, 19, strides=(24, 1)), scales(31, 1), scales(19)),
        correctness("strided_scales", int8(21, 33), int8(33, 23), scales(21, 1, strides=(2, 1)), scales(23, strides=(3,))),
        correctness("large", *factors(31, 65, 33)[:2], tensor(31, 1, generator="large"), scales(33)),
        correctness("float16", *factors(33, 65, 47), dtype=DType("float16")),
        correctness("float32", *factors(33, 65, 47), dtype=DType("float32")),
        *([correctness("bfloat16", *factors(33, 65, 47, column_major=True), dtype=DType("bfloat16"))] if takes_bfloat16(device) else []),
        *mm_int8_performance(device),
    ]


def mm_int8_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x256x256", "Small square product", *factors(256, 256, 256, column_major=True)),
            performance("vit_s16", "ViT-S/16 projection, 128 tokens", *factors(128, 384, 384, column_major=True)),
        ]
    half: dict[str, Argument] = {"dtype": DType("float16")}
    return [
        performance("gpt2_mlp", "GPT-2 MLP, 1024 tokens", *factors(1024, 768, 3072, column_major=True)),
        performance("opt_6b7_mlp_fp16", "OPT-6.7B MLP, SmoothQuant, 2048 tokens", *factors(2048, 4096, 16384, column_major=True), **half),
        performance("llama3_8b_fp16", "Llama 3 8B output projection, 4096 tokens", *factors(4096, 4096, 4096, column_major=True), **half),
    ]


def mm_int8_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    m, n, k = 2 * pick(1, 50) + 1, 2 * pick(1, 50) + 1, 2 * pick(1, 80) + 1
    return [
        hidden("odd", *factors(m, k, n)),
        hidden("weights_by_row", *factors(m, k, n, column_major=True), dtype=DType("float16")),
    ]


def mm_int8_cost(case: Case) -> Cost:
    a, b = case.tensors[:2]
    (m, k), n = a.shape, b.shape[1]
    dtype = argument(case, 4, "dtype")
    item = ITEM_BYTES[dtype.name if isinstance(dtype, DType) else case.tensors[2].dtype]
    return Cost(input_bytes(case), m * n * item, 2 * m * n * k)


OPS: tuple[Op, ...] = (
    Op(
        slug="dequantize_int8",
        title="Dequantise int8",
        summary="8-bit integers times their scales.",
        description=(
            "out = values * scale in the scale's dtype, where the scale is broadcast to the values: one for each row (shape (..., "
            "1)), one for each column, or one in all. It turns the weights of 8-bit models back to floats before a product, or the "
            "result of integer arithmetic. The work is a read of one byte and a write of two or four for each element, so wide loads "
            "of the narrow input and coalesced writes decide."
        ),
        signature="dequantize_int8(Tensor values, Tensor scale) -> Tensor",
        reference=dequantize_int8,
        cases=dequantize_int8_cases,
        hidden_cases=dequantize_int8_hidden,
        cost=dequantize_int8_cost,
        suites=("core",),
        dtypes=FLOATS,
        tags=("quantisation", "element-wise", "broadcast"),
        starters=starter.load("dequantize_int8"),
    ),
    Op(
        slug="dequantize_int4",
        title="Dequantise int4",
        summary="4-bit integers, two a byte, minus their group's zero point, times its scale.",
        description=(
            "Each byte of packed (uint8) holds two values of its row: the low four bits the even column, the high four the odd one. A "
            "row of scale.shape[1] groups has as many columns in each, an even number. out[i, j] = (value[i, j] - zero[i, g]) * "
            "scale[i, g] for the group g of column j, in the scale's dtype; zero (uint8) holds 0 to 15. Models with 4-bit weights "
            "(AWQ, GPTQ, HQQ) do it before or inside a product. Four times as much is written as read, so unpacking must not cost "
            "more than the writes."
        ),
        signature="dequantize_int4(Tensor packed, Tensor scale, Tensor zero) -> Tensor",
        reference=dequantize_int4,
        cases=dequantize_int4_cases,
        hidden_cases=dequantize_int4_hidden,
        cost=dequantize_int4_cost,
        suites=("core",),
        dtypes=FLOATS,
        tags=("quantisation", "element-wise", "packed"),
        starters=starter.load("dequantize_int4"),
    ),
    Op(
        slug="mm_int8",
        title="Matrix product in int8",
        summary="The product of two int8 matrices, summed in int32, times a scale for each row and each column.",
        description=(
            "out[i, j] = (sum over l of a[i, l] * b[l, j]) * a_scale[i] * b_scale[j]: the sum exact in int32, the scales float32, the "
            "result in dtype (float32 when there is none). a holds quantised activations with one scale a token, b quantised weights "
            "with one scale an output channel, as SmoothQuant and the W8A8 modes of servers have them. Tensor cores multiply int8 "
            "twice as fast as float16; the difficulty is to feed them and to apply the scales before the sums leave the registers."
        ),
        signature="mm_int8(Tensor a, Tensor b, Tensor a_scale, Tensor b_scale, ScalarType? dtype=None) -> Tensor",
        reference=mm_int8,
        cases=mm_int8_cases,
        hidden_cases=mm_int8_hidden,
        cost=mm_int8_cost,
        precision="int8",
        suites=("core",),
        dtypes=("int8", "float32"),
        tags=("quantisation", "matmul"),
        starters=starter.load("mm_int8"),
    ),
)
