"""Which elements of an output are wrong."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.contract import Mismatch
from evaluator.correctness.blocks import Block, rounded, unlike
from evaluator.correctness.result import SHOWN_MISMATCHES

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness.sums import Sums


@dataclass(frozen=True, slots=True)
class Bound:
    """An element is right when |c - y| <= factor (|y| + rms_row) + slack."""

    factor: float
    slack: float


@dataclass(frozen=True, slots=True)
class Judged:
    wrong: int
    max_abs: float
    max_rel: float


def judge(y: torch.Tensor, c: torch.Tensor, blocks: Sequence[Block], sums: Sums, bound: Bound) -> Judged:
    """Count the wrong elements and find the largest errors among finite ones."""
    import torch

    wrong = torch.zeros((), dtype=torch.int64, device=c.device)
    max_abs = torch.zeros((), dtype=torch.float64, device=c.device)
    max_rel = torch.zeros((), dtype=torch.float64, device=c.device)
    for block, plain in zip(blocks, sums.plain, strict=True):
        right, have = y[block], c[block].to(torch.float64)
        if plain:
            size, error = right.abs(), have.sub_(right).abs_()
            wrong += (error > _limit(size, sums.row_rms[block[0]], bound)).sum()
        else:
            right = rounded(right, c.dtype)
            wrong += _wrong(right, have, sums.row_rms[block[0]], bound).sum()
            both = right.isfinite() & have.isfinite()
            size, error = torch.where(both, right.abs(), 0.0), torch.where(both, (have - right).abs(), 0.0)
        max_abs = torch.maximum(max_abs, error.max())
        max_rel = torch.maximum(max_rel, error.div_(size).masked_fill_(size == 0, 0.0).max())
    return Judged(int(wrong), float(max_abs), float(max_rel))


def first_wrong(
    expected: torch.Tensor, got: torch.Tensor, y: torch.Tensor, c: torch.Tensor, blocks: Sequence[Block], sums: Sums, bound: Bound
) -> tuple[Mismatch, ...]:
    """The first wrong elements; `y` and `c` are `expected` and `got` as matrices, whose blocks come in row-major order."""
    import torch

    places: list[int] = []
    for rows, columns in blocks:
        right, have = rounded(y[rows, columns], c.dtype), c[rows, columns].to(torch.float64)
        wrong = _wrong(right, have, sums.row_rms[rows], bound).nonzero()[:SHOWN_MISMATCHES].tolist()
        places += [(rows.start + row) * c.shape[1] + columns.start + column for row, column in wrong]
        if len(places) >= SHOWN_MISMATCHES:
            break
    indices = [_unravel(place, tuple(got.shape)) for place in places[:SHOWN_MISMATCHES]]
    return tuple(Mismatch(index, f"{expected[index].item():.9g}", f"{got[index].item():.9g}") for index in indices)


def _limit(size: torch.Tensor, row_rms: torch.Tensor, bound: Bound) -> torch.Tensor:
    """The largest error that elements of this size may have."""
    return (size + row_rms.unsqueeze(1)).mul_(bound.factor).add_(bound.slack)


def _wrong(right: torch.Tensor, have: torch.Tensor, row_rms: torch.Tensor, bound: Bound) -> torch.Tensor:
    error = (have - right).abs()
    return unlike(right, have) | (right.isfinite() & ~(error <= _limit(right.abs(), row_rms, bound)))


def _unravel(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        place, remainder = divmod(place, size)
        index.append(remainder)
    return tuple(reversed(index))
