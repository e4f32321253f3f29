"""Wrong outputs: what a kernel gives that leaves work out."""

from __future__ import annotations

import math
import typing

from evaluator.proving.calls import Edit

if typing.TYPE_CHECKING:
    import torch


def filled(value: float) -> Edit:
    def edit(outputs: list[torch.Tensor], _inputs: list[torch.Tensor]) -> None:
        for out in outputs:
            put(out, value)

    return edit


def only(number: int, edit: Edit) -> Edit:
    """The edit on one output alone."""
    return lambda outputs, inputs: edit(outputs[number : number + 1], inputs)


def mean(outputs: list[torch.Tensor], _inputs: list[torch.Tensor]) -> None:
    """Every output holds its own mean."""
    import torch

    for out in outputs:
        finite = out.to(torch.complex128 if out.is_complex() else torch.float64)
        finite = finite[finite.isfinite()]
        put(out, finite.mean().item() if finite.numel() else 0.0)


def copy_of(number: int) -> Edit:
    """Every output holds the elements of one input, from the front, repeated as needed."""

    def edit(outputs: list[torch.Tensor], inputs: list[torch.Tensor]) -> None:
        flat = inputs[number].reshape(-1) if number < len(inputs) else None
        for out in outputs:
            if flat is not None and flat.numel() and out.numel():
                out.copy_(converted(flat.repeat(-(-out.numel() // flat.numel()))[: out.numel()].view(out.shape), out.dtype))

    return edit


def previous() -> Edit:
    """From the second call of a shape on, what the first one gave."""
    seen: dict[tuple[int, tuple[int, ...], torch.dtype], torch.Tensor] = {}

    def edit(outputs: list[torch.Tensor], _inputs: list[torch.Tensor]) -> None:
        for number, out in enumerate(outputs):
            earlier = seen.setdefault((number, tuple(out.shape), out.dtype), out.clone())
            out.copy_(earlier)

    return edit


def one_element(last: bool) -> Edit:
    """One element is off: by half of its size and the output's, by one, or the other truth value."""

    def edit(outputs: list[torch.Tensor], _inputs: list[torch.Tensor]) -> None:
        for out in outputs:
            if out.numel():
                place = tuple(size - 1 if last else 0 for size in out.shape)
                out[place] = _off(out[place], out)

    return edit


def dropped(dim: int) -> Edit:
    """The last index of a dimension is never written."""

    def edit(outputs: list[torch.Tensor], _inputs: list[torch.Tensor]) -> None:
        for out in outputs:
            if out.dim() >= -dim and out.shape[dim]:
                put(out.select(dim, -1), 0.0)

    return edit


def put(out: torch.Tensor, value: complex) -> None:
    """Fill a tensor of any dtype."""
    import torch

    number: complex = value
    if not out.is_complex() and not out.is_floating_point():
        number = int(value.real) if math.isfinite(value.real) else 0
    out.copy_(converted(torch.full(out.shape, number, device=out.device), out.dtype))


def converted(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if values.is_complex() and not dtype.is_complex:
        values = values.real
    return values.to(dtype)


def _off(element: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    import torch

    if element.dtype == torch.bool:
        return ~element
    if not element.is_floating_point() and not element.is_complex():
        return element + 1
    wide = whole.to(torch.complex128 if whole.is_complex() else torch.float64)
    finite = torch.where(wide.isfinite(), wide, 0).abs()
    size = finite.square().mean().sqrt()
    value = element.to(wide.dtype)
    value = value + 0.5 * (value.abs() + size) + (size == 0) if value.isfinite() else torch.zeros_like(value)
    return value.to(element.dtype)
