"""What the comparison of one output found."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.contract import Mismatch


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """Figures of one output tensor. `reason` is empty when it passed. `dtype` is told of float and complex outputs. `bias` is that of
    `Errors`, `bias_torch` that of torch's own answer; both, and what else does not apply, are None for outputs that are judged exactly
    or by a rule.
    """

    reason: str
    elements: int
    max_abs: float | None = None
    max_rel: float | None = None
    rel_l2: float | None = None
    rel_l2_torch: float | None = None
    tolerance: float | None = None
    mismatch_share: float | None = None
    bias: float | None = None
    bias_torch: float | None = None
    mismatches: tuple[Mismatch, ...] = ()
    dtype: str = ""

    @property
    def passed(self) -> bool:
        return not self.reason

    @property
    def spent(self) -> float:
        """Share of the tolerance that the relative error takes."""
        return (self.rel_l2 or 0.0) / self.tolerance if self.tolerance else 0.0


def right(elements: int) -> OutputComparison:
    """Nothing differs."""
    return OutputComparison("", elements, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
