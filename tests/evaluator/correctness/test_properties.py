"""What must hold for every output, whatever its shape, dtype, strides and scale."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.contract import Policy
from evaluator.correctness.blocks import BLOCK_ELEMENTS, blocks, row_length
from tests.evaluator.correctness.outputs import COMPLEX_DTYPES, FLOAT_DTYPES, OP, SEEDS, SHAPES, compare, normal, small_blocks

DTYPES = st.sampled_from([*FLOAT_DTYPES, *COMPLEX_DTYPES])
WIDE = st.sampled_from([torch.float32, torch.float64, torch.complex64])
BLOCKS = st.integers(1, 70)


@given(SHAPES, SEEDS, DTYPES, BLOCKS)
def test_the_rounded_oracle_passes(shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int) -> None:
    right = normal(shape, seed, dtype)

    with small_blocks(block):
        result = compare(right, right.to(dtype))

    assert result.passed, result.reason
    assert result.mismatch_share == 0


@settings(max_examples=50)
@given(SHAPES, SEEDS, WIDE, BLOCKS, st.sampled_from([1.0, -1.0]), st.data())
def test_one_element_moved_by_more_than_its_bound_fails(
    shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int, sign: float, data: st.DataObject
) -> None:
    """The bound of an element is at most 16 t (|y| + rms_row) + eps rms; the norm of a single error is bounded by less."""
    right = normal((*shape, 4), seed, dtype)
    place = tuple(data.draw(st.integers(0, size - 1)) for size in right.shape)
    got = right.to(dtype, copy=True)
    t = 1e-12 if dtype == torch.float64 else 1e-5
    row = torch.view_as_real(right[place[:-1]]) if dtype.is_complex else right[place[:-1]]
    bound = 16 * t * (float(right[place].abs()) + float(row.square().mean().sqrt())) + torch.finfo(dtype).eps * float(
        right.abs().square().mean().sqrt()
    )
    got[place] += sign * 1.01 * bound + (sign * 4 * float(got[place].abs()) * torch.finfo(dtype).eps)

    with small_blocks(block):
        result = compare(right, got)

    assert not result.passed
    assert place in [m.index for m in result.mismatches]


@given(SHAPES, SEEDS, DTYPES, st.data())
def test_permuting_rows_changes_nothing_but_places(shape: tuple[int, ...], seed: int, dtype: torch.dtype, data: st.DataObject) -> None:
    right = normal((5, *shape, 3), seed, dtype)
    got = (right * (1 + 0.01 * normal(right.shape, seed + 1))).to(dtype)
    order = torch.tensor(data.draw(st.permutations(range(5))))
    policy = data.draw(st.sampled_from(list(Policy)))

    result, other = compare(right, got, policy=policy), compare(right[order], got.view(torch.uint8)[order].view(dtype), policy=policy)

    assert (other.passed, other.mismatch_share, other.max_abs, other.max_rel) == (
        result.passed,
        result.mismatch_share,
        result.max_abs,
        result.max_rel,
    )
    assert other.rel_l2 == pytest.approx(result.rel_l2, rel=1e-9)
    assert other.bias == (None if result.bias is None else pytest.approx(result.bias, rel=1e-6, abs=1e-9))


@given(SHAPES, SEEDS, st.sampled_from([torch.float64, torch.float32, torch.bfloat16, torch.complex64]), st.integers(-60, 60))
def test_relative_figures_do_not_depend_on_the_scale(shape: tuple[int, ...], seed: int, dtype: torch.dtype, power: int) -> None:
    right = normal((*shape, 3), seed, dtype)
    got = (right * (1 + 0.003 * normal(right.shape, seed + 1))).to(dtype)
    scale = 2.0**power

    result, scaled = compare(right, got), compare(right * scale, got * scale)

    assert (scaled.rel_l2, scaled.rel_l2_torch, scaled.tolerance) == (result.rel_l2, result.rel_l2_torch, result.tolerance)
    assert (scaled.bias, scaled.mismatch_share, scaled.max_rel) == (result.bias, result.mismatch_share, result.max_rel)
    assert [m.index for m in scaled.mismatches] == [m.index for m in result.mismatches]
    assert [m.ulp for m in scaled.mismatches] == [m.ulp for m in result.mismatches]


@settings(max_examples=50)
@given(SHAPES, SEEDS, DTYPES, BLOCKS, st.permutations(range(3)), st.sampled_from(list(Policy)))
def test_strides_and_blocks_do_not_matter(
    shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int, order: list[int], policy: Policy
) -> None:
    right = normal((4, *(*shape, 3, 2)[:2]), seed, dtype)
    got = (right * (1 + 0.01 * normal(right.shape, seed + 1))).to(dtype)
    back = [order.index(dim) for dim in range(3)]

    def elsewhere(tensor: torch.Tensor) -> torch.Tensor:
        """The same elements with other strides."""
        return tensor.permute(order).contiguous().permute(back)

    whole = compare(right, got, policy=policy)
    with small_blocks(block):
        other = compare(elsewhere(right), elsewhere(got), elsewhere(right.to(dtype)), policy=policy)

    assert (other.passed, other.mismatches, other.mismatch_share) == (whole.passed, whole.mismatches, whole.mismatch_share)
    assert (other.max_abs, other.max_rel) == (whole.max_abs, whole.max_rel)
    assert other.rel_l2 == pytest.approx(whole.rel_l2)


@settings(max_examples=50)
@given(SHAPES, SEEDS, DTYPES, BLOCKS, st.sampled_from([math.nan, math.inf, -math.inf]), st.sampled_from([*Policy, "exact"]))
def test_special_values_must_stand_where_they_stand(
    shape: tuple[int, ...], seed: int, dtype: torch.dtype, block: int, special: float, policy: Policy | str
) -> None:
    right = normal((*shape, 5), seed, dtype)
    if dtype == torch.float8_e4m3fn:  # has no infinities
        special = math.nan
    right.view(-1)[2] = special
    same = right.to(dtype)
    missing = same.clone()
    missing.view(-1)[2] = 1.0
    elsewhere = same.clone()
    elsewhere.view(-1)[1] = special

    op = dataclasses.replace(OP, compare="exact") if policy == "exact" else OP
    with small_blocks(block):
        results = [
            compare(right, got, same, op, Policy.SCALED if policy == "exact" else Policy(policy)) for got in (same, missing, elsewhere)
        ]

    assert [result.passed for result in results] == [True, False, False]
    assert [result.mismatches[0].index[-1] for result in results[1:]] == [2, 1]
    assert all(result.mismatches[0].ulp is None for result in results[1:])


@pytest.mark.parametrize("dtype", FLOAT_DTYPES[:4], ids=str)
def test_subnormal_outputs(dtype: torch.dtype) -> None:
    least = torch.finfo(dtype).smallest_normal
    right = torch.linspace(-1, 1, 64, dtype=torch.float64) * least
    if dtype == torch.float64:
        right = right * 2.0**600  # squares of smaller numbers are 0 in float64

    assert compare(right, right.to(dtype)).passed
    assert not compare(right, torch.zeros(64, dtype=dtype)).passed


@pytest.mark.parametrize("dtype", [*FLOAT_DTYPES, *COMPLEX_DTYPES, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4), (2, 0, 5)])
@pytest.mark.parametrize("policy", list(Policy))
def test_empty_outputs_pass(shape: tuple[int, ...], dtype: torch.dtype, policy: Policy) -> None:
    assert compare(torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype), policy=policy).passed


@settings(max_examples=200)
@given(st.lists(st.integers(1, 6), max_size=4).map(tuple), st.integers(1, 50))
def test_blocks_cover_every_element_once_in_order(shape: tuple[int, ...], most: int) -> None:
    numbers = torch.arange(math.prod(shape)).reshape(shape)

    with small_blocks(most):
        found = blocks(numbers)

    assert torch.cat([block.of(numbers).reshape(-1) for block in found]).tolist() == list(range(numbers.numel()))
    columns = row_length(shape)
    for block in found:
        first = int(block.of(numbers)[0, 0])
        assert (block.start, block.row) == (first, first // columns)
        assert block.rows * block.width <= most
        assert block.width == columns if block.whole else block.rows == 1
    assert BLOCK_ELEMENTS["cpu"] > 50
