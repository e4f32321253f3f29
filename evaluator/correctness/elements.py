"""Which elements of a float output are wrong."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.correctness.blocks import Block, in_range, real_dtype, unlike
from evaluator.correctness.sums import Sums, row_rms

if typing.TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Bound:
    """An element is right when |c - y| <= factor (|y| + rms_row) + slack."""

    factor: float
    slack: float

    def limit(self, size: torch.Tensor, rms: torch.Tensor | float) -> torch.Tensor:
        """The largest error that elements of this size may have."""
        return (size + rms).mul_(self.factor).add_(self.slack)


@dataclass(frozen=True, slots=True)
class Judged:
    """Wrong elements in each block, and the largest errors among finite ones."""

    wrong: tuple[int, ...]
    max_abs: float
    max_rel: float

    @property
    def count(self) -> int:
        return sum(self.wrong)


def judge(y: torch.Tensor, c: torch.Tensor, blocks: Sequence[Block], sums: Sums, bound: Bound) -> Judged:
    """Look at every element. Waits for the device once."""
    import torch

    figures = [
        figure
        for block, plain, zeros in zip(blocks, sums.plain, sums.zeros, strict=True)
        for figure in (_plain if plain else _odd)(y, c, block, sums, bound, zeros=zeros)
    ]
    rows = typing.cast("list[list[float]]", torch.stack(figures).view(-1, 3).tolist())
    return Judged(tuple(round(row[0]) for row in rows), max(row[1] for row in rows), max(row[2] for row in rows))


def wrong_in(block: Block, y: torch.Tensor, c: torch.Tensor, sums: Sums, bound: Bound) -> torch.Tensor:
    """Mask of a block's wrong elements."""
    right, have = in_range(block.float64(y), real_dtype(c.dtype)), block.float64(c)
    return block.elements(_wrong(right, have, row_rms(right, block, sums, plain=False), bound))


def _plain(y: torch.Tensor, c: torch.Tensor, block: Block, sums: Sums, bound: Bound, *, zeros: bool) -> list[torch.Tensor]:
    """[wrong elements, largest error, largest error over |y|] where all is finite."""
    import torch

    right = block.float64(y)
    size, error = right.abs(), (block.float64(c) - right).abs_()
    wrong = error > bound.limit(size, row_rms(right, block, sums, plain=True))
    count, most = block.elements(wrong).sum().to(torch.float64), error.max()
    relative = error.div_(size)
    return [count, most, (relative.masked_fill_(size == 0, 0.0) if zeros else relative).max()]


def _odd(y: torch.Tensor, c: torch.Tensor, block: Block, sums: Sums, bound: Bound, *, zeros: bool) -> list[torch.Tensor]:
    """The same where NaN and infinities must stand in the right places."""
    import torch

    right, have = in_range(block.float64(y), real_dtype(c.dtype)), block.float64(c)
    wrong = _wrong(right, have, row_rms(right, block, sums, plain=False), bound)
    both = right.isfinite() & have.isfinite()
    size, error = torch.where(both, right.abs(), 0.0), torch.where(both, (have - right).abs(), 0.0)
    count, most = block.elements(wrong).sum().to(torch.float64), error.max()
    return [count, most, error.div_(size).masked_fill_(size == 0, 0.0).max()]


def _wrong(right: torch.Tensor, have: torch.Tensor, rms: torch.Tensor | float, bound: Bound) -> torch.Tensor:
    error = (have - right).abs()
    return unlike(right, have) | (right.isfinite() & ~(error <= bound.limit(right.abs(), rms)))
