"""Form of outputs: shape before dtype before device before strides, each with its sentence."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.contract import Verdict
from evaluator.correctness import OutputMeta, check_metadata, expected_meta, output_meta, same_dtype
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import all_ops, get
from evaluator.ops.validate import materialise

OP = get("softmax")
CASE = Case("made_up", "correctness", (TensorSpec((4, 8)), -1))
RIGHT = OutputMeta((4, 8), "float32", (8, 1), "cuda:0")


def check(got: OutputMeta, op: Op = OP) -> tuple[Verdict, str] | None:
    return check_metadata(op, CASE, [RIGHT], [got])


def test_the_right_form_passes() -> None:
    assert check(RIGHT) is None


@pytest.mark.parametrize(
    ("change", "verdict", "sentence"),
    [
        ({"shape": (4, 7)}, Verdict.WRONG_SHAPE, "output 0 has shape [4, 7], expected [4, 8]"),
        ({"shape": ()}, Verdict.WRONG_SHAPE, "output 0 has shape [], expected [4, 8]"),
        ({"dtype": "float64"}, Verdict.WRONG_DTYPE, "output 0 has dtype float64, expected float32"),
        ({"device": "cpu"}, Verdict.WRONG_DEVICE, "output 0 is on cpu, expected cuda:0"),
        ({"strides": (1, 4)}, Verdict.WRONG_STRIDES, "output 0 has strides [1, 4], expected [8, 1]"),
        ({"strides": (0, 1)}, Verdict.WRONG_STRIDES, "output 0 has strides [0, 1], expected [8, 1]"),
        ({"shape": (4, 7), "dtype": "int64", "device": "cpu"}, Verdict.WRONG_SHAPE, "output 0 has shape [4, 7], expected [4, 8]"),
        ({"dtype": "int64", "device": "cpu", "strides": (1, 4)}, Verdict.WRONG_DTYPE, "output 0 has dtype int64, expected float32"),
    ],
)
def test_each_wrong_form_has_its_verdict(change: dict[str, object], verdict: Verdict, sentence: str) -> None:
    assert check(dataclasses.replace(RIGHT, **change)) == (verdict, sentence)  # type: ignore[arg-type]


def test_number_of_outputs() -> None:
    assert check_metadata(OP, CASE, [RIGHT], [RIGHT, RIGHT]) == (Verdict.WRONG_SHAPE, "2 outputs were returned, expected 1")


def test_strides_of_single_elements_say_nothing() -> None:
    right = OutputMeta((1, 8, 1), "float32", (8, 1, 1), "cpu")
    odd = dataclasses.replace(right, strides=(77, 1, 5))

    assert check_metadata(OP, CASE, [right], [odd]) is None


def test_any_strides_where_the_op_allows_them() -> None:
    transposed = dataclasses.replace(RIGHT, strides=(1, 4))

    assert check(transposed, dataclasses.replace(OP, strides_policy="any")) is None


def test_strides_as_the_reference_gives_them() -> None:
    op = dataclasses.replace(OP, strides_policy="as_reference")
    right = dataclasses.replace(RIGHT, strides=(1, 4))

    assert check_metadata(op, CASE, [right], [right]) is None
    assert check_metadata(op, CASE, [right], [RIGHT]) == (Verdict.WRONG_STRIDES, "output 0 has strides [8, 1], expected [1, 4]")


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_the_form_is_known_without_data(op: Op) -> None:
    """Strides can depend on the device; they count only where the op asks for the reference's."""
    for case in op.correctness_cases("h100"):
        args, kwargs = materialise(case, 1)
        metas = expected_meta(op, case, "cpu")

        returned = same_dtype(op, args, kwargs)[: len(metas)]

        assert [(meta.shape, meta.dtype) for meta in metas] == [(tuple(out.shape), str(out.dtype)[6:]) for out in returned]
        if op.strides_policy == "as_reference":
            assert check_metadata(op, case, metas, [output_meta(out) for out in returned]) is None


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_torch_itself_keeps_the_strides_policy_where_it_is_timed(op: Op) -> None:
    for case in op.performance_cases("h100"):
        metas = expected_meta(op, case, "cuda:0")

        assert check_metadata(op, case, metas, metas) is None


def test_metadata_of_a_tensor() -> None:
    assert output_meta(torch.empty(2, 3, dtype=torch.bfloat16).t()) == OutputMeta((3, 2), "bfloat16", (1, 3), "cpu")
