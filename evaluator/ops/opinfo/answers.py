"""Inputs for which one answer is right: no equal values where places are asked for, no two writes to one place."""

from __future__ import annotations

import dataclasses
import typing

from evaluator.generate import storage_elements
from evaluator.ops.definition import Case, TensorSpec
from evaluator.ops.opinfo.larger import mapped

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

PLACES = frozenset(
    {
        "argsort",
        "cummax",
        "cummin",
        "kthvalue",
        "median",
        "msort",
        "nanmedian",
        "nn.functional.adaptive_max_pool1d",
        "nn.functional.adaptive_max_pool2d",
        "nn.functional.adaptive_max_pool3d",
        "nn.functional.max_pool1d",
        "nn.functional.max_pool2d",
        "nn.functional.max_pool3d",
        "sort",
        "topk",
    }
)
"""Ops that tell where a value stands. Of equal values they may name any; argmax, argmin, max and min name the first, as torch documents."""
WRITING = frozenset({"index_copy", "index_put", "put", "scatter"})
"""Ops that store values at indices. Of two writes to one place any may win, unless they are added up."""
EXACT = {
    "float64": 2**53,
    "float32": 2**24,
    "float16": 2**11,
    "bfloat16": 2**8,
    "int64": 2**31,
    "int32": 2**30,
    "int16": 2**15,
    "int8": 2**7,
}
"""Up to this, both ways from 0, a dtype has every whole number."""


class AmbiguousError(ValueError):
    """The case has more than one right answer; the message says why."""


def with_one_answer(entry: OpInfo, case: Case) -> Case:
    """The case, with other values where need be. Raises `AmbiguousError`."""
    if entry.name in PLACES:
        return mapped(case, _distinct)
    if entry.name in WRITING and not _adds_up(case):
        indices = [spec for spec in case.tensors if spec.dtype in ("int64", "int32")]
        several = any(storage_elements(spec) > 1 for spec in case.tensors[1:] if spec not in indices)
        if several and any(spec.generator != "permutation" and storage_elements(spec) > 1 for spec in indices):
            raise AmbiguousError("an index may repeat, and which of two writes to one place wins is not defined")
    return case


def _distinct(spec: TensorSpec) -> TensorSpec:
    """Whole numbers around 0, each at most once."""
    count = storage_elements(spec)
    if spec.dtype == "bool" or count <= 1:
        return spec
    if spec.strides is not None and any(step == 0 and size > 1 for size, step in zip(spec.shape, spec.strides, strict=True)):
        raise AmbiguousError("values repeat, and which of equal ones is named is not defined")
    low = -(count // 2)
    if low + count > EXACT.get(spec.dtype, 0):
        raise AmbiguousError(f"{spec.dtype} has no {count} different values, and which of equal ones is named is not defined")
    return dataclasses.replace(spec, generator="permutation", low=float(low), high=float(low + count))


def _adds_up(case: Case) -> bool:
    """`accumulate` of put and index_put by name or by position, `reduce` of scatter."""
    return "reduce" in case.kwargs or case.kwargs.get("accumulate") is True or (bool(case.args) and case.args[-1] is True)
