"""Samples become recipes that draw values of the same kind: in the same range, whole, in order, different from each other."""

from __future__ import annotations

import math

import pytest
import torch

from evaluator.ops.definition import DType, TensorSpec
from evaluator.ops.opinfo.recipes import InexpressibleError, argument_of


@pytest.mark.parametrize(
    ("tensor", "spec"),
    [
        (torch.tensor([[0.5, -2.25], [7.0, 1.5]]), TensorSpec((2, 2), "float32", "uniform", -2.25, 7.0)),
        (torch.full((3,), 2.5), TensorSpec((3,), "float32", "uniform", 2.5, 2.5)),
        (torch.tensor([4.0, -1.0, 2.0, 4.0]), TensorSpec((4,), "float32", "integers", -1, 5)),
        (torch.tensor([0.1, 0.5, 2.0, 2.5]), TensorSpec((4,), "float32", "ascending", 0, 3)),
        (torch.tensor([1.0, math.inf]), TensorSpec((2,), "float32", "special")),
        (torch.tensor([1.0, math.nan, math.inf]), TensorSpec((3,), "float32", "special_nan")),
        (torch.tensor([3, 3, -1]), TensorSpec((3,), "int64", "integers", -1, 4)),
        (torch.tensor([2, 0, 1]), TensorSpec((3,), "int64", "permutation", 0, 3)),
        (torch.tensor([0, 2, 2, 5]), TensorSpec((4,), "int64", "ascending", 0, 5)),
        (torch.tensor([True, False]), TensorSpec((2,), "bool")),
        (torch.tensor([1 + 2j, -3j]), TensorSpec((2,), "complex64", "uniform", -3, 2)),
        (torch.tensor(7), TensorSpec((), "int64", "integers", 7, 8)),
        (torch.empty(0, 3), TensorSpec((0, 3), "float32")),
        (torch.tensor([[0.5, 1.5], [2.5, 3.5]]).t(), TensorSpec((2, 2), "float32", "uniform", 0.5, 3.5, (1, 2))),
        (torch.tensor([[0.5], [1.5]]).expand(2, 3), TensorSpec((2, 3), "float32", "uniform", 0.5, 1.5, (1, 0))),
    ],
)
def test_a_tensor_becomes_a_recipe_of_its_kind(tensor: torch.Tensor, spec: TensorSpec) -> None:
    assert argument_of(tensor) == spec


def test_other_arguments_stay_what_they_are() -> None:
    assert argument_of([1, (2.5, None), torch.float16, torch.Size([3, 4]), True, "mean"]) == (
        1,
        (2.5, None),
        DType("float16"),
        (3, 4),
        True,
        "mean",
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (slice(1), "an argument of type slice"),
        (torch.device("cpu"), "an argument of type device"),
        (1j, "an argument of type complex"),
        (torch.eye(2).to_sparse(), "a tensor of layout torch.sparse_coo"),
        (torch.tensor([1j]).conj(), "a tensor that is conjugated or negated when it is read"),
        (torch.zeros(3, dtype=torch.complex128), "a tensor of complex128"),
        (torch.zeros(20_001), "a tensor of more than 20000 elements"),
        (torch.zeros(50_000)[::50_000], None),
        (torch.zeros(1_000_000)[:: 1_000_000 - 1], "a tensor of more than 20000 elements"),
        (torch.tensor([0, 2**40]), r"integers beyond 2\*\*53, or further apart than 2\*\*31"),
        (torch.tensor([2**60, 2**60 + 1]), r"integers beyond 2\*\*53, or further apart than 2\*\*31"),
    ],
)
def test_what_a_recipe_cannot_say_is_named(value: object, said: str | None) -> None:
    if said is None:
        assert isinstance(argument_of(value), TensorSpec)
        return
    with pytest.raises(InexpressibleError, match=f"^{said}$"):
        argument_of([value])
