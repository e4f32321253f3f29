"""The second clock: the judge times every command itself, and asks whether that agrees with what the candidate's clock says (ENGINE §4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.timing.stats import RatioEstimate, ratio_estimate

AUDITED_US = {"cpu": 1000.0, "cuda": 300.0}
"""Commands with less work than this (by the baseline's clock) are not audited: the constant part of a command would decide."""
AUDIT_ALLOWANCE_US = {"cpu": 200.0, "cuda": 100.0}
"""A command to the sandboxed side may cost so much more than one to the baseline before its clock is doubted."""
AUDIT_SLACK = 0.10
"""The two clocks may differ by so much, on top of both confidence intervals, before the evaluation is suspect."""


@dataclass(frozen=True)
class Commanded:
    """One command: median and sum of the calls' times by the process's clock, and the command's time by the judge's, in µs."""

    median_us: float
    total_us: float
    wall_us: float


@dataclass(frozen=True)
class Audit:
    """One quad by the judge's clock. What a command costs beside its calls is learnt from the baseline, whose own clock is trusted."""

    baseline_us: float
    candidate_us: float
    claimed_us: float

    @classmethod
    def of(cls, a1: Commanded, b1: Commanded, b2: Commanded, a2: Commanded) -> Audit:
        """Times a command, means of the quad's two."""
        baseline = (a1.total_us + a2.total_us) / 2
        beside = (a1.wall_us + a2.wall_us) / 2 - baseline
        candidate = (b1.wall_us + b2.wall_us) / 2 - beside
        return cls(baseline, max(candidate, baseline * 1e-6), (b1.total_us + b2.total_us) / 2)

    @property
    def ratio(self) -> float:
        return self.baseline_us / self.candidate_us


@dataclass(frozen=True)
class AuditResult:
    """The ratio by the judge's clock, and whether the candidate's clock claims more than that can confirm."""

    estimate: RatioEstimate
    disagrees: bool


def audited(audits: Sequence[Audit], claimed: RatioEstimate, device: str) -> AuditResult | None:
    """None where commands are too short to say anything. `device` is torch's.

    The clocks disagree when the claimed interval lies above the audited one, and commands took longer than the candidate's clock
    explains by more than a sandbox can cost.
    """
    if statistics.median(a.baseline_us for a in audits) < AUDITED_US[device]:
        return None
    estimate = ratio_estimate([a.ratio for a in audits])
    excess = statistics.median(a.candidate_us - a.claimed_us for a in audits)
    unexplained = excess > AUDIT_ALLOWANCE_US[device] + AUDIT_SLACK * statistics.median(a.claimed_us for a in audits)
    return AuditResult(estimate, unexplained and claimed.low > estimate.high * (1 + AUDIT_SLACK))
