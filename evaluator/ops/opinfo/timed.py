"""Performance cases: a sample made large, where that is what people run."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Sequence

from evaluator.ops.definition import Case, TensorSpec
from evaluator.ops.opinfo.larger import binary, in_dtype, mapped, reduces, supports, unary
from evaluator.ops.opinfo.samples import size
from evaluator.ops.recorded import RecordedCase

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

ON_GPU, ON_CPU = 2**24, 2**18
"""Elements of a timed tensor: 4096×4096 and 512×512."""
SHAPES: dict[int, Callable[[int], tuple[int, ...]]] = {
    1: lambda root: (root * root,),
    2: lambda root: (root, root),
    3: lambda root: (root // 64, root, 64),
    4: lambda root: (root // 64, 8, root, 8),
}
ELEMENTWISE = frozenset(
    {
        "addcdiv",
        "addcmul",
        "clamp",
        "cummax",
        "cummin",
        "cumprod",
        "cumsum",
        "diff",
        "flip",
        "lerp",
        "log_softmax",
        "logcumsumexp",
        "logsumexp",
        "masked_fill",
        "roll",
        "softmax",
        "tril",
        "triu",
        "where",
        "nn.functional.celu",
        "nn.functional.elu",
        "nn.functional.gelu",
        "nn.functional.glu",
        "nn.functional.hardshrink",
        "nn.functional.hardsigmoid",
        "nn.functional.hardswish",
        "nn.functional.hardtanh",
        "nn.functional.leaky_relu",
        "nn.functional.logsigmoid",
        "nn.functional.mish",
        "nn.functional.normalize",
        "nn.functional.prelu",
        "nn.functional.relu",
        "nn.functional.relu6",
        "nn.functional.selu",
        "nn.functional.silu",
        "nn.functional.softmin",
        "nn.functional.softplus",
        "nn.functional.softshrink",
        "nn.functional.softsign",
        "nn.functional.tanhshrink",
        "nn.functional.threshold",
    }
)
"""Ops of the database's general class whose cost grows with their elements, whatever shape they have."""


def timed(entry: OpInfo, cases: Sequence[Case]) -> list[RecordedCase]:
    """Performance cases: a sample with all its tensors, which have one shape, made large. None where that would not be honest."""
    bases = [case for case in cases if _scales(entry, case)]
    found: list[RecordedCase] = []
    for base in _different(sorted(bases, key=lambda case: (abs(len(case.tensors[0].shape) - 2), -size(case))), 2 if reduces(entry) else 1):
        found.append(RecordedCase(_sized(base, ON_CPU), "cpu"))
        found.append(RecordedCase(_sized(base, ON_GPU), "gpu"))
        if any(spec.dtype == "float32" for spec in base.tensors) and supports(entry, "float16"):
            found.append(RecordedCase(in_dtype(_sized(base, ON_GPU), "float16"), "gpu"))
    return found


def _scales(entry: OpInfo, case: Case) -> bool:
    shapes = {spec.shape for spec in case.tensors}
    if len(shapes) != 1 or any(spec.strides is not None for spec in case.tensors) or not size(case):
        return False
    if any(spec.generator not in ("normal", "uniform", "integers") for spec in case.tensors):
        return False  # values in order, or each only once, which is slow to draw for so many
    return len(shapes.pop()) in SHAPES and scales(entry)


def scales(entry: OpInfo) -> bool:
    """Whether the op's cost grows with its elements, so that a sample made large is what people run."""
    return unary(entry) or binary(entry) or reduces(entry) or entry.name in ELEMENTWISE


def on_cpu(case: Case) -> Case:
    """A performance case for GPUs, of the size that is timed on CPUs."""
    return _of_size(case, ON_CPU)


def _sized(case: Case, elements: int) -> Case:
    return dataclasses.replace(_of_size(case, elements), kind="performance", source=f"{case.source}, made large")


def _of_size(case: Case, elements: int) -> Case:
    root = math.isqrt(elements)
    return mapped(case, lambda spec: dataclasses.replace(spec, shape=SHAPES[len(spec.shape)](root)))


def _different(cases: Sequence[Case], most: int) -> list[Case]:
    """The first cases that differ in something besides tensors."""
    found: dict[str, Case] = {}
    for case in cases:
        plain = [a for a in case.args if not isinstance(a, TensorSpec)]
        found.setdefault(repr((plain, sorted((n, a) for n, a in case.kwargs.items() if not isinstance(a, TensorSpec)))), case)
    return list(found.values())[:most]
