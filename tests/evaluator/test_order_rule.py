"""Sorted values come with indices that name them: of equal values in any order, nothing else."""

from __future__ import annotations

import pytest
import torch

from evaluator.correctness import Comparison, compare_outputs, oracle, same_dtype
from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.definition import Op
from evaluator.ops.registry import get

SCORES = torch.tensor([[3.0, 1.0, 3.0, -2.0, 1.0], [0.5, -0.5, 7.0, 7.0, 7.0]])


def judged(op: Op, got: tuple[torch.Tensor, torch.Tensor], x: torch.Tensor, *args: int, **kwargs: int) -> Comparison:
    case = correctness("given", tensor(*x.shape), *args, **kwargs)
    given = [x, *args]
    right, same = oracle(op, given, kwargs), same_dtype(op, given, kwargs)
    return compare_outputs(op, case, expected=right, torch_same_dtype=same, got=got, args=given, kwargs=kwargs)


def sorted_scores() -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = torch.sort(SCORES, dim=-1, stable=True)
    return values, indices


@pytest.mark.parametrize("slug", ["sort", "topk"])
def test_equal_values_in_any_order(slug: str) -> None:
    values = torch.tensor([[3.0, 3.0, 1.0, 1.0, -2.0], [7.0, 7.0, 7.0, 0.5, -0.5]])
    args, kwargs = ((-1,), {"descending": True}) if slug == "sort" else ((5, -1), {"largest": True})

    for indices in ([[0, 2, 1, 4, 3], [2, 3, 4, 0, 1]], [[2, 0, 4, 1, 3], [4, 2, 3, 0, 1]]):
        assert judged(get(slug), (values, torch.tensor(indices)), SCORES, *args, **kwargs).passed


def test_topk_takes_any_of_equal_values_at_the_edge() -> None:
    values = torch.tensor([[3.0, 3.0, 1.0], [7.0, 7.0, 7.0]])

    for last in (1, 4):
        assert judged(get("topk"), (values, torch.tensor([[2, 0, last], [3, 4, 2]])), SCORES, 3).passed
    assert "name another value" in judged(get("topk"), (values, torch.tensor([[2, 0, 3], [3, 4, 2]])), SCORES, 3).reason


@pytest.mark.parametrize(
    ("row", "place", "index", "reason"),
    [
        (0, 1, 2, "name another value; first at [0, 1]: expected 1, index 2 names 3"),
        (0, 1, 4, "name an element that another one names, too"),
        (1, 4, 3, "name an element that another one names, too"),
        (0, 0, 5, "are not in [0, 5)"),
        (0, 0, -1, "are not in [0, 5)"),
        (0, 0, -2, "are not in [0, 5)"),
    ],
)
def test_one_wrong_index(row: int, place: int, index: int, reason: str) -> None:
    values, indices = sorted_scores()
    if "another value" in reason:
        indices[row, indices[row].tolist().index(index)] = indices[row, place]
    indices[row, place] = index

    found = judged(get("sort"), (values, indices), SCORES, -1)

    assert not found.passed
    assert reason in found.reason


def test_swapped_indices_of_different_values() -> None:
    values, indices = sorted_scores()

    assert not judged(get("sort"), (values, indices.flip(-1)), SCORES, -1).passed
    assert not judged(get("sort"), (values, indices.flip(0)), SCORES, -1).passed


def test_right_indices_do_not_excuse_a_wrong_value() -> None:
    values, indices = sorted_scores()
    values[1, 4] = 7.000001

    found = judged(get("sort"), (values, indices), SCORES, -1)

    assert found.reason.startswith("output 0: ")


def test_values_in_the_other_order_are_wrong_whatever_the_indices_say() -> None:
    values, indices = sorted_scores()

    assert not judged(get("sort"), (values.flip(-1), indices.flip(-1)), SCORES, -1).passed


def test_the_dimension_and_its_default_count() -> None:
    op, x = get("sort"), torch.randn(4, 5, 6)
    for args in ((), (-1,), (1,), (0,), (-2,)):
        values, indices = torch.sort(x, *args)
        assert judged(op, (values, indices), x, *args).passed

    values, indices = torch.sort(x, 1)
    assert not judged(op, (values, torch.sort(x, 0).indices[:, :4].new_zeros(4, 5, 6)), x, 1).passed
    assert judged(op, (values, indices), x, dim=1).passed


def test_indices_may_name_any_nan() -> None:
    x = torch.tensor([torch.nan, 1.0, torch.nan])
    values = torch.tensor([1.0, torch.nan, torch.nan])

    for indices in ([1, 0, 2], [1, 2, 0]):
        assert judged(get("sort"), (values, torch.tensor(indices)), x).passed
    assert not judged(get("sort"), (values, torch.tensor([0, 1, 2])), x).passed
