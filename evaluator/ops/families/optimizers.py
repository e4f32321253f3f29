"""Optimizer steps: parameters and states are written in place."""

from __future__ import annotations

import typing
from dataclasses import replace

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.cases.stepwise import Settings, hidden_steps, least_cost, steps
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
SGD_FLOPS, ADAMW_FLOPS, LION_FLOPS = 6, 14, 10
"""An element: products, sums, divisions, roots and signs."""


def sgd_momentum_reference(
    param: torch.Tensor,
    grad: torch.Tensor,
    momentum_buffer: torch.Tensor,
    *,
    lr: float,
    momentum: float,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> None:
    grad = grad.add(param, alpha=weight_decay)
    momentum_buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
    step = grad.add(momentum_buffer, alpha=momentum) if nesterov else momentum_buffer
    param.add_(step, alpha=-lr)


def sgd_states(parameter: TensorSpec) -> tuple[TensorSpec, ...]:
    return replace(parameter, high=1.0), replace(parameter, high=1.0)


SGD = Settings(
    plain={"lr": 0.25, "momentum": 0.75, "weight_decay": 0.5},
    timed={"lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4},
)


def sgd_cases(device: str) -> list[Case]:
    three = (tensor(21, 35), tensor(21, 35), tensor(21, 35))
    return [
        *steps(device, sgd_states, SGD),
        correctness("default", *three, lr=0.25, momentum=0.5),
        correctness("nesterov", *three, lr=0.25, momentum=0.75, weight_decay=0.5, nesterov=True),
        correctness("dampening", *three, lr=0.25, momentum=0.75, dampening=0.5, weight_decay=0.25),
        correctness("no_momentum", *three, lr=0.25, momentum=0.0, weight_decay=0.25),
    ]


def sgd_hidden(pick: Pick, device: str) -> list[Case]:
    nesterov = Settings({**SGD.plain, "nesterov": bool(pick(0, 1))}, {})
    return hidden_steps(pick, sgd_states, nesterov)


def adamw_reference(
    param: torch.Tensor,
    grad: torch.Tensor,
    exp_avg: torch.Tensor,
    exp_avg_sq: torch.Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    step: int,
) -> None:
    param.mul_(1 - lr * weight_decay)
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    denominator = exp_avg_sq.sqrt().div_((1 - beta2**step) ** 0.5).add_(eps)
    param.addcdiv_(exp_avg, denominator, value=-lr / (1 - beta1**step))


def adamw_states(parameter: TensorSpec) -> tuple[TensorSpec, ...]:
    """Gradients far larger than the second moment says, so that one step moves it."""
    ordinary = replace(parameter, generator="normal", high=1.0)
    return replace(parameter, high=4.0), ordinary, replace(ordinary, generator="uniform", low=0.1)


ADAMW = Settings(
    plain={"lr": 0.25, "beta1": 0.75, "beta2": 0.875, "eps": 0.125, "weight_decay": 0.5, "step": 3},
    timed={"lr": 1e-3, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.1, "step": 1000},
)


def adamw_cases(device: str) -> list[Case]:
    parameter = tensor(21, 35)
    three, zeros = (parameter, *adamw_states(parameter)[:2]), tensor(21, 35, generator="uniform", high=0.0)
    second = tensor(21, 35, generator="uniform", low=1e-6, high=1e-5)
    return [
        *steps(device, adamw_states, ADAMW),
        correctness("default", *three, second, lr=0.1, step=7),
        correctness("first_step", parameter, tensor(21, 35, generator="sparse"), zeros, zeros, lr=0.1, step=1),
        correctness("late_step", *three, second, lr=0.1, beta2=0.99, step=20000),
        correctness("no_weight_decay", *three, second, lr=0.1, weight_decay=0.0, eps=0.01, step=2),
    ]


def adamw_hidden(pick: Pick, device: str) -> list[Case]:
    return hidden_steps(pick, adamw_states, Settings({**ADAMW.plain, "step": pick(1, 50)}, {}))


def lion_reference(
    param: torch.Tensor,
    grad: torch.Tensor,
    exp_avg: torch.Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.99,
    weight_decay: float = 0.0,
) -> None:
    param.mul_(1 - lr * weight_decay)
    param.add_((exp_avg * beta1).add_(grad, alpha=1 - beta1).sign_(), alpha=-lr)
    exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)


def lion_states(parameter: TensorSpec) -> tuple[TensorSpec, ...]:
    """Small whole numbers: where the sign is taken of a sum, it is of 0 exactly or of nothing near 0, so no rounding can turn it.

    With |grad| <= 4 the sum beta1 exp_avg + (1 - beta1) grad vanishes only where both do, for the betas used here.
    """
    whole = replace(parameter, generator="integers", low=-4.0, high=5.0)
    return whole, whole


LION = Settings(
    plain={"lr": 0.25, "beta1": 0.9, "beta2": 0.75, "weight_decay": 0.5},
    timed={"lr": 1e-3, "beta1": 0.9, "beta2": 0.75, "weight_decay": 0.1},
)


def lion_cases(device: str) -> list[Case]:
    parameter = tensor(21, 35)
    return [
        *steps(device, lion_states, LION),
        correctness("default", parameter, *lion_states(parameter), lr=0.1),
        correctness("fast", parameter, *lion_states(parameter), lr=0.5, beta1=0.95, beta2=0.5, weight_decay=1.0),
        correctness("gradient_decides", parameter, *lion_states(parameter), lr=0.5, beta1=0.15),
    ]


def lion_hidden(pick: Pick, device: str) -> list[Case]:
    return hidden_steps(pick, lion_states, Settings({**LION.plain, "weight_decay": pick(0, 8) / 8}, {}))


OPS: tuple[Op, ...] = (
    Op(
        slug="sgd_momentum_step",
        title="SGD step with momentum",
        summary="One step of gradient descent with momentum, in place.",
        description=(
            "grad += weight_decay * param; buffer = momentum * buffer + (1 - dampening) * grad; param -= lr * buffer, or with `nesterov` "
            "lr * (grad + momentum * buffer): the step of torch.optim.SGD after its first. Parameter and buffer are written in place, "
            "the gradient is left alone, nothing counts as returned. Image networks are trained so. Eager torch takes a pass over memory "
            "for each line; one pass reads three tensors and writes two."
        ),
        signature=(
            "sgd_momentum_step(Tensor(a!) param, Tensor grad, Tensor(b!) momentum_buffer, *, float lr, float momentum, "
            "float dampening=0.0, float weight_decay=0.0, bool nesterov=False) -> ()"
        ),
        reference=sgd_momentum_reference,
        cases=sgd_cases,
        hidden_cases=sgd_hidden,
        cost=least_cost((0, 2), SGD_FLOPS),
        suites=("core",),
        dtypes=DTYPES,
        tags=("optimizer", "elementwise", "in-place", "fused"),
        mutates=(0, 2),
        starters=starter.load("sgd_momentum_step"),
    ),
    Op(
        slug="adamw_step",
        title="AdamW step",
        summary="One step of Adam with decoupled weight decay, in place.",
        description=(
            "param *= 1 - lr * weight_decay; exp_avg = beta1 * exp_avg + (1 - beta1) * grad; exp_avg_sq = beta2 * exp_avg_sq + (1 - "
            "beta2) * grad²; param -= lr / (1 - beta1^step) * exp_avg / (sqrt(exp_avg_sq) / sqrt(1 - beta2^step) + eps): the step number "
            "`step`, counted from 1, of torch.optim.AdamW. Parameter and both moments are written in place, the gradient is left alone, "
            "nothing counts as returned. Nearly every language model is trained so. One pass reads four tensors and writes three, a "
            "dozen operations an element; eager torch needs ten passes."
        ),
        signature=(
            "adamw_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, Tensor(c!) exp_avg_sq, *, float lr, float beta1=0.9, "
            "float beta2=0.999, float eps=1e-08, float weight_decay=0.01, int step) -> ()"
        ),
        reference=adamw_reference,
        cases=adamw_cases,
        hidden_cases=adamw_hidden,
        cost=least_cost((0, 2, 3), ADAMW_FLOPS),
        suites=("core",),
        dtypes=DTYPES,
        tags=("optimizer", "elementwise", "in-place", "fused"),
        mutates=(0, 2, 3),
        starters=starter.load("adamw_step"),
    ),
    Op(
        slug="lion_step",
        title="Lion step",
        summary="One step of Lion, which moves every parameter by the same amount, in place.",
        description=(
            "param *= 1 - lr * weight_decay; param -= lr * sign(beta1 * exp_avg + (1 - beta1) * grad); exp_avg = beta2 * exp_avg + (1 - "
            "beta2) * grad, as in the paper 'Symbolic Discovery of Optimization Algorithms' (Chen et al., 2023). The sign of 0 is 0. "
            "Parameter and average are written in place, the gradient is left alone, nothing counts as returned. Half the state of Adam; "
            "one pass reads three tensors and writes two. Gradients and averages hold small whole numbers here, so that rounding turns "
            "no sign."
        ),
        signature=(
            "lion_step(Tensor(a!) param, Tensor grad, Tensor(b!) exp_avg, *, float lr, float beta1=0.9, float beta2=0.99, "
            "float weight_decay=0.0) -> ()"
        ),
        reference=lion_reference,
        cases=lion_cases,
        hidden_cases=lion_hidden,
        cost=least_cost((0, 2), LION_FLOPS),
        suites=("core",),
        dtypes=DTYPES,
        tags=("optimizer", "elementwise", "in-place", "fused"),
        mutates=(0, 2),
        starters=starter.load("lion_step"),
    ),
)
