"""Which values the tensors of a traced call get: a trace says shapes only, and not every op is defined everywhere."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.ops.definition import Argument, Generator, TensorSpec, tensors_of
from evaluator.ops.traces.indices import Drawn, UnknowableError, index_ranges

if typing.TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Values:
    """What floats and plain integers are drawn from. `words` tells a reader."""

    generator: Generator
    low: float
    high: float
    integers: tuple[int, int]
    words: str


TRIED = (
    Values("normal", 0.0, 1.0, (-9, 10), "normal values"),
    Values("uniform", 0.0625, 1.0, (1, 10), "values between 0 and 1"),
    Values("uniform", 1.0, 2.0, (1, 10), "values between 1 and 2"),
)
"""In this order: normal values show most mistakes; logarithms, roots and losses want positive ones, some functions others."""


Arguments = tuple[tuple[Argument, ...], Mapping[str, Argument]]


def drawn(args: tuple[Argument, ...], kwargs: Mapping[str, Argument], overload: torch._ops.OpOverload, values: Values) -> Arguments:
    """The arguments with a generator for each tensor. Raises `UnknowableError`."""
    schema = overload._schema
    names = [argument.name for argument in schema.arguments]
    if len(args) > len(names):
        raise UnknowableError(f"{len(args)} arguments for {len(names)} parameters")
    bound = {**dict(zip(names, args, strict=False)), **kwargs}
    defaults = {a.name: a.default_value for a in schema.arguments if a.has_default_value()}
    ranges = index_ranges(schema.name.removeprefix("aten::"), {**defaults, **bound})
    filled = {name: _filled(argument, values, iter(ranges.get(name, ()))) for name, argument in bound.items()}
    return tuple(filled[name] for name in names[: len(args)]), {name: filled[name] for name in kwargs}


def _filled(argument: Argument, values: Values, indices: Iterator[Drawn]) -> Argument:
    if isinstance(argument, TensorSpec):
        return _spec(argument, values, indices)
    if isinstance(argument, tuple) and tensors_of(argument):
        return tuple(_filled(item, values, indices) for item in argument)
    return argument


def _spec(spec: TensorSpec, values: Values, indices: Iterator[Drawn]) -> TensorSpec:
    if spec.dtype == "bool":
        return spec
    if not spec.dtype.startswith(("int", "uint")):
        return dataclasses.replace(spec, generator=values.generator, low=values.low, high=values.high)
    index = next(indices, None)
    if index is not None:
        return dataclasses.replace(spec, generator=index.generator, low=float(index.low), high=float(index.high))
    low, high = values.integers
    return dataclasses.replace(spec, generator="integers", low=float(max(low, 0) if spec.dtype == "uint8" else low), high=float(high))
