"""Comparison of an output that must be equal: integers and bools under `scaled`, everything of an op that is `exact`.

NaN equals NaN, +0 equals -0; a complex number is equal when both of its parts are; of a bool the byte counts.
"""

from __future__ import annotations

import typing

from evaluator.correctness.blocks import Block, blocks
from evaluator.correctness.mismatches import first_wrong, wrong_elements
from evaluator.correctness.result import OutputComparison
from evaluator.correctness.result import right as nothing_differs

if typing.TYPE_CHECKING:
    import torch


def compare_exact(expected: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    import torch

    total = got.numel()
    if total == 0:
        return nothing_differs(0)
    parts = blocks(got)
    counts = torch.stack([_wrong(block, expected, got).sum() for block in parts]).tolist()
    bad = [block for block, count in zip(parts, counts, strict=True) if count]
    if not bad:
        return nothing_differs(total)
    mismatches = first_wrong(expected, got, bad, lambda block: _wrong(block, expected, got))
    worst = torch.stack([_largest_error(block, expected, got) for block in bad]).max()
    reason = wrong_elements(sum(counts), total, mismatches)
    return OutputComparison(reason, total, max_abs=float(worst), tolerance=0.0, mismatch_share=sum(counts) / total, mismatches=mismatches)


def _wrong(block: Block, expected: torch.Tensor, got: torch.Tensor) -> torch.Tensor:
    right, have = (_comparable(block.reals(tensor)) for tensor in (expected, got))
    wrong = right != have
    if right.is_floating_point():
        wrong &= ~((right != right) & (have != have))  # NaN
    return block.elements(wrong)


def _comparable(values: torch.Tensor) -> torch.Tensor:
    """Not every device compares every dtype."""
    import torch

    if values.dtype == torch.bool:
        return values.view(torch.uint8)
    return values.to(torch.float32) if values.is_floating_point() and values.itemsize == 1 else values


def _largest_error(block: Block, expected: torch.Tensor, got: torch.Tensor) -> torch.Tensor:
    import torch

    error = (block.float64(got) - block.float64(expected)).abs_()
    return torch.where(error.isfinite(), error, 0.0).max()
