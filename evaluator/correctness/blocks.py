"""Walking over an output block by block, so that comparing needs little memory."""

from __future__ import annotations

import typing
from collections.abc import Iterator

if typing.TYPE_CHECKING:
    import torch

BLOCK_ELEMENTS = {"cpu": 1 << 16, "cuda": 1 << 23}
Block = tuple[slice, slice]


def blocks(matrix: torch.Tensor) -> Iterator[Block]:
    """Whole rows, or parts of one row, in row-major order."""
    rows, columns = matrix.shape
    limit = BLOCK_ELEMENTS.get(matrix.device.type, BLOCK_ELEMENTS["cpu"])
    wide = min(columns, limit)
    high = max(1, limit // wide)
    for row in range(0, rows, high):
        for column in range(0, columns, wide):
            yield slice(row, min(row + high, rows)), slice(column, min(column + wide, columns))


def rounded(y: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """y with the infinities that rounding to `dtype` makes, else unchanged."""
    import torch

    narrow = y.to(dtype)
    return torch.where(narrow.isinf(), narrow.to(y.dtype), y)


def unlike(y: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Where one is NaN or an infinity and the other is not the same."""
    special = ~(y.isfinite() & c.isfinite())
    return special & ~((y == c) | (y.isnan() & c.isnan()))
