"""Sums over the finite elements of an output: how large the oracle is, how far the output and torch's own answer are from it."""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.correctness.blocks import Block, in_range, real_dtype

if typing.TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Errors:
    """Sums of c - y over elements: of squares, of the differences, and of the differences |c| - |y| of the magnitudes."""

    square: float
    total: float
    size: float

    def bias(self, count: int) -> float:
        """|mean(c - y)|, or |mean(|c| - |y|)| where that is more, over the root mean square of c - y; 0 without an error.

        The second sees what rounds towards zero, or away from it, in an output of both signs. In [0, 1] by Cauchy and Schwarz.
        """
        norm = math.sqrt(self.square * count)
        return min(1.0, max(abs(self.total), abs(self.size)) / norm) if 0 < norm < math.inf else 0.0


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over finite elements. `plain` tells which blocks hold no NaN, no infinity and nothing beyond the dtype's range, `zeros` in
    which the oracle is zero somewhere. `row_rms` is the oracle's root mean square in rows that no block holds whole."""

    y_square: float
    finite: int
    ours: Errors
    torchs: Errors
    plain: tuple[bool, ...]
    zeros: tuple[bool, ...]
    row_rms: Mapping[int, float]


FIGURES = 10
"""For each block: y², least and most |y|, finite elements, then (square, total, size) of our errors and of torch's."""


def measure(y: torch.Tensor, same: torch.Tensor, c: torch.Tensor, blocks: Sequence[Block]) -> Sums:
    """Sums of `c` and `same`, torch's own answer, against `y`. Waits for the device once, and again where there are NaN or infinities."""
    import torch

    def block_figures(block: Block) -> list[torch.Tensor]:
        return _plain_figures(block.float64(y), block.float64(c), block.float64(same))

    rows = _read([figure for block in blocks for figure in block_figures(block)])
    most = torch.finfo(real_dtype(c.dtype)).max
    plain = [all(map(math.isfinite, row)) and row[2] <= most for row in rows]
    odd = [number for number, is_plain in enumerate(plain) if not is_plain]
    masked = _read(
        [
            figure
            for number in odd
            for figure in _masked_figures(
                in_range(blocks[number].float64(y), real_dtype(c.dtype)), blocks[number].float64(c), blocks[number].float64(same)
            )
        ]
    )
    for number, row in zip(odd, masked, strict=True):
        rows[number] = row
    return combine(rows, plain, blocks, c)


def combine(rows: Sequence[Sequence[float]], plain: Sequence[bool], blocks: Sequence[Block], c: torch.Tensor) -> Sums:
    """Add the figures of all blocks."""
    sums = [math.fsum(column) for column in zip(*rows, strict=True)]
    partly: dict[int, list[tuple[float, float]]] = {}
    for row, block in zip(rows, blocks, strict=True):
        if not block.whole:
            partly.setdefault(block.row, []).append((row[0], row[3]))
    return Sums(
        y_square=sums[0],
        finite=round(sums[3]),
        ours=Errors(*sums[4:7]),
        torchs=Errors(*sums[7:10]),
        plain=tuple(plain),
        zeros=tuple(row[1] == 0 for row in rows),
        row_rms={number: _rms(parts) for number, parts in partly.items()},
    )


def row_rms(right: torch.Tensor, block: Block, sums: Sums, *, plain: bool) -> torch.Tensor | float:
    """Root mean square of the oracle's finite elements in each row of a block, as a column; one number where the block is part of a row."""
    import torch

    if not block.whole:
        return sums.row_rms[block.row]
    if plain:
        norm: torch.Tensor = torch.linalg.vector_norm(right, dim=1, keepdim=True)
        return norm.div_(math.sqrt(right.shape[1]))
    finite = right.isfinite()
    squares = torch.where(finite, right, 0.0).square_().sum(1, keepdim=True)
    mean: torch.Tensor = squares.div_(finite.sum(1, keepdim=True).clamp_(min=1))
    return mean.sqrt_()


def relative(error_square: float, y_square: float) -> float:
    """relL2: the norm of the error over the norm of the oracle."""
    if error_square == 0:
        return 0.0
    return math.sqrt(error_square) / math.sqrt(y_square) if y_square else math.inf


def _read(figures: list[torch.Tensor]) -> list[list[float]]:
    import torch

    return typing.cast("list[list[float]]", torch.stack(figures).view(-1, FIGURES).tolist()) if figures else []


def _plain_figures(right: torch.Tensor, have: torch.Tensor, theirs: torch.Tensor) -> list[torch.Tensor]:
    import torch

    count = torch.full((), right.numel(), dtype=torch.float64, device=right.device)
    size = right.abs()
    least, most = size.aminmax()
    y_size = size.sum()
    errors: list[torch.Tensor] = []
    for values in (have, theirs):
        errors += [_square(error := values - right), error.sum(), values.abs().sum() - y_size]
    return [_square(right), least, most, count, *errors]


def _masked_figures(right: torch.Tensor, have: torch.Tensor, theirs: torch.Tensor) -> list[torch.Tensor]:
    import torch

    finite = right.isfinite()
    kept = torch.where(finite, right, 0.0)
    least, most = kept.abs().aminmax()
    errors: list[torch.Tensor] = []
    for values in (have, theirs):
        both = finite & values.isfinite()
        error, size = torch.where(both, values - right, 0.0), torch.where(both, values.abs() - right.abs(), 0.0)
        errors += [_square(error), error.sum(), size.sum()]
    return [_square(kept), least, most, finite.sum().to(torch.float64), *errors]


def _square(values: torch.Tensor) -> torch.Tensor:
    import torch

    flat = values.reshape(-1)
    return torch.dot(flat, flat)


def _rms(parts: Sequence[tuple[float, float]]) -> float:
    return math.sqrt(math.fsum(square for square, _ in parts) / max(math.fsum(count for _, count in parts), 1))
