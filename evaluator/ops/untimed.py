"""Ops that are checked and not timed: nothing about them is worth a comparison with torch's time."""

from __future__ import annotations

from evaluator.ops.definition import Op


def why_untimed(op: Op, device: str) -> str:
    """One sentence that says why the op cannot be timed on a device class; "" when it can."""
    if op.performance_cases(device):
        return ""
    return f"{op.slug} has no performance case for {device}, so it is checked and not timed: hand it in with mode test"
