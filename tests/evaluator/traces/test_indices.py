"""What integers mean: drawn indices are valid, and what cannot be known is refused."""

from __future__ import annotations

import pytest
import torch

from evaluator.ops.definition import Argument, Case, TensorSpec, tensors_of
from evaluator.ops.recorded.targets import aten_overload
from evaluator.ops.traces.drawing import TRIED, drawn
from evaluator.ops.traces.indices import UnknowableError
from evaluator.ops.validate import materialise


def f(*shape: int) -> TensorSpec:
    return TensorSpec(shape)


def i(*shape: int) -> TensorSpec:
    return TensorSpec(shape, "int64")


def drawn_call(target: str, *args: Argument, **kwargs: Argument) -> tuple[tuple[Argument, ...], Case]:
    with_values, named = drawn(args, kwargs, aten_overload(target), TRIED[0])
    return with_values, Case("drawn", "correctness", with_values, named)


@pytest.mark.parametrize(
    ("target", "args", "bounds"),
    [
        ("aten.embedding.default", (f(10, 4), i(5, 5)), [("integers", 0, 10)]),
        ("aten.embedding_dense_backward.default", (f(6, 4), i(6), 9, -1, False), [("integers", 0, 9)]),
        ("aten.index_select.default", (f(3, 7), -1, i(4)), [("integers", 0, 7)]),
        ("aten.gather.default", (f(3, 7), 1, i(3, 5)), [("integers", 0, 7)]),
        ("aten.scatter_add.default", (f(3, 7), 1, i(3, 5), f(3, 5)), [("integers", 0, 7)]),
        ("aten.scatter.value", (f(3, 7), 1, i(3, 5), 2.0), [("integers", 0, 7)]),
        ("aten.scatter.src", (f(9), 0, i(5), f(5)), [("permutation", 0, 9)]),
        ("aten.index_copy.default", (f(9, 2), 0, i(5), f(5, 2)), [("permutation", 0, 9)]),
        ("aten.index.Tensor", (f(9, 6), (i(5), i(5))), [("integers", 0, 9), ("integers", 0, 6)]),
        ("aten.index.Tensor", (f(9, 6), (None, i(5))), [("integers", 0, 6)]),
        ("aten.index_put.default", (f(9, 6), (i(5),), f(5, 6)), [("permutation", 0, 9)]),
        ("aten.index_put_.default", (f(9, 6), (i(50),), f(50, 6), True), [("integers", 0, 9)]),
        ("aten.nll_loss_forward.default", (f(6, 4), i(6), None, 1, -100), [("integers", 0, 4)]),
        ("aten.cross_entropy_loss.default", (f(6, 4), i(6)), [("integers", 0, 4)]),
        ("aten.take.default", (f(6, 4), i(6)), [("integers", 0, 24)]),
        ("aten.add.Tensor", (i(6, 4), i(4)), [("integers", -9, 10), ("integers", -9, 10)]),
        ("aten.bitwise_left_shift.Tensor", (i(6), i(6)), [("integers", -9, 10), ("integers", 0, 8)]),
    ],
)
def test_an_index_stays_within_what_it_indexes(target: str, args: tuple[Argument, ...], bounds: list[tuple[str, int, int]]) -> None:
    with_values, case = drawn_call(target, *args)

    integers = [spec for argument in with_values for spec in tensors_of(argument) if spec.dtype == "int64"]
    assert [(spec.generator, spec.low, spec.high) for spec in integers] == bounds
    positional, named = materialise(case, 1)
    aten_overload(target)(*positional, **named)


@pytest.mark.parametrize(
    ("target", "args", "reason"),
    [
        ("aten.scatter.src", (f(3, 7), 1, i(3, 5), f(3, 5)), "which of two writes to one place wins"),
        ("aten.index_put.default", (f(9, 6), (i(5), i(5)), f(5)), "indices may name one place twice"),
        ("aten.index_put.default", (f(9, 6), (i(50),), f(50, 6)), "50 different indices below 9 cannot be"),
        ("aten.index_select.default", (f(0, 7), 0, i(4)), "an index into nothing"),
        ("aten.searchsorted.Tensor", (f(9), f(4)), "'sorted_sequence' of aten.searchsorted must be sorted"),
        ("aten.max_unpool2d.default", (f(1, 1, 4, 4), i(1, 1, 4, 4), (8, 8)), "which values 'indices' may hold is not known"),
        ("aten.gather.default", (3, 1, i(3)), "the arguments do not look like those of aten.gather"),
        ("aten.relu.default", (f(3), 1, 2), "3 arguments for 1 parameters"),
    ],
)
def test_what_cannot_be_known_is_refused(target: str, args: tuple[Argument, ...], reason: str) -> None:
    with pytest.raises(UnknowableError, match=reason):
        drawn_call(target, *args)


def test_bool_masks_and_empty_places_are_left_alone() -> None:
    mask = TensorSpec((3,), "bool")

    assert drawn_call("aten.where.self", mask, f(3), f(3))[0][0] == mask
    assert torch.ops.aten.where.self  # the operator that the case is about exists
