"""Outputs that are no plain floats: complex, float8, integers, bools; ops whose outputs must be equal; the other policy."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import Policy, Verdict
from evaluator.correctness import RuleError, compare_outputs
from evaluator.correctness.ulp import distance
from evaluator.ops.definition import Call
from tests.evaluator.correctness.outputs import CASE, FLOAT_DTYPES, OP, SEEDS, SHAPES, compare, normal, small_blocks

EXACT = dataclasses.replace(OP, compare="exact")
KINDS = st.sampled_from([*FLOAT_DTYPES, torch.complex64, torch.int64, torch.int8, torch.uint8, torch.bool])


def of_kind(shape: tuple[int, ...], seed: int, dtype: torch.dtype) -> torch.Tensor:
    if dtype.is_floating_point or dtype.is_complex:
        return normal(shape, seed, dtype).to(dtype)
    low = 0 if dtype in (torch.uint8, torch.bool) else -100
    return torch.randint(low, 2 if dtype == torch.bool else 100, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def test_complex_numbers_are_compared_by_their_parts() -> None:
    right = normal((4, 50), 1, torch.complex64)
    got = right.to(torch.complex64)
    got[2, 7] += 1j

    result = compare(right, got)

    assert result.verdict is Verdict.WRONG_RESULT
    assert result.mismatch_share == 1 / 200
    (wrong,) = result.mismatches
    assert wrong.index == (2, 7)
    assert wrong.expected == f"{right[2, 7].item():.9g}"
    assert wrong.ulp is not None and wrong.ulp > 1e5
    assert compare(right.conj(), right.to(torch.complex64).conj()).passed


def test_both_parts_of_a_complex_number_count_once() -> None:
    right = normal((40,), 1, torch.complex64)
    got = right.to(torch.complex64)
    got[3:5] = 9 + 9j

    result = compare(right, got)

    assert [m.index for m in result.mismatches] == [(3,), (4,)]
    assert result.reason.startswith("output 0: 2 of 40 elements are wrong (5 %)")


def test_an_infinite_part_must_be_the_same_part() -> None:
    right = torch.tensor([complex(math.inf, 1), complex(2, 3)], dtype=torch.complex128)

    assert compare(right, right.to(torch.complex64)).passed
    assert not compare(right, torch.tensor([complex(math.inf, math.inf), complex(2, 3)], dtype=torch.complex64)).passed
    assert not compare(right, torch.tensor([complex(1, math.inf), complex(2, 3)], dtype=torch.complex64)).passed


@pytest.mark.parametrize("dtype", FLOAT_DTYPES[-2:], ids=str)
def test_float8_beyond_its_range_is_what_torch_makes_of_it(dtype: torch.dtype) -> None:
    right = torch.tensor([1.0, -2.0, 1e6, -1e6, math.nan], dtype=torch.float64)
    wrong = right.to(dtype)
    wrong[2] = 1.0

    assert compare(right, right.to(dtype)).passed
    assert [m.index for m in compare(right, wrong).mismatches] == [(2,)]


def test_float8_off_by_one_step_everywhere_fails() -> None:
    right = normal((64, 64), 1).to(torch.float8_e4m3fn).double()
    wrong = (right.to(torch.float8_e4m3fn).view(torch.int8) + 1).view(torch.float8_e4m3fn)

    result = compare(right, wrong)

    assert not result.passed
    assert all(m.ulp is not None and m.ulp <= 2 for m in result.mismatches)


@pytest.mark.parametrize("value", [2**62 + 1, -(2**63), 2**63 - 1])
def test_large_integers_are_shown_whole(value: int) -> None:
    right = torch.tensor([value, 0])

    (wrong,) = compare(right, torch.tensor([value ^ 1, 0])).mismatches

    assert (wrong.expected, wrong.got, wrong.ulp) == (str(value), str(value ^ 1), None)


def test_a_byte_that_is_no_bool_is_wrong() -> None:
    right = torch.tensor([True, False, True])
    got = torch.tensor([255, 0, 1], dtype=torch.uint8).view(torch.bool)

    (wrong,) = compare(right, got).mismatches

    assert (wrong.index, wrong.expected, wrong.got) == ((0,), "True", "the byte 255")


@given(SHAPES, SEEDS, KINDS, st.integers(1, 70), st.data())
def test_exact_wants_torchs_own_output(shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int, data: st.DataObject) -> None:
    same = of_kind((*shape, 3), seed, dtype)
    place = tuple(data.draw(st.integers(0, size - 1)) for size in same.shape)
    got = same.clone()
    got.view(torch.uint8).view(-1, dtype.itemsize)[_number(place, tuple(got.shape))][0] ^= 1
    oracle = torch.full_like(same, 1) if not dtype.is_floating_point else same.double() + 5

    with small_blocks(block):
        assert compare(oracle, same.clone(), same, EXACT).passed
        result = compare(oracle, got, same, EXACT)

    assert [m.index for m in result.mismatches] == [place]
    assert result.mismatch_share == 1 / same.numel()
    assert (result.mismatches[0].ulp == 1) == dtype.is_floating_point or dtype.is_complex


def _number(place: tuple[int, ...], shape: tuple[int, ...]) -> int:
    number = 0
    for index, size in zip(place, shape, strict=True):
        number = number * size + index
    return number


def test_exact_takes_nan_for_nan_and_zero_for_minus_zero() -> None:
    same = torch.tensor([math.nan, 0.0, math.inf])

    assert compare(same, torch.tensor([math.nan, -0.0, math.inf]), same, EXACT).passed
    assert not compare(same, torch.tensor([1.0, 0.0, math.inf]), same, EXACT).passed
    assert compare(same.to(torch.complex64), same.to(torch.complex64), same.to(torch.complex64), EXACT).passed


@given(SHAPES, SEEDS, KINDS, st.integers(1, 70), st.floats(-0.04, 0.04))
def test_backendbench_is_what_torch_isclose_says(shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int, off: float) -> None:
    same = of_kind((*shape, 3), seed, dtype)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    got = same if dtype == torch.bool else (same.to(wide) * (1 + off) + off).to(dtype)
    close = torch.isclose(got.to(wide), same.to(wide), rtol=1e-2, atol=1e-2, equal_nan=True)

    with small_blocks(block):
        result = compare(same.to(wide) + 100, got, same, policy=Policy.BACKENDBENCH)

    assert result.passed == bool(close.all())
    assert result.mismatch_share == pytest.approx(float((~close).double().mean()))
    assert [m.index for m in result.mismatches] == [tuple(place) for place in (~close).nonzero().tolist()][:16]


def test_backendbench_says_so_and_knows_no_scale() -> None:
    right = torch.full((8,), 1e-4, dtype=torch.float64)

    lenient, scaled = (compare(right, torch.zeros(8), policy=policy) for policy in (Policy.BACKENDBENCH, Policy.SCALED))

    assert lenient.passed and not scaled.passed
    assert (lenient.tolerance, lenient.rel_l2, lenient.rel_l2_torch, lenient.bias) == (0.01, 1.0, None, None)


@pytest.mark.parametrize("policy", list(Policy))
@pytest.mark.parametrize("compare_by", ["scaled", "exact"])
def test_a_rule_takes_the_place_of_every_comparison(policy: Policy, compare_by: str) -> None:
    seen: list[Call] = []

    def rule(call: Call) -> str:
        seen.append(call)
        return "" if float(call.got[1].sum()) == 4 else "the sum is not 4"

    op = dataclasses.replace(OP, compare=compare_by, rules={1: rule})  # type: ignore[arg-type]
    right, ones = torch.zeros(4, dtype=torch.float64), torch.ones(4)

    def result(second: torch.Tensor) -> object:
        return compare_outputs(
            op,
            CASE,
            expected=[right] * 2,
            torch_same_dtype=[right.float()] * 2,
            got=[right.float(), second],
            args=[1],
            kwargs={"k": 2},
            policy=policy,
        ).reason

    assert result(ones) == ""
    assert result(2 * ones) == "output 1: the sum is not 4"
    assert (list(seen[0].args), dict(seen[0].kwargs), seen[0].got[1] is ones, seen[0].expected[1] is right) == ([1], {"k": 2}, True, True)


def test_a_rule_is_not_asked_about_another_form() -> None:
    op = dataclasses.replace(OP, rules={0: lambda call: str(1 / 0)})
    right = torch.zeros(4)

    assert compare(right, torch.zeros(5), right, op).verdict is Verdict.WRONG_SHAPE
    with pytest.raises(RuleError, match=r"op softmax: rule .*<lambda> of output 0 failed: ZeroDivisionError"):
        compare(right, right, right, op)


@given(st.floats(width=16, allow_nan=False, allow_infinity=False), st.integers(-40, 40))
def test_ulp_counts_steps(value: float, steps: int) -> None:
    at = torch.tensor([value], dtype=torch.float16)
    up = at
    for _ in range(abs(steps)):
        up = torch.nextafter(up, torch.tensor([math.copysign(math.inf, steps)], dtype=torch.float16))
    if up.isfinite():
        assert distance(value, up.item(), torch.float16) == abs(steps)


@pytest.mark.parametrize(
    ("expected", "got", "dtype", "ulp"),
    [
        (1.0, 1.0 + 2**-23, torch.float32, 1),
        (1.0 + 2**-30, 1.0, torch.float32, 0),
        (-0.0, 0.0, torch.float32, 0),
        (2**-149, -(2**-149), torch.float32, 2),
        (1.0, 2.0, torch.bfloat16, 128),
        (1.0, 1.125, torch.float8_e4m3fn, 1),
        (-1.0, 1.0, torch.float64, 2 * 0x3FF0000000000000),
        (math.nan, 1.0, torch.float32, None),
        (1.0, math.inf, torch.float32, None),
        (1e39, 1.0, torch.float32, None),
        (3, 4, torch.int32, None),
        (1 + 1j, 1 + (1 + 2**-23) * 1j, torch.complex64, 1),
    ],
)
def test_ulp(expected: complex, got: complex, dtype: torch.dtype, ulp: float | None) -> None:
    assert distance(expected, got, dtype) == ulp
