"""Comparison of float outputs with the float64 oracle, block by block so that little memory is needed.

With t the tolerance, c the output and y the oracle, an output is right when its NaN, +Inf and -Inf stand where the oracle's do,
relL2(c, y) = |c - y| / |y| <= t over the finite elements, and for each of them
|c - y| <= 16 t (|y| + rms_row(y)) + eps(dtype) rms(y). A row is the last dimension longer than 1, or all that there is. The
oracle's infinities are those after rounding to the output's dtype. Where the oracle is zero everywhere, the output may be as far
from it as three times torch is.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.contract import Mismatch
from evaluator.correctness.result import SHOWN_MISMATCHES, OutputComparison, wrong_elements
from evaluator.correctness.tolerance import ELEMENT_FACTOR, TORCH_ERROR_FACTOR, tolerance

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op

BLOCK_ELEMENTS = {"cpu": 1 << 16, "cuda": 1 << 23}
Block = tuple[slice, slice]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over the finite elements. `row_square` holds the mean square of y in each row."""

    y_square: float
    error_square: float
    torch_error_square: float
    finite: int
    unlike: int
    row_square: torch.Tensor


def compare_floats(op: Op, expected: torch.Tensor, torch_same: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    import torch

    if got.numel() == 0:
        return OutputComparison(True, "", 0.0, 0.0, 0.0, 0.0, None, 0.0, ())
    columns = next((size for size in reversed(got.shape) if size > 1), 1)
    y, same, c = (t.detach().reshape(-1, columns) for t in (expected, torch_same, got))
    blocks = list(_blocks(c))
    sums = _measure(y, same, c, blocks)
    norm = math.sqrt(sums.y_square)
    rel_l2, rel_l2_torch = _relative(sums.error_square, norm), _relative(sums.torch_error_square, norm)
    dtype = str(got.dtype).removeprefix("torch.")
    t = tolerance(op, dtype, rel_l2_torch)
    slack = torch.finfo(got.dtype).eps * math.sqrt(sums.y_square / max(sums.finite, 1))
    if norm == 0:
        far = math.sqrt(sums.error_square) > TORCH_ERROR_FACTOR * math.sqrt(sums.torch_error_square)
        slack = 0.0 if far else math.inf
    else:
        far = not rel_l2 <= t
    judged = _judge(y, c, blocks, sums.row_square, ELEMENT_FACTOR * t, slack)
    mismatches: tuple[Mismatch, ...] = ()
    reason = ""
    if judged.wrong:
        mismatches = _show(expected, got, y, c, blocks, sums.row_square, ELEMENT_FACTOR * t, slack)
        reason = wrong_elements(judged.wrong, got.numel(), mismatches)
    elif far:
        # If no element erred by more than half of t, the norm of the errors could not exceed t.
        mismatches = _show(expected, got, y, c, blocks, sums.row_square, t / 2, 0.0)
        reason = f"relative error {rel_l2:.3g} is above the tolerance {t:.3g}"
    share = judged.wrong / got.numel()
    return OutputComparison(not reason, reason, judged.max_abs, judged.max_rel, rel_l2, rel_l2_torch, t, share, mismatches)


@dataclass(frozen=True, slots=True)
class _Judged:
    wrong: int
    max_abs: float
    max_rel: float


def _blocks(matrix: torch.Tensor) -> Iterator[Block]:
    """Whole rows, or parts of one row, in row-major order."""
    rows, columns = matrix.shape
    limit = BLOCK_ELEMENTS.get(matrix.device.type, BLOCK_ELEMENTS["cpu"])
    wide = min(columns, limit)
    high = max(1, limit // wide)
    for row in range(0, rows, high):
        for column in range(0, columns, wide):
            yield slice(row, min(row + high, rows)), slice(column, min(column + wide, columns))


def _rounded(y: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """y with the infinities that rounding to `dtype` makes, else unchanged."""
    import torch

    narrow = y.to(dtype)
    return torch.where(narrow.isinf(), narrow.to(y.dtype), y)


def _unlike(y: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Where one is NaN or an infinity and the other is not the same."""
    special = ~(y.isfinite() & c.isfinite())
    return special & ~((y == c) | (y.isnan() & c.isnan()))


def _measure(y: torch.Tensor, same: torch.Tensor, c: torch.Tensor, blocks: list[Block]) -> _Sums:
    import torch

    totals = torch.zeros(5, dtype=torch.float64, device=c.device)
    row_square = torch.zeros(len(y), dtype=torch.float64, device=c.device)
    row_finite = torch.zeros_like(row_square)
    for rows, columns in blocks:
        right, have = _rounded(y[rows, columns], c.dtype), c[rows, columns].to(torch.float64)
        theirs = same[rows, columns].to(torch.float64)
        finite = right.isfinite()
        clean = torch.where(finite, right, 0.0)
        row_square[rows] += clean.square().sum(1)
        row_finite[rows] += finite.sum(1)
        error = torch.where(finite & have.isfinite(), have - right, 0.0)
        torch_error = torch.where(finite & theirs.isfinite(), theirs - right, 0.0)
        totals += torch.stack(
            [
                clean.square().sum(),
                error.square().sum(),
                torch_error.square().sum(),
                finite.sum().to(torch.float64),
                _unlike(right, have).sum().to(torch.float64),
            ]
        )
    y_square, error_square, torch_square, finite_count, unlike = totals.tolist()
    return _Sums(y_square, error_square, torch_square, int(finite_count), int(unlike), row_square / row_finite.clamp(min=1))


def _relative(error_square: float, norm: float) -> float:
    if error_square == 0:
        return 0.0
    return math.sqrt(error_square) / norm if norm else math.inf


def _wrong(right: torch.Tensor, have: torch.Tensor, row_square: torch.Tensor, factor: float, slack: float) -> torch.Tensor:
    bound = factor * (right.abs() + row_square.sqrt().unsqueeze(1)) + slack
    error = (have - right).abs()
    return _unlike(right, have) | (right.isfinite() & ~(error <= bound))


def _judge(y: torch.Tensor, c: torch.Tensor, blocks: list[Block], row_square: torch.Tensor, factor: float, slack: float) -> _Judged:
    import torch

    wrong = torch.zeros((), dtype=torch.int64, device=c.device)
    max_abs = torch.zeros((), dtype=torch.float64, device=c.device)
    max_rel = torch.zeros((), dtype=torch.float64, device=c.device)
    for rows, columns in blocks:
        right, have = _rounded(y[rows, columns], c.dtype), c[rows, columns].to(torch.float64)
        wrong += _wrong(right, have, row_square[rows], factor, slack).sum()
        both = right.isfinite() & have.isfinite()
        error = torch.where(both, (have - right).abs(), 0.0)
        max_abs = torch.maximum(max_abs, error.max())
        max_rel = torch.maximum(max_rel, torch.where(both & (right != 0), error / right.abs(), 0.0).max())
    return _Judged(int(wrong), float(max_abs), float(max_rel))


def _show(
    expected: torch.Tensor,
    got: torch.Tensor,
    y: torch.Tensor,
    c: torch.Tensor,
    blocks: list[Block],
    row_square: torch.Tensor,
    factor: float,
    slack: float,
) -> tuple[Mismatch, ...]:
    """The first wrong elements; blocks come in row-major order."""
    import torch

    columns_in_all = c.shape[1]
    flat: list[int] = []
    for rows, columns in blocks:
        right, have = _rounded(y[rows, columns], c.dtype), c[rows, columns].to(torch.float64)
        places = _wrong(right, have, row_square[rows], factor, slack).nonzero()[:SHOWN_MISMATCHES].tolist()
        flat += [(rows.start + row) * columns_in_all + columns.start + column for row, column in places]
        if len(flat) >= SHOWN_MISMATCHES:
            break
    shown = []
    for place in flat[:SHOWN_MISMATCHES]:
        index = _unravel(place, tuple(got.shape))
        shown.append(Mismatch(index, f"{expected[index].item():.9g}", f"{got[index].item():.9g}"))
    return tuple(shown)


def _unravel(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        place, remainder = divmod(place, size)
        index.append(remainder)
    return tuple(reversed(index))
