"""Numbers made small: quantize_int8, quantize_fp8."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    elements,
    every_other,
    first_tensor,
    hidden,
    input_bytes,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Call, Case, Cost, Op, Rule
from evaluator.ops.rules.rounding import not_nearest

if typing.TYPE_CHECKING:
    import torch

INT8_MOST, FP8_MOST = 127, 448
FLOPS_PER_ELEMENT = 3
"""Magnitude, maximum, division."""


def quantize_int8(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    largest = x.abs().amax(-1, keepdim=True).to(torch.float32)
    scale = torch.where(largest > 0, largest / 127, 1.0)
    return torch.round(x / scale).to(torch.int8), scale


def quantize_fp8(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    largest = x.abs().amax(-1, keepdim=True).to(torch.float32)
    scale = torch.where(largest > 0, largest / 448, 1.0)
    return (x / scale).to(torch.float8_e4m3fn), scale


def nearest_int8(call: Call) -> str:
    """Each number is the integer nearest to x / scale; at a half, either neighbour."""
    return not_nearest(scaled(call, INT8_MOST), call.got[0])


def nearest_fp8(call: Call) -> str:
    """Each number is the float8 number nearest to x / scale; in the middle of two, either."""
    return not_nearest(scaled(call, FP8_MOST), call.got[0])


def scaled(call: Call, most: int) -> torch.Tensor:
    """The input's rows in float64, stretched so that the largest magnitude of each is `most`."""
    import torch

    x = typing.cast("torch.Tensor", call.args[0]).to(torch.float64)
    largest = x.abs().amax(-1, keepdim=True)
    return x * torch.where(largest > 0, most / largest, 1.0)


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128)),
        correctness("odd", tensor(17, 67)),
        correctness("batch", tensor(3, 7, 41)),
        correctness("vector", tensor(4099)),
        correctness("one_row", tensor(1, 1021)),
        correctness("one_column", tensor(9, 1)),
        correctness("no_row", tensor(0, 7)),
        correctness("zeros", tensor(5, 33, high=0.0)),
        correctness("zero_rows", tensor(61, 3, generator="sparse")),
        correctness("positive", tensor(15, 129, generator="uniform", low=0.5, high=4.0)),
        correctness("small", tensor(15, 129, high=1e-20)),
        correctness("large", tensor(15, 129, generator="large")),
        correctness("constant_rows", tensor(15, 33, generator="constant_rows")),
        correctness("transposed", transposed(19, 37)),
        correctness("every_other", every_other(13, 31)),
        correctness("padded", padded(11, 45, 3)),
        correctness("float16", tensor(15, 257, dtype="float16")),
        *([correctness("bfloat16", tensor(15, 257, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("opt_1b3", "OPT-1.3B hidden states, 64 tokens", tensor(64, 2048)),
            performance("tinyllama_mlp", "TinyLlama 1.1B MLP, 32 tokens", tensor(32, 5632)),
        ]
    return [
        performance("opt_6b7", "OPT-6.7B hidden states, 8192 tokens", tensor(8192, 4096)),
        performance("llama3_8b_fp16", "Llama 3 8B hidden states, 16384 tokens", tensor(16384, 4096, dtype="float16")),
        performance("llama3_8b_mlp_fp16", "Llama 3 8B MLP, 8192 tokens", tensor(8192, 14336, dtype="float16")),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 30), 2 * pick(1, 300) + 1
    return [
        hidden("odd", tensor(rows, columns)),
        hidden("strided", transposed(rows, columns)),
        hidden("float16", tensor(pick(2, 5), rows, pick(2, 100), dtype="float16")),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    rows = elements(x) // x.shape[-1]
    return Cost(input_bytes(case), elements(x) * ITEM_BYTES["int8"] + rows * ITEM_BYTES["float32"], FLOPS_PER_ELEMENT * elements(x))


def op(slug: str, reference: Callable[..., typing.Any], rule: Rule, *, title: str, summary: str, description: str) -> Op:
    return Op(
        slug=slug,
        title=title,
        summary=summary,
        description=description,
        signature=f"{slug}(Tensor self) -> (Tensor values, Tensor scale)",
        reference=reference,
        cases=cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("quantisation", "row-wise", "two-outputs"),
        rules={0: rule},
        starters=starter.load(slug),
    )


OPS: tuple[Op, ...] = (
    op(
        "quantize_int8",
        quantize_int8,
        nearest_int8,
        title="Quantise to int8",
        summary="Rows as 8-bit integers and one scale each.",
        description=(
            "For each row, scale = largest magnitude / 127 in float32 (1 for a row of zeros), and values = x / scale rounded to the "
            "nearest integer, as int8. A value in the middle of two integers may become either, give or take float32's rounding; any "
            "other integer is wrong. 8-bit inference runs it on the activations before every matrix product, with one scale a token. "
            "Two passes over a row are needed, and the second should not read memory again."
        ),
    ),
    op(
        "quantize_fp8",
        quantize_fp8,
        nearest_fp8,
        title="Quantise to fp8",
        summary="Rows as 8-bit floats (e4m3) and one scale each.",
        description=(
            "For each row, scale = largest magnitude / 448 in float32 (1 for a row of zeros), and values = x / scale rounded to the "
            "nearest number of float8_e4m3fn, whose largest is 448. A value in the middle of two such numbers may become either, give "
            "or take float32's rounding; any other is wrong. fp8 inference and training run it before every matrix product, with one "
            "scale a token. Two passes over a row are needed, and the second should not read memory again; GPUs before compute "
            "capability 8.9 have no instruction for the conversion."
        ),
    ),
)
