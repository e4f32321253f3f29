"""Sums over the finite elements of an output: how large the oracle is, how far the output and torch's own answer are from it."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.correctness.blocks import Block, rounded

if typing.TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over finite elements. `row_rms` is the root mean square of the oracle in each row; `plain` tells which blocks
    hold no NaN, no infinity and nothing that rounds to one."""

    y_square: float
    error_square: float
    torch_error_square: float
    finite: int
    row_rms: torch.Tensor
    plain: tuple[bool, ...]


def measure(y: torch.Tensor, same: torch.Tensor, c: torch.Tensor, blocks: Sequence[Block]) -> Sums:
    import torch

    row_square = torch.zeros(len(y), dtype=torch.float64, device=c.device)
    row_finite = torch.zeros_like(row_square)
    error_squares, torch_squares, plain = [], [], []
    for block in blocks:
        right, have, theirs = y[block], c[block].to(torch.float64), same[block].to(torch.float64)
        error, torch_error = have - right, theirs - right
        error_square, torch_square = float(_square(error)), float(_square(torch_error))
        plain.append(math.isfinite(error_square + torch_square) and float(right.abs().max()) <= torch.finfo(c.dtype).max)
        if plain[-1]:
            row_square[block[0]] += right.square().sum(1)
            row_finite[block[0]] += right.shape[1]
        else:
            right = rounded(right, c.dtype)
            finite = right.isfinite()
            row_square[block[0]] += torch.where(finite, right, 0.0).square().sum(1)
            row_finite[block[0]] += finite.sum(1)
            error_square = float(_square(torch.where(finite & have.isfinite(), error, 0.0)))
            torch_square = float(_square(torch.where(finite & theirs.isfinite(), torch_error, 0.0)))
        error_squares.append(error_square)
        torch_squares.append(torch_square)
    return Sums(
        float(row_square.sum()),
        math.fsum(error_squares),
        math.fsum(torch_squares),
        int(row_finite.sum()),
        (row_square / row_finite.clamp(min=1)).sqrt(),
        tuple(plain),
    )


def relative(error_square: float, y_square: float) -> float:
    """relL2: the norm of the error over the norm of the oracle."""
    if error_square == 0:
        return 0.0
    return math.sqrt(error_square) / math.sqrt(y_square) if y_square else math.inf


def _square(values: torch.Tensor) -> torch.Tensor:
    import torch

    flat = values.reshape(-1)
    return torch.dot(flat, flat)
