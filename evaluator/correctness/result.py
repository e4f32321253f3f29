"""What the comparison of one output found."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Mismatch

SHOWN_MISMATCHES = 16


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """Figures of one output tensor. `reason` is empty when it passed."""

    passed: bool
    reason: str
    max_abs: float | None
    max_rel: float | None
    rel_l2: float | None
    rel_l2_torch: float | None
    tolerance: float | None
    mismatch_share: float
    mismatches: tuple[Mismatch, ...]


def wrong_elements(count: int, total: int, mismatches: tuple[Mismatch, ...]) -> str:
    """One sentence that names how many elements are wrong and the first of them."""
    first = mismatches[0]
    where = f"at {list(first.index)}" if first.index else "the value"
    share = f"{count} of {total} elements are wrong ({100 * count / total:.3g} %)" if total > 1 else "the element is wrong"
    return f"{share}; first {where}: expected {first.expected}, got {first.got}"
