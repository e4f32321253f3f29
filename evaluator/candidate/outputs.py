"""What a call returned: described for the judge, and copied into the judge's buffers.

The tensor methods are bound when this module is imported, before submitted code is, so later patches of `torch.Tensor` and
overrides of subclasses are never consulted.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Sequence

import torch


def _getter(name: str) -> Callable[[object], typing.Any]:
    """The descriptor's own getter: what it gives does not depend on later patches of the class."""
    getter: Callable[[object], typing.Any] = vars(torch._C.TensorBase)[name].__get__
    return getter


_detach = torch.Tensor.detach
_copy = torch.Tensor.copy_
_data_ptr = torch.Tensor.data_ptr
_element_size = torch.Tensor.element_size
_shape = _getter("shape")
_dtype = _getter("dtype")
_device = _getter("device")
_layout = _getter("layout")
_stride = torch.Tensor.stride
_no_grad = torch.no_grad
_Tensor = torch.Tensor
DEEPEST, WIDEST = 4, 64


class Span:
    """The bytes that a tensor touches: [start, end)."""

    def __init__(self, tensor: torch.Tensor) -> None:
        shape, strides = _shape(tensor), _stride(tensor)
        extent = 0 if any(n == 0 for n in shape) else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        self.start = _data_ptr(tensor)
        self.end = self.start + extent * _element_size(tensor)

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


def as_outputs(value: object) -> tuple[list[object], str]:
    """The outputs in a returned value and how they stood in it: `T` for one, `-` for None, `(T, [T, -])` for nested ones."""
    found: list[object] = []
    return found, _flatten(value, found, 0)


def leaves(value: object) -> list[object]:
    """What stands in a nested tuple or list, without None."""
    return as_outputs(value)[0]


def _flatten(value: object, found: list[object], depth: int) -> str:
    if value is None:
        return "-"
    items = _items(value)
    if items is None or depth == DEEPEST or len(items) > WIDEST:
        found.append(value)
        return "T"
    inside = ", ".join([_flatten(item, found, depth + 1) for item in items])
    return f"[{inside}]" if isinstance(value, list) else f"({inside})"


def _items(value: object) -> list[object] | None:
    """What a tuple or list holds; `torch.max` and others return subclasses of tuple, whose own methods are not asked."""
    if isinstance(value, tuple):
        return list(tuple.__iter__(value))
    return list(list.__iter__(value)) if isinstance(value, list) else None


def spans(values: Iterable[object]) -> list[Span]:
    """Where the plain tensors among `values` lie."""
    return [Span(v) for v in values if type(v) is _Tensor and _layout(v) is torch.strided and _device(v).type != "meta"]


def describe(value: object, inputs: Sequence[Span], earlier: Sequence[Span]) -> dict[str, object]:
    """Type, shape, dtype, strides, device and alias of one output, as the judge's `Returned` reads it."""
    if type(value) is not _Tensor:
        return {"type": f"{type(value).__module__}.{type(value).__qualname__}"[:200]}
    described: dict[str, object] = {
        "type": "torch.Tensor",
        "shape": list(_shape(value)),
        "dtype": str(_dtype(value)).removeprefix("torch."),
        "device": _device(value).type,
        "layout": str(_layout(value)).removeprefix("torch."),
        "alias": "",
    }
    if described["layout"] != "strided":
        return described
    described["strides"] = list(_stride(value))
    if described["device"] != "meta":
        span = Span(value)
        for number, other in enumerate(inputs):
            if span.overlaps(other):
                described["alias"] = f"input {number}"
        for other in earlier:
            if span.overlaps(other):
                described["alias"] = "an earlier output"
    return described


def copy_into(value: object, target: torch.Tensor) -> bool:
    """Copy an output into the judge's buffer when shape, dtype and device fit. False when they do not."""
    if type(value) is not _Tensor or _layout(value) is not torch.strided:
        return False
    if _shape(value) != _shape(target) or _dtype(value) != _dtype(target) or _device(value).type != _device(target).type:
        return False
    with _no_grad():
        _copy(target, _detach(value))
    return True
