"""Optimizer steps: the maths is that of torch's fused steps, and no case lets a kernel leave a tensor as it was."""

from __future__ import annotations

import typing
from dataclasses import replace

import pytest
import torch

from evaluator.candidate.outputs import leaves
from evaluator.correctness import compare_outputs, oracle, same_dtype
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.families.optimizers import OPS
from evaluator.ops.registry import get
from evaluator.ops.validate import materialise

EVERY_OP = pytest.mark.parametrize("op", OPS, ids=lambda op: op.slug)


def values(*shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64)


@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_does_the_step_of_torch(nesterov: bool) -> None:
    torch.manual_seed(1)
    ours = [values(5, 7), values(5, 7), values(5, 7)]
    theirs = [tensor.clone() for tensor in ours]
    arguments = {"lr": 0.1, "momentum": 0.9, "dampening": 0.25, "weight_decay": 0.2, "nesterov": nesterov}

    get("sgd_momentum_step").reference(*ours, **arguments)
    torch._fused_sgd_(*([t] for t in theirs), **arguments, maximize=False, is_first_step=False)  # type: ignore[call-overload]

    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("step", [1, 2, 1000])
def test_adamw_does_the_step_of_torch(step: int) -> None:
    torch.manual_seed(2)
    ours = [values(5, 7), values(5, 7), values(5, 7), values(5, 7).abs()]
    theirs = [tensor.clone() for tensor in ours]
    arguments = {"lr": 0.1, "beta1": 0.8, "beta2": 0.95, "eps": 1e-3, "weight_decay": 0.3}

    get("adamw_step").reference(*ours, **arguments, step=step)
    number = torch.tensor(float(step), dtype=torch.float32)
    states = ([t] for t in theirs)
    torch._fused_adamw_(*states, [], [number], **arguments, amsgrad=False, maximize=False)  # type: ignore[call-overload]

    torch.testing.assert_close(ours, theirs)


def test_lion_moves_by_the_sign_of_what_it_blends() -> None:
    param, average = torch.tensor([1.0, 1.0, 1.0, 1.0]).double(), torch.tensor([1.0, -1.0, 0.0, 1.0]).double()
    grad = torch.tensor([0.0, 0.0, 0.0, -9.5]).double()

    get("lion_step").reference(param, grad, average, lr=0.1, beta1=0.9, beta2=0.75, weight_decay=1.0)

    torch.testing.assert_close(param, torch.tensor([0.8, 1.0, 0.9, 1.0]).double())
    torch.testing.assert_close(average, torch.tensor([0.75, -0.75, 0.0, -1.625]).double())


def test_no_rounding_turns_a_sign_of_lion() -> None:
    op = get("lion_step")
    for case in map(small, op.cases("h100")):
        (_param, grad, average), kwargs = materialise(case, 3)
        beta1 = typing.cast("float", kwargs.get("beta1", 0.9))
        blended = (beta1 * average.double() + (1 - beta1) * grad.double()).abs()  # type: ignore[attr-defined]

        assert float(blended[blended > 1e-9].min()) > 0.04


@EVERY_OP
def test_a_tensor_left_as_it_was_fails_every_case(op: Op) -> None:
    for case in map(small, (*op.cases("h100"), *op.performance_cases("t4"))):
        args, kwargs = materialise(case, 5)
        given = typing.cast("list[torch.Tensor]", leaves((*args, *kwargs.values())))[: len(case.tensors)]
        right, own = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        for place, number in enumerate(op.mutates):
            got = [given[number] if other == place else out for other, out in enumerate(own)]
            found = compare_outputs(op, case, expected=right, torch_same_dtype=own, got=got, args=args, kwargs=kwargs)

            assert not found.passed, f"{case.name}: tensor {number} was not written"


@EVERY_OP
def test_the_gradient_is_left_alone_and_nothing_returned(op: Op) -> None:
    case = op.cases("cpu")[0]
    args, kwargs = materialise(case, 5)
    grad = typing.cast("torch.Tensor", args[1]).clone()

    assert typing.cast("object", op.reference(*args, **kwargs)) is None
    assert torch.equal(typing.cast("torch.Tensor", args[1]), grad)


def small(case: Case) -> Case:
    """The case with timed sizes cut, so that a laptop can look at it: values do not depend on sizes."""
    if case.kind == "correctness":
        return case
    return replace(case, args=tuple(replace(a, shape=(33, 33)) if isinstance(a, TensorSpec) else a for a in case.args))
