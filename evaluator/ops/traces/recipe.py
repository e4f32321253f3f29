"""One traced call in the words of this project."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.ops.definition import Argument, Case
from evaluator.ops.traces.grammar import CallError, Marker, Value

_ALWAYS_LEFT_OUT = ("pin_memory", "non_blocking")
_HARMLESS_FORMATS = ("contiguous_format", "preserve_format")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A call of `target` (`aten.<name>.<overload>`) that a model made `count` times. `timed`: whether it may be a performance case."""

    target: str
    args: tuple[Argument, ...]
    kwargs: Mapping[str, Argument]
    count: int
    where: str
    timed: bool = True

    def case(self, name: str, kind: typing.Literal["correctness", "performance"]) -> Case:
        times = f"traced {self.count} times" if self.count != 1 else "traced once"
        return Case(name, kind, self.args, self.kwargs, source=f"{self.where}, {times}")

    @property
    def key(self) -> str:
        """Recipes with one key are one."""
        return repr((self.args, sorted(self.kwargs.items())))


def plain(args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> tuple[tuple[Argument, ...], dict[str, Argument]]:
    """The arguments that a kernel is called with. Raises `CallError` for what it cannot be given.

    Left out, because every tensor of a call is on the device under test and memory layout is not judged: `device` (but not a move to the
    CPU), `layout=torch.strided`, `pin_memory`, `non_blocking`, and memory formats that keep or make the usual order.
    """
    for value in args:
        if isinstance(value, Marker):
            raise CallError(f"a {value.kind} ({value.name}) by position cannot be passed on")
    kept: dict[str, Argument] = {}
    for name, value in kwargs.items():
        if name == "device":
            _check_device(value)
        elif isinstance(value, Marker):
            _check_marker(name, value)
        elif name not in _ALWAYS_LEFT_OUT and not (name in ("layout", "memory_format", "generator") and value is None):
            kept[name] = value
    return typing.cast("tuple[Argument, ...]", args), kept


def _check_device(value: Value) -> None:
    name = value.name if isinstance(value, Marker) else value
    if name is not None and not str(name).startswith("cuda"):
        raise CallError(f"device={name!r} moves data to another device")


def _check_marker(name: str, marker: Marker) -> None:
    if (marker.kind == "layout" and marker.name == "strided") or (marker.kind == "memory_format" and marker.name in _HARMLESS_FORMATS):
        return
    raise CallError(f"{name}=torch.{marker.name} cannot be passed on")
