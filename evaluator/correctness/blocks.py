"""Walking over an output block by block, so that comparing needs little memory whatever the output's strides are."""

from __future__ import annotations

import itertools
import math
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

if typing.TYPE_CHECKING:
    import torch

BLOCK_ELEMENTS = {"cpu": 1 << 16, "cuda": 1 << 23}
LEAST_ELEMENTS = 1 << 14
SHARE = 64
"""A block has as many elements as the output has bytes, over this: eight float64 values for each of them are as much as the output."""


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbours in row-major order: whole rows, or a part of one. `start` is the number of the first element, `row` that of its row."""

    index: tuple[int | slice, ...]
    start: int
    row: int
    rows: int
    width: int
    whole: bool

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        """The block's elements as a matrix of rows; a view where the strides allow it."""
        return tensor[self.index].reshape(self.rows, self.width)

    def reals(self, tensor: torch.Tensor) -> torch.Tensor:
        """The same, with two real numbers for each complex one."""
        import torch

        part = self.of(tensor)
        return torch.view_as_real(part.resolve_conj()).reshape(self.rows, -1) if part.is_complex() else part

    def float64(self, tensor: torch.Tensor) -> torch.Tensor:
        """The same in float64. May be a view: not to be written to."""
        import torch

        return self.reals(tensor).to(torch.float64)

    def elements(self, mask: torch.Tensor) -> torch.Tensor:
        """A mask of real numbers as one of the block's elements: a complex element counts when one of its parts does."""
        if mask.shape[1] == self.width:
            return mask
        return mask.view(self.rows, self.width, 2).any(2)


def row_length(shape: Sequence[int]) -> int:
    """A row is the last dimension longer than 1, or all that there is."""
    return next((size for size in reversed(shape) if size > 1), 1)


def blocks(tensor: torch.Tensor) -> list[Block]:
    """The blocks of an output that is not empty, in row-major order."""
    most = min(
        BLOCK_ELEMENTS.get(tensor.device.type, BLOCK_ELEMENTS["cpu"]),
        max(LEAST_ELEMENTS, tensor.numel() * tensor.element_size() // SHARE),
    )
    return list(_walk(tuple(tensor.shape), max(1, most // 2) if tensor.is_complex() else most))


def _walk(shape: tuple[int, ...], limit: int) -> Iterator[Block]:
    """Cut along the first dimension whose slices fit into a block, once for every place in the dimensions before it."""
    columns = row_length(shape)
    if not shape:
        yield Block((), 0, 0, 1, 1, True)
        return
    inner = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    dim = next(number for number, size in enumerate(inner) if size <= limit)
    step = max(1, limit // inner[dim])
    start = 0
    for before in itertools.product(*(range(size) for size in shape[:dim])):
        for first in range(0, shape[dim], step):
            last = min(first + step, shape[dim])
            count = (last - first) * inner[dim]
            whole = count % columns == 0
            rows, width = (count // columns, columns) if whole else (1, count)
            yield Block((*before, slice(first, last)), start, start // columns, rows, width, whole)
            start += count


def in_range(y: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """y, in float64, with what lies beyond the range of `dtype` replaced by what torch's conversion makes of it (infinity, mostly)."""
    import torch

    beyond = ~(y.abs() <= torch.finfo(dtype).max)
    return torch.where(beyond, y.to(dtype).to(y.dtype), y)


def unlike(y: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Where one is NaN or an infinity and the other is not the same."""
    special = ~(y.isfinite() & c.isfinite())
    return special & ~((y == c) | (y.isnan() & c.isnan()))


def real_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype of a complex dtype's parts; any other dtype itself."""
    return dtype.to_real() if dtype.is_complex else dtype
