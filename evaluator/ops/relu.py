"""relu: max(x, 0)."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import elementwise, starter
from evaluator.ops.arguments import correctness, cost, elements, first_tensor, tensor
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.relu(x)


def cases(device: str) -> list[Case]:
    special = correctness("special", tensor(61, 67, generator="special"))
    return [*elementwise.correctness_cases(device, {}), special, *elementwise.performance_cases(device, {})]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return elementwise.hidden_cases(pick, {})


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=elements(x))


OP = Op(
    slug="relu",
    title="ReLU",
    summary="Sets negative elements to zero.",
    signature="relu(Tensor self) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.relu.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("elementwise", "activation"),
    strides_policy="any",
    starters=starter.load("relu"),
)
