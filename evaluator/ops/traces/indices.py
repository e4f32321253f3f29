"""What integer tensors of an ATen operator mean, so that drawn values are valid: below which size an index must stay.

A rule is given per operator. An integer argument whose name says that it is an index, and for which there is no rule, makes the operator
unusable: any values would be a guess. All other integers are plain numbers.
"""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.ops.definition import Argument, Generator, TensorSpec, tensors_of

Bound = Mapping[str, Argument]
"""A call's arguments by their names in the schema."""

INDEX_NAME = re.compile(r"(.*_)?(ind(ex|ices)|ind|idx|offsets?|lengths?|targets?|repeats|batch_sizes|sorter)(_.*)?")
SORTED_NAMES = ("boundaries", "sorted_sequence")


class UnknowableError(ValueError):
    """Valid values cannot be drawn; the message says for what and why."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """How an integer tensor is filled."""

    generator: Generator
    low: int
    high: int


Rule = Callable[[Bound], dict[str, tuple[Drawn, ...]]]
"""For each argument that holds indices: how each of its integer tensors, in order, is filled."""


def index_ranges(name: str, bound: Bound) -> dict[str, tuple[Drawn, ...]]:
    """The index arguments of a call of `aten.<name>`. Raises `UnknowableError`."""
    rule = RULES.get(name.rstrip("_") if not name.startswith("__") else name)
    try:
        found = rule(bound) if rule is not None else {}
    except (IndexError, KeyError, TypeError) as error:
        raise UnknowableError(f"the arguments do not look like those of aten.{name} ({type(error).__name__}: {error})") from None
    for argument, value in bound.items():
        if argument in SORTED_NAMES and tensors_of(value):
            raise UnknowableError(f"{argument!r} of aten.{name} must be sorted, which drawn values are not")
        if argument not in found and INDEX_NAME.fullmatch(argument) and any(_is_integer(spec) for spec in tensors_of(value)):
            raise UnknowableError(f"which values {argument!r} may hold is not known for aten.{name}")
    return found


def _is_integer(spec: TensorSpec) -> bool:
    return spec.dtype.startswith(("int", "uint"))


def _tensor(bound: Bound, name: str) -> TensorSpec:
    value = bound[name]
    if not isinstance(value, TensorSpec):
        raise TypeError(f"{name} is no tensor")
    return value


def _integer(bound: Bound, name: str) -> int:
    value = bound[name]
    if not isinstance(value, int):
        raise TypeError(f"{name} is no integer")
    return value


def _below(size: int, *, distinct: int = 0) -> tuple[Drawn, ...]:
    """Indices below `size`; with `distinct`, so many that never repeat."""
    if size < 1:
        raise UnknowableError("an index into nothing")
    if distinct > size:
        raise UnknowableError(f"{distinct} different indices below {size} cannot be; which of two writes to one place wins is not defined")
    return (Drawn("permutation" if distinct else "integers", 0, size),)


def _rows_of(tensor: str, index: str) -> Rule:
    return lambda bound: {index: _below(_tensor(bound, tensor).shape[0])}


def _along_dim(*, written: bool = False) -> Rule:
    """`index` counts along `dim` of `self`. `written`: values are stored there one over the other, so a vector of them must not repeat."""

    def rule(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
        shape, index = _tensor(bound, "self").shape or (1,), _tensor(bound, "index")
        if written and len(index.shape) > 1:
            raise UnknowableError("an index may repeat within a line, and which of two writes to one place wins is not defined")
        return {"index": _below(shape[_integer(bound, "dim")], distinct=math.prod(index.shape) if written else 0)}

    return rule


def _scatter(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
    return _along_dim(written="src" in bound and "reduce" not in bound)(bound)


def _each_dim(*, written: bool = False) -> Rule:
    """`indices` holds one tensor or None for each leading dimension of `self`."""

    def rule(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
        items = bound["indices"]
        shape = _tensor(bound, "self").shape
        if not isinstance(items, tuple):
            raise TypeError("indices is no list")
        indexed = [(dim, item) for dim, item in enumerate(items) if isinstance(item, TensorSpec) and _is_integer(item)]
        stored = written and bound.get("accumulate") is not True
        if stored and len(indexed) > 1:
            raise UnknowableError("indices may name one place twice, and which of two writes to it wins is not defined")
        found = [_below(shape[dim], distinct=math.prod(item.shape) if stored else 0)[0] for dim, item in indexed]
        return {"indices": tuple(found)}

    return rule


def _classes(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
    shape = _tensor(bound, "self").shape
    target = _tensor(bound, "target")
    return {"target": _below(shape[1] if len(shape) > 1 else shape[0])} if _is_integer(target) else {"target": ()}


def _places_in_plane(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
    return {"indices": _below(math.prod(_tensor(bound, "self").shape[-2:]))}


def _shift(bound: Bound) -> dict[str, tuple[Drawn, ...]]:
    return {"other": (Drawn("integers", 0, 8),)}


def _number_of(name: str, index: str) -> Rule:
    return lambda bound: {index: _below(_integer(bound, name))}


RULES: typing.Final[Mapping[str, Rule]] = {
    "embedding": _rows_of("weight", "indices"),
    "embedding_dense_backward": _number_of("num_weights", "indices"),
    "index_select": _along_dim(),
    "index_add": _along_dim(),
    "index_fill": _along_dim(),
    "index_reduce": _along_dim(),
    "index_copy": _along_dim(written=True),
    "gather": _along_dim(),
    "scatter": _scatter,
    "scatter_add": _along_dim(),
    "scatter_reduce": _along_dim(),
    "index": _each_dim(),
    "_unsafe_index": _each_dim(),
    "index_put": _each_dim(written=True),
    "_index_put_impl": _each_dim(written=True),
    "_unsafe_index_put": _each_dim(written=True),
    "take": lambda bound: {"index": _below(math.prod(_tensor(bound, "self").shape))},
    "one_hot": _number_of("num_classes", "self"),
    "nll_loss": _classes,
    "nll_loss_nd": _classes,
    "nll_loss_forward": _classes,
    "nll_loss_backward": _classes,
    "nll_loss2d": _classes,
    "nll_loss2d_forward": _classes,
    "nll_loss2d_backward": _classes,
    "cross_entropy_loss": _classes,
    "max_pool2d_with_indices_backward": _places_in_plane,
    "bitwise_left_shift": _shift,
    "bitwise_right_shift": _shift,
    "__lshift__": _shift,
    "__rshift__": _shift,
}
