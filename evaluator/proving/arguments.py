"""Kernels that take another value for an argument, or leave an optional tensor out."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Sequence

from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.proving.calls import Kernel, tensors, with_arguments

if typing.TYPE_CHECKING:
    import torch

REDUCTIONS = ("none", "mean", "sum")


def misled(op: Op, cases: Sequence[Case]) -> list[tuple[str, Callable[[], Kernel]]]:
    """Name and maker of each."""
    names = _argument_names(op)
    changed: dict[str, object] = {}
    dropped: dict[str, object] = {}
    for case in cases:
        for name, value in (*zip(names, case.args, strict=False), *case.kwargs.items()):
            if isinstance(value, TensorSpec):
                if _optional(op, name):
                    dropped[name] = value
            elif _other(value) != value:
                changed[name] = value
    found: list[tuple[str, Callable[[], Kernel]]] = [
        (f"{name} changed", functools.partial(_with_changed, op, name, names)) for name in changed
    ]
    found += [(f"{name} left out", functools.partial(_with_dropped, op, name, names)) for name in dropped]
    return found


def _argument_names(op: Op) -> list[str]:
    try:
        return list(inspect.signature(op.reference).parameters)
    except (TypeError, ValueError):
        return [f"argument {n}" for n in range(16)]


def _optional(op: Op, name: str) -> bool:
    try:
        return inspect.signature(op.reference).parameters[name].default is None
    except (TypeError, ValueError, KeyError):
        return False


def _other(value: object) -> object:
    """Another value of the same kind; the value itself where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.5 + 0.25
    if isinstance(value, str) and value in REDUCTIONS:
        return REDUCTIONS[(REDUCTIONS.index(value) + 1) % len(REDUCTIONS)]
    if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
        return (*value[:-1], _other(value[-1]))
    return value


def _with_changed(op: Op, name: str, names: Sequence[str]) -> Kernel:
    def changed(value: object, given: Sequence[torch.Tensor]) -> object:
        if isinstance(value, int) and not isinstance(value, bool) and "dim" in name and given and given[0].dim():
            return (value + 1) % given[0].dim()
        return _other(value)

    def change(args: list[object], kwargs: dict[str, object]) -> None:
        _edit(name, names, args, kwargs, lambda value: changed(value, tensors(args, kwargs)))

    return with_arguments(op, change)


def _with_dropped(op: Op, name: str, names: Sequence[str]) -> Kernel:
    return with_arguments(op, lambda args, kwargs: _edit(name, names, args, kwargs, lambda _value: None))


def _edit(name: str, names: Sequence[str], args: list[object], kwargs: dict[str, object], new: Callable[[object], object]) -> None:
    if name in kwargs:
        kwargs[name] = new(kwargs[name])
    elif name in names and names.index(name) < len(args):
        args[names.index(name)] = new(args[names.index(name)])
