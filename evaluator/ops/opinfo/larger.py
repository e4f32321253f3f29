"""Cases beside the samples, which are tiny: longer ones, half precision and special values."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Iterator, Sequence

from evaluator.ops.definition import Argument, Case, TensorSpec
from evaluator.ops.opinfo.recipes import MOST_ELEMENTS
from evaluator.ops.opinfo.samples import key, size
from evaluator.ops.opinfo.unfit import NOT_COARSE, NOT_HALVED, NOT_LONGER, listed
from evaluator.ops.recorded.variation import resized

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

LENGTHS = (1031, 517, 257, 131, 67, 37, 23, 17, 11)
"""Odd, so that blocks of a power of two do not divide them."""
MOST_GROWN = 3
HALVES = ("float16", "bfloat16")
MOST_HALVED = 2
MOST_COARSE = 2


def grown(entry: OpInfo, cases: Sequence[Case]) -> list[Case]:
    """Some of the cases with their longest side made much longer."""
    found: dict[str, Case] = {}
    for case in () if listed(entry, NOT_LONGER) else cases:
        if len(found) < MOST_GROWN and size(case) and all(spec.strides is None for spec in case.tensors):
            longest = max(length for spec in case.tensors for length in (1, *spec.shape))
            longer = (_drawable(resized(case, longest, to, name=case.name)) for to in LENGTHS if to > 2 * longest > 2)
            fitting = next((each for each in longer if all(math.prod(spec.shape) <= MOST_ELEMENTS for spec in each.tensors)), None)
            if fitting is not None:
                found.setdefault(key(fitting), dataclasses.replace(fitting, source=f"{case.source}, made longer"))
    return list(found.values())


def _drawable(case: Case) -> Case:
    """With integers that may repeat where there are too few to be all different."""

    def change(spec: TensorSpec) -> TensorSpec:
        short = spec.generator == "permutation" and math.prod(spec.shape) > spec.high - spec.low
        return dataclasses.replace(spec, generator="integers") if short else spec

    return mapped(case, change)


def halved(entry: OpInfo, cases: Sequence[Case]) -> Iterator[Case]:
    """The largest float32 cases in half precision, as far as the op has that on CPUs and on GPUs."""
    if listed(entry, NOT_HALVED):
        return
    floats = [case for case in cases if size(case) and any(spec.dtype == "float32" for spec in case.tensors)]
    for case in sorted(floats, key=size, reverse=True)[:MOST_HALVED]:
        for dtype in HALVES:
            if supports(entry, dtype):
                yield in_dtype(case, dtype)


def coarse(entry: OpInfo, cases: Sequence[Case]) -> Iterator[Case]:
    """Few different whole numbers, zero among them, for functions of elements: equal values, divisions by zero, what counts as true."""
    if ((unary(entry) and entry.domain == (None, None)) or binary(entry)) and not listed(entry, NOT_COARSE):
        floats = [case for case in cases if size(case) > 1 and {spec.dtype for spec in case.tensors} == {"float32"}]
        for case in sorted(floats, key=size, reverse=True)[:MOST_COARSE]:
            yield of_few_values(case)


def of_few_values(case: Case) -> Case:
    def change(spec: TensorSpec) -> TensorSpec:
        return dataclasses.replace(spec, generator="integers", low=-2.0, high=3.0) if spec.dtype == "float32" else spec

    return dataclasses.replace(mapped(case, change), source=f"{case.source}, of few values")


def decidable(entry: OpInfo, case: Case) -> Case:
    """The case of an op that answers yes or no, with values of which some meet, and some are zero; mostly zero where one of many counts."""
    if entry.name == "any":
        return mapped(
            case, lambda spec: dataclasses.replace(spec, generator="sparse", low=0.0, high=1.0) if spec.dtype == "float32" else spec
        )
    return of_few_values(case)


def special(entry: OpInfo, cases: Sequence[Case]) -> Iterator[Case]:
    """NaN, infinities, zeros and the smallest numbers, for functions of one element that are defined for all numbers."""
    if unary(entry) and entry.domain == (None, None):
        base = next((case for case in cases if [spec.dtype for spec in case.tensors] == ["float32"]), None)
        if base is not None:
            spec = TensorSpec((61, 67), "float32", "special_nan")
            case = dataclasses.replace(mapped(base, lambda _spec: spec), source="special values")
            yield from (case, *(in_dtype(case, dtype) for dtype in HALVES if supports(entry, dtype)))


def unary(entry: OpInfo) -> bool:
    from torch.testing._internal.opinfo.core import UnaryUfuncInfo

    return isinstance(entry, UnaryUfuncInfo)


def binary(entry: OpInfo) -> bool:
    from torch.testing._internal.opinfo.core import BinaryUfuncInfo

    return isinstance(entry, BinaryUfuncInfo)


def reduces(entry: OpInfo) -> bool:
    from torch.testing._internal.opinfo.core import ReductionOpInfo

    return isinstance(entry, ReductionOpInfo)


def supports(entry: OpInfo, dtype: str) -> bool:
    import torch

    devices = ("cpu", "cuda")
    return all(getattr(torch, dtype) in entry.supported_dtypes(device) for device in devices)  # type: ignore[no-untyped-call]


def in_dtype(case: Case, dtype: str) -> Case:
    """The case with this dtype in place of float32, wherever that stands."""

    def changed(spec: TensorSpec) -> TensorSpec:
        return dataclasses.replace(spec, dtype=dtype) if spec.dtype == "float32" else spec

    return mapped(case, changed)


def mapped(case: Case, change: Callable[[TensorSpec], TensorSpec]) -> Case:
    def of(argument: Argument) -> Argument:
        if isinstance(argument, TensorSpec):
            return change(argument)
        return tuple(of(item) for item in argument) if isinstance(argument, tuple) else argument

    return dataclasses.replace(case, args=tuple(map(of, case.args)), kwargs={name: of(value) for name, value in case.kwargs.items()})
