"""gelu: x times the normal distribution function of x, exact (`none`) or by its tanh approximation."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import elementwise, starter
from evaluator.ops.arguments import correctness, cost, elements, every_other, first_tensor, tensor
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

FLOPS_PER_ELEMENT = 10


def reference(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    import torch

    return torch.nn.functional.gelu(x, approximate=approximate)


def cases(device: str) -> list[Case]:
    tanh = [
        correctness("tanh", tensor(63, 65), approximate="tanh"),
        correctness("tanh_every_other", every_other(17, 33), approximate="tanh"),
        correctness("tanh_float16", tensor(1001, dtype="float16"), approximate="tanh"),
    ]
    return [*elementwise.correctness_cases(device, {}), *tanh, *elementwise.performance_cases(device, {})]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return elementwise.hidden_cases(pick, {"approximate": ("none", "tanh")[pick(0, 1)]})


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=FLOPS_PER_ELEMENT * elements(x))


OP = Op(
    slug="gelu",
    title="GELU",
    summary="Multiplies each element by the normal distribution function of it.",
    signature="gelu(Tensor self, *, str approximate='none') -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.gelu.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("elementwise", "activation"),
    strides_policy="any",
    starters=starter.load("gelu"),
)
