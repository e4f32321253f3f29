"""Flags for outputs that pass: rounding towards zero and half-spent tolerances are seen, honest rounding is not."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import Flag
from evaluator.correctness import Comparison, Doubts
from evaluator.correctness.doubts import LARGE, counts
from evaluator.correctness.result import OutputComparison
from tests.evaluator.correctness.outputs import SEEDS, compare, normal

BITS = {torch.bfloat16: 16, torch.float16: 13}
BOTH = [Flag.SPENDS_TOLERANCE, Flag.BIASED]


def truncated(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Rounded towards zero: the bits that do not fit are dropped."""
    bits = values.float().view(torch.int32) & -(1 << BITS[dtype])
    return bits.view(torch.float32).to(dtype)


def flags(*found: Comparison) -> list[Flag]:
    doubts = Doubts()
    for each in found:
        assert each.passed, each.reason
        doubts.add(each.outputs)
    return doubts.flags()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2], ids=str)
@pytest.mark.parametrize("shape", [(64, 64), (300, 1000)])
def test_rounding_to_nearest_is_never_flagged(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    outputs = [normal(shape, seed) for seed in range(8)]

    assert flags(*(compare(right, right.to(dtype)) for right in outputs)) == []
    assert flags(*(compare(right, (right * (1 + 1e-7 * normal(shape, 99))).to(dtype), right.to(dtype)) for right in outputs)) == []


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(torch.bfloat16, BOTH), (torch.float16, [Flag.BIASED])],
    ids=["bfloat16", "float16, whose floor is above twice its rounding"],
)
def test_rounding_towards_zero_is_flagged(dtype: torch.dtype, expected: list[Flag]) -> None:
    found = [compare(right, truncated(right, dtype)) for right in (normal((128, 128), seed) for seed in range(3))]

    assert flags(*found) == expected
    assert all(0.6 < each.bias < 0.9 for each in found if each.bias is not None)  # sqrt(3) / 2 for numbers of one exponent


def test_two_roundings_are_not_flagged() -> None:
    right = normal((256, 256), 1)

    assert flags(*(compare(right * 1.1, (right.bfloat16() * 1.1).bfloat16()) for _ in range(2))) == []


def test_a_scaled_error_spends_the_tolerance_and_is_biased() -> None:
    right = normal((64, 128), 1)

    assert flags(*[compare(right, (right * (1 + 8e-6)).float())] * 2) == BOTH
    assert flags(*[compare(right, (right * (1 + 1e-6 * normal(right.shape, 2))).float())] * 2) == []
    assert flags(*[compare(right, (right * (1 + 8e-6 * normal(right.shape, 2))).float())] * 2) == [Flag.SPENDS_TOLERANCE]


def test_a_bias_that_torch_has_too_is_not_flagged() -> None:
    right = normal((64, 128), 1)
    shifted = (right * (1 + 3e-6)).float()

    assert flags(*[compare(right, shifted, same=shifted)] * 2) == []
    assert flags(*[compare(right, shifted)] * 2) == [Flag.BIASED]


def test_most_of_the_large_outputs_must_show_it() -> None:
    good, bad = normal((128, 128), 1), normal((128, 128), 2)
    small = normal((4, 4), 3)
    fine, odd, little = (
        compare(good, good.bfloat16()),
        compare(bad, truncated(bad, torch.bfloat16)),
        compare(small, truncated(small, torch.bfloat16)),
    )

    assert flags(odd) == []
    assert flags(odd, odd, fine) == BOTH
    assert flags(odd, odd, fine, fine) == []
    assert flags(odd, odd, *[compare(good, good.float())] * 9) == BOTH  # of another dtype
    assert flags(little, little, little) == []


def test_integers_say_nothing() -> None:
    doubts = Doubts()
    doubts.add([OutputComparison("", LARGE)] * 9)

    assert doubts.flags() == []
    assert not counts(OutputComparison("", LARGE))


@given(SEEDS, st.sampled_from([torch.float32, torch.bfloat16, torch.complex64]), st.floats(-1, 1), st.floats(0, 1))
def test_bias_is_the_mean_error_over_the_rms_error(seed: int, dtype: torch.dtype, shift: float, noise: float) -> None:
    right = normal((7, 13), seed, dtype)
    got = (right + 1e-3 * (shift + noise * normal(right.shape, seed + 1))).to(dtype)
    y, c = (torch.view_as_real(t).double() if t.is_complex() else t.double() for t in (right, got))
    error, size = c - y, c.abs() - y.abs()

    bias = compare(right, got).bias

    norm = float(error.square().mean().sqrt())
    wanted = max(abs(float(error.mean())), abs(float(size.mean()))) / norm if norm else 0.0
    assert bias is not None
    assert bias == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert 0 <= bias <= 1


@pytest.mark.parametrize("make", [torch.zeros, torch.ones])
def test_no_error_is_no_bias(make: Callable[..., torch.Tensor]) -> None:
    assert compare(make(5, dtype=torch.float64), make(5)).bias == 0


def test_special_values_do_not_count_in_the_bias() -> None:
    right = normal((5000,), 1)
    got = (right + 1e-6).float()
    for place, value in enumerate((math.nan, math.inf, -math.inf)):
        right[place] = got[place] = value

    bias = compare(right, got).bias

    assert bias is not None and bias > 0.9
