"""Every op that the registry lists is worth judging by."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp, all_ops, get
from evaluator.ops.validate import validate

OPS = pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)


def test_the_ops_to_start_with_are_there() -> None:
    slugs = {op.slug for op in all_ops("smoke")}

    assert slugs == {
        "relu",
        "add",
        "gelu",
        "silu",
        "sum",
        "softmax",
        "layer_norm",
        "rms_norm",
        "mm",
        "cross_entropy",
        "embedding",
        "cumsum",
    }


def test_unknown_op_names_its_neighbours() -> None:
    with pytest.raises(UnknownOp) as caught:
        get("sofmax")

    assert caught.value.close[0] == "softmax"
    assert "softmax" in str(caught.value)


@OPS
def test_lazy_outputs_fail_and_torch_passes(op: Op) -> None:
    assert validate(op) == []


def test_an_op_that_zeros_pass_is_refused() -> None:
    relu = get("relu")
    dead = dataclasses.replace(relu, reference=lambda x: torch.relu(x) * 0)

    assert any("the zero output passes" in problem for problem in validate(dead))
