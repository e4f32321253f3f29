"""Comparison with the oracle: right outputs pass, wrong ones do not, whatever their size, scale and special values."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.contract import Verdict
from evaluator.correctness import Comparison, blocks, compare_outputs
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import get
from evaluator.timing.sol import CASE_PRECISIONS

CASE = Case("made_up", "correctness", (TensorSpec((1,)),))
OP = get("softmax")
FLOATS = ("float32", *(name for name in CASE_PRECISIONS if not name.startswith("float8")))
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.lists(st.integers(1, 9), max_size=3).map(tuple)


def compare(expected: torch.Tensor, got: torch.Tensor, same: torch.Tensor | None = None, op: Op = OP) -> Comparison:
    """Compare one output; torch's own answer is the rounded oracle unless given."""
    same = expected.to(got.dtype) if same is None else same
    return compare_outputs(op, CASE, expected=[expected], torch_same_dtype=[same], got=[got])


def normal(shape: tuple[int, ...], seed: int, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scale


@settings(deadline=None)
@given(SHAPES, SEEDS, st.sampled_from(FLOATS), st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_rounded_oracle_passes(shape: tuple[int, ...], seed: int, dtype: str, scale: float) -> None:
    right = normal(shape, seed, scale)

    result = compare(right, right.to(getattr(torch, dtype)))

    assert result.passed
    assert (result.verdict, result.reason, result.mismatches, result.mismatch_share) == (None, "", (), 0)
    assert result.rel_l2 is not None and result.tolerance is not None and result.rel_l2 <= result.tolerance


@settings(deadline=None)
@given(SHAPES, SEEDS, st.sampled_from(FLOATS))
def test_zero_and_constant_outputs_fail(shape: tuple[int, ...], seed: int, dtype: str) -> None:
    right = normal((*shape, 7), seed)

    for lazy in (torch.zeros_like(right), torch.ones_like(right), right.mean().expand(right.shape)):
        assert compare(right, lazy.to(getattr(torch, dtype))).verdict is Verdict.WRONG_RESULT


@settings(deadline=None)
@given(SHAPES, SEEDS, st.data())
def test_one_wrong_element_is_found_and_named(shape: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    right = normal((*shape, 5), seed)
    place = tuple(data.draw(st.integers(0, size - 1)) for size in right.shape)
    got = right.float()
    got[place] += data.draw(st.sampled_from([1.0, -3.0, 1e6, math.nan, math.inf, -math.inf]))

    result = compare(right, got)

    assert result.verdict is Verdict.WRONG_RESULT
    assert result.mismatches[0].index == place
    assert result.mismatch_share == pytest.approx(1 / right.numel())
    assert f"first at {list(place)}" in result.reason


@settings(deadline=None)
@given(SHAPES, SEEDS, st.sampled_from([math.nan, math.inf, -math.inf]))
def test_a_missing_special_value_fails_and_the_same_one_passes(shape: tuple[int, ...], seed: int, special: float) -> None:
    right = normal((*shape, 5), seed)
    right.view(-1)[3] = special

    without = right.float()
    without.view(-1)[3] = 1.0
    other = right.float()
    other.view(-1)[3] = math.nan if math.isinf(special) else math.inf

    assert compare(right, right.float()).passed
    assert not compare(right, without).passed
    assert not compare(right, other).passed


@given(SHAPES)
def test_all_nan_never_passes(shape: tuple[int, ...]) -> None:
    right = torch.ones(shape, dtype=torch.float64)

    result = compare(right, torch.full(shape, math.nan))

    assert result.verdict is Verdict.WRONG_RESULT
    assert result.mismatch_share == 1
    assert result.mismatches[0].got == "nan"


def test_nan_from_torch_itself_does_not_widen_the_tolerance() -> None:
    right = torch.ones(4, dtype=torch.float64)

    result = compare(right, torch.full((4,), 1.1), same=torch.full((4,), math.nan))

    assert not result.passed
    assert result.tolerance == 1e-5


def test_a_bad_torch_cannot_let_zeros_pass() -> None:
    right = torch.ones(64, dtype=torch.float64)

    result = compare(right, torch.zeros(64), same=torch.zeros(64))

    assert not result.passed
    assert result.tolerance == 0.5


@pytest.mark.parametrize(("dtype", "floor"), [("float32", 1e-5), ("float16", 1e-3), ("bfloat16", 5e-3)])
def test_floors(dtype: str, floor: float) -> None:
    right = normal((32, 32), 1).to(getattr(torch, dtype)).double()

    assert compare(right, right.to(getattr(torch, dtype))).tolerance == floor
    assert compare(right, (right * (1 + 2 * floor)).to(torch.float64).to(getattr(torch, dtype))).passed is False


def test_tf32_class_has_its_own_floor() -> None:
    right = normal((32, 32), 1)
    got = (right * 1.0005).float()

    assert not compare(right, got).passed
    assert compare(right, got, op=dataclasses.replace(OP, precision="tf32")).passed


def test_tolerance_is_three_times_torchs_error() -> None:
    right = normal((64, 64), 1)
    same, three_times, four_times = ((right * (1 + error)).float() for error in (1e-3, 2.9e-3, 4e-3))

    assert compare(right, three_times, same=same).passed
    refused = compare(right, four_times, same=same)

    assert refused.verdict is Verdict.WRONG_RESULT
    assert refused.rel_l2 == pytest.approx(4e-3, rel=1e-3)
    assert refused.tolerance == pytest.approx(3e-3, rel=1e-3)
    assert "relative error 0.004 is above the tolerance 0.003" in refused.reason
    assert refused.mismatches


@settings(deadline=None)
@given(SHAPES, SEEDS, st.floats(1.01, 3.0))
def test_a_relative_error_above_the_tolerance_always_shows_elements(shape: tuple[int, ...], seed: int, factor: float) -> None:
    right = normal((*shape, 3), seed)

    result = compare(right, right.float() * (1 + factor * 1.1e-5), same=right.float())

    assert not result.passed
    assert result.mismatches


def test_an_element_far_off_in_a_small_row_fails_though_the_norm_is_fine() -> None:
    right = torch.ones(2, 1000, dtype=torch.float64)
    right[0] *= 1e6
    got = right.float()
    got[1, 0] = 1.5

    result = compare(right, got)

    assert result.rel_l2 is not None and result.rel_l2 < 1e-5
    assert result.verdict is Verdict.WRONG_RESULT
    assert [m.index for m in result.mismatches] == [(1, 0)]


def test_zero_oracle_wants_zero_or_what_torch_gives() -> None:
    right = torch.zeros(8, dtype=torch.float64)
    tiny = torch.full((8,), 1e-9)

    assert compare(right, torch.zeros(8)).passed
    assert compare(right, -torch.zeros(8)).passed
    assert not compare(right, tiny).passed
    assert compare(right, tiny, same=tiny / 2).passed
    assert not compare(right, tiny * 1000, same=tiny).passed
    assert not compare(right, torch.full((8,), math.nan), same=tiny).passed


def test_scalars() -> None:
    right = torch.tensor(2.0, dtype=torch.float64)

    assert compare(right, torch.tensor(2.0)).passed
    result = compare(right, torch.tensor(2.1))

    assert result.mismatches[0].index == ()
    assert result.reason == "output 0: the element is wrong; first the value: expected 2, got 2.0999999"


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4)])
def test_empty_outputs_pass(shape: tuple[int, ...]) -> None:
    assert compare(torch.zeros(shape, dtype=torch.float64), torch.zeros(shape)).passed


def test_overflow_of_the_dtype_counts_as_infinity() -> None:
    right = torch.tensor([1.0, 70_000.0, -70_000.0], dtype=torch.float64)

    assert compare(right, torch.tensor([1.0, math.inf, -math.inf], dtype=torch.float16)).passed
    assert not compare(right, torch.tensor([1.0, 65504.0, -65504.0], dtype=torch.float16)).passed


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.bool, torch.uint8])
def test_integers_and_bools_are_exact(dtype: torch.dtype) -> None:
    right = torch.tensor([[0, 1], [1, 0]], dtype=dtype)
    got = right.clone()
    got[1, 0] = 0

    assert compare(right, right.clone()).passed
    result = compare(right, got)

    assert result.verdict is Verdict.WRONG_RESULT
    assert result.mismatches[0].index == (1, 0)
    assert result.mismatch_share == 0.25


def test_large_integers_differ_by_one() -> None:
    right = torch.tensor([2**62], dtype=torch.int64)

    assert not compare(right, right + 1).passed


def test_the_first_sixteen_mismatches_come_in_order() -> None:
    right = normal((7, 11), 1)

    result = compare(right, torch.full((7, 11), math.nan))

    assert [m.index for m in result.mismatches] == [divmod(place, 11) for place in range(16)]


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 40), st.integers(1, 40), SEEDS, st.integers(1, 64), st.floats(0, 1e-3))
def test_block_size_does_not_change_the_result(rows: int, columns: int, seed: int, block: int, noise: float) -> None:
    right = normal((rows, columns), seed)
    got = (right + normal((rows, columns), seed + 1, noise)).float()
    whole = compare(right, got)

    before = blocks.BLOCK_ELEMENTS["cpu"]
    blocks.BLOCK_ELEMENTS["cpu"] = block
    try:
        in_blocks = compare(right, got)
    finally:
        blocks.BLOCK_ELEMENTS["cpu"] = before

    assert in_blocks.passed == whole.passed
    assert in_blocks.mismatches == whole.mismatches
    assert in_blocks.max_abs == whole.max_abs
    assert in_blocks.rel_l2 == pytest.approx(whole.rel_l2)


def test_strided_outputs_compare_by_position() -> None:
    right = normal((5, 7), 1)

    assert compare(right, right.float().t().contiguous().t()).passed


def test_the_first_wrong_output_of_several_is_told() -> None:
    right = normal((4, 4), 1)
    good, bad = right.float(), right.float() + 1

    result = compare_outputs(OP, CASE, expected=[right] * 3, torch_same_dtype=[good] * 3, got=[good, bad, bad])

    assert result.reason.startswith("output 1: 16 of 16 elements are wrong (100 %)")


def test_another_form_is_no_comparison() -> None:
    right = normal((4, 4), 1)

    assert compare(right, torch.zeros(4, 3), same=right.float()).verdict is Verdict.WRONG_SHAPE
    assert compare(right, right.half(), same=right.float()).verdict is Verdict.WRONG_DTYPE
    assert compare_outputs(OP, CASE, expected=[right], torch_same_dtype=[right.float()], got=[]).verdict is Verdict.WRONG_SHAPE
