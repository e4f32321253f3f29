"""Sizes and counts of sliding windows, which convolutions and pooling share, one dimension at a time."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.ops.arguments import argument
from evaluator.ops.definition import Case

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A window of `kernel` taps that moves over `size` elements with `padding` more on each side."""

    size: int
    kernel: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1
    ceil_mode: bool = False

    @property
    def places(self) -> int:
        """How many places the window takes, as torch counts them: with `ceil_mode` the last one may stick out, but starts inside."""
        room = self.size + 2 * self.padding - self.dilation * (self.kernel - 1) - 1
        if not self.ceil_mode:
            return room // self.stride + 1
        places = -(-room // self.stride) + 1
        return places - 1 if (places - 1) * self.stride >= self.size + self.padding else places

    @property
    def taps(self) -> int:
        """Pairs of a place and a tap that lies on an element, not on padding."""
        return overlaps(self.size, self.kernel, self.places, self.stride, self.padding, self.dilation)


def overlaps(size: int, kernel: int, places: int, stride: int, padding: int, dilation: int) -> int:
    """How many pairs (place, tap) have 0 <= place * stride - padding + tap * dilation < size."""
    total = 0
    for tap in range(kernel):
        start = tap * dilation - padding
        first = max(0, -(start // stride))
        last = min(places - 1, (size - 1 - start) // stride)
        total += max(0, last - first + 1)
    return total


def sizes(case: Case, position: int, name: str, rank: int, default: int | Sizes) -> Sizes:
    """An argument of one integer per dimension, which may be given as one integer for all of them."""
    value = argument(case, position, name, default)
    if isinstance(value, int):
        return (value,) * rank
    if isinstance(value, tuple) and len(value) == rank:
        return tuple(item for item in value if isinstance(item, int))
    raise TypeError(f"{name} of case {case.name} is {value!r}, not {rank} integers")


def windows(case: Case, size: Sizes, kernel: Sizes) -> list[Window]:
    """The windows of a convolution called with (x, weight, bias, stride, padding, dilation)."""
    rank = len(size)
    stride, padding = sizes(case, 3, "stride", rank, 1), sizes(case, 4, "padding", rank, 0)
    dilation = sizes(case, 5, "dilation", rank, 1)
    return [Window(*each) for each in zip(size, kernel, stride, padding, dilation, strict=True)]
