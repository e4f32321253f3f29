"""Policy `backendbench`: every element as near to torch's own as BackendBench's `allclose` asks, whatever the scale and the dtype.

|c - torch| <= 0.01 + 0.01 |torch|, by modulus for complex numbers; NaN equals NaN, infinities are equal to themselves. Bools are
equal or not; integers are held to the same formula. Errors in the result are errors against torch's own output, not against an oracle.
"""

from __future__ import annotations

import math
import typing

from evaluator.correctness.blocks import Block, blocks
from evaluator.correctness.mismatches import first_wrong, wrong_elements
from evaluator.correctness.result import OutputComparison
from evaluator.correctness.result import right as nothing_differs
from evaluator.correctness.sums import relative

if typing.TYPE_CHECKING:
    import torch

ABSOLUTE = RELATIVE = 1e-2


def compare_fixed(torch_same: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    import torch

    total = got.numel()
    if total == 0:
        return nothing_differs(0)
    parts = blocks(got)
    figures = torch.stack([figure for block in parts for figure in _figures(block, torch_same, got)])
    rows = typing.cast("list[list[float]]", figures.view(-1, 5).tolist())
    counts = [round(row[0]) for row in rows]
    error_square, y_square = (math.fsum(row[column] for row in rows) for column in (3, 4))
    bad = [block for block, count in zip(parts, counts, strict=True) if count]
    mismatches = first_wrong(torch_same, got, bad, lambda block: _wrong(*_pair(block, torch_same, got)))
    return OutputComparison(
        wrong_elements(sum(counts), total, mismatches) if bad else "",
        total,
        max_abs=max(row[1] for row in rows),
        max_rel=max(row[2] for row in rows),
        rel_l2=relative(error_square, y_square),
        tolerance=RELATIVE,
        mismatch_share=sum(counts) / total,
        mismatches=mismatches,
    )


def _pair(block: Block, torch_same: torch.Tensor, got: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Both as float64 or complex128."""
    import torch

    wide = torch.complex128 if got.dtype.is_complex else torch.float64
    return block.of(torch_same).to(wide), block.of(got).to(wide)


def _wrong(right: torch.Tensor, have: torch.Tensor) -> torch.Tensor:
    close = right.isfinite() & ((have - right).abs() <= ABSOLUTE + RELATIVE * right.abs())
    return ~(close | (right == have) | (right.isnan() & have.isnan()))


def _figures(block: Block, torch_same: torch.Tensor, got: torch.Tensor) -> list[torch.Tensor]:
    """[wrong elements, largest error, largest error over |torch|, squares of the errors, squares of torch's], of finite elements."""
    import torch

    right, have = _pair(block, torch_same, got)
    count = _wrong(right, have).sum().to(torch.float64)
    both = right.isfinite() & have.isfinite()
    error, size = torch.where(both, (have - right).abs(), 0.0), torch.where(both, right.abs(), 0.0)
    squares = [error.square().sum(), size.square().sum()]
    return [count, error.max(), error.div(size).masked_fill_(size == 0, 0.0).max(), *squares]
