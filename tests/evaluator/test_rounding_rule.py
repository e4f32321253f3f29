"""Quantised numbers are the nearest ones: either of two neighbours in the middle between them, else the one."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.correctness import Comparison, compare_outputs, oracle, same_dtype
from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.definition import Op
from evaluator.ops.registry import get
from evaluator.ops.rules.rounding import not_nearest

FP8 = torch.float8_e4m3fn
X = torch.tensor([[127.0, 0.5, -1.5, 2.25, -126.6, 0.0], [-254.0, 3.0, 1.0, 0.9, 100.0, 7.0]])
"""Rows whose scales are 1 and 2: some values lie in the middle of two integers."""


def judged(op: Op, x: torch.Tensor, values: torch.Tensor, scale: torch.Tensor) -> Comparison:
    case = correctness("given", tensor(*x.shape))
    right, same = oracle(op, [x], {}), same_dtype(op, [x], {})
    return compare_outputs(op, case, expected=right, torch_same_dtype=same, got=[values, scale], args=[x], kwargs={})


def quantised(op: Op, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return same_dtype(op, [x], {})


def int8(rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.int8)


SCALE = torch.tensor([[1.0], [2.0]])


@pytest.mark.parametrize("first", [[127, 0, -2, 2, -127, 0], [127, 1, -1, 2, -127, 0], [127, 1, -2, 2, -127, 0]])
@pytest.mark.parametrize("second", [[-127, 2, 0, 0, 50, 4], [-127, 1, 1, 0, 50, 3]])
def test_halves_may_go_either_way(first: list[int], second: list[int]) -> None:
    assert judged(get("quantize_int8"), X, int8([first, second]), SCALE).passed


@pytest.mark.parametrize(
    ("column", "value"),
    [(0, 126), (0, -128), (0, -127), (1, -1), (1, 2), (2, -3), (2, 0), (3, 3), (3, 1), (3, -2), (4, -126), (5, 1), (5, -1)],
)
def test_any_other_integer_is_wrong(column: int, value: int) -> None:
    values = int8([[127, 0, -2, 2, -127, 0], [-127, 2, 0, 0, 50, 4]])
    values[0, column] = value

    found = judged(get("quantize_int8"), X, values, SCALE)

    assert found.reason.startswith(f"output 0: 1 of 12 numbers are not the nearest; first at [0, {column}]: ")


@pytest.mark.parametrize("slug", ["quantize_int8", "quantize_fp8"])
@pytest.mark.parametrize("factor", [0.99, 1.01, -1.0, 0.0, float("nan")])
def test_a_wrong_scale(slug: str, factor: float) -> None:
    op = get(slug)
    values, scale = quantised(op, X)

    assert judged(op, X, values, scale).passed
    assert judged(op, X, values, scale * (1 + 1e-7)).passed
    assert judged(op, X, values, scale * factor).reason.startswith("output 1: ")


@pytest.mark.parametrize("slug", ["quantize_int8", "quantize_fp8"])
def test_a_row_of_zeros_has_scale_one(slug: str) -> None:
    op, x = get(slug), torch.zeros(1, 5)
    values, scale = quantised(op, x)

    assert judged(op, x, values, scale).passed
    assert scale.tolist() == [[1.0]]
    assert not judged(op, x, values, torch.zeros(1, 1)).passed
    assert not judged(op, x, torch.ones(1, 5).to(values.dtype), scale).passed


@given(st.floats(-448, 448))
def test_of_all_fp8_numbers_only_the_nearest_pass(number: float) -> None:
    every = torch.arange(256, dtype=torch.uint8).view(FP8).double()
    held = every[every.isfinite()]
    away = (held - number).abs()
    near = away <= away.min() + 2.0**-19 * abs(number)

    exact = torch.full_like(held, number)
    found = not_nearest(exact, held.to(FP8))

    assert found.startswith(f"{int((~near).sum())} of 254 numbers are not the nearest; first at ")
    assert not_nearest(exact[near], held[near].to(FP8)) == ""


def test_fp8_neighbours_are_wrong_and_nan_is_wrong() -> None:
    op = get("quantize_fp8")
    x = torch.randn(3, 40)
    values, scale = quantised(op, x)
    codes = values.view(torch.uint8)

    for step in (1, -1, 128):
        other = codes.clone()
        other[1, 7] += step
        assert not judged(op, x, other.view(FP8), scale).passed
    other = codes.clone()
    other[2, 0] = 0x7F
    assert not judged(op, x, other.view(FP8), scale).passed


def test_truncating_kernels_fail() -> None:
    x = torch.randn(5, 64)
    for slug in ("quantize_int8", "quantize_fp8"):
        op = get(slug)
        values, scale = quantised(op, x)
        truncated = (x / scale).trunc().to(values.dtype) if slug == "quantize_int8" else toward_zero(x / scale)
        assert not judged(op, x, truncated, scale).passed


def toward_zero(x: torch.Tensor) -> torch.Tensor:
    """Cut to three bits after the point."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 16).trunc() / 16, exponent).to(FP8)


def test_arithmetic_in_half_precision_fails() -> None:
    x = torch.randn(5, 257, dtype=torch.float16)
    op = get("quantize_int8")
    _, scale = quantised(op, x)

    assert not judged(op, x, (x / scale.half()).round().to(torch.int8), scale).passed
    assert judged(op, x, (x.float() * (127 / x.abs().amax(-1, keepdim=True).float())).round().to(torch.int8), scale).passed
