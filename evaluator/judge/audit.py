"""The second clock: the judge times every command itself, and asks whether that agrees with what the candidate's clock says (ENGINE §4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.timing.stats import RatioEstimate, quantile, ratio_estimate

AUDITED_US = {"cpu": 1000.0, "cuda": 300.0}
"""Commands with less work than this (by the baseline's clock) do not count as audited: the constant part of a command would decide."""
AUDIT_ALLOWANCE_US = {"cpu": 200.0, "cuda": 100.0}
"""A command to the sandboxed side may cost so much more than one to the baseline before its clock is doubted."""
AUDIT_SLACK = 0.10
"""The two clocks may differ by so much, on top of both confidence intervals, before the evaluation is suspect."""
SHORTEST_US = 1.0
"""No command's calls are taken to be shorter than this: the judge's clock cannot tell."""


@dataclass(frozen=True)
class Commanded:
    """One command: median and sum of the calls' times by the process's clock, and the command's time by the judge's, in µs."""

    median_us: float
    total_us: float
    wall_us: float


@dataclass(frozen=True)
class Audit:
    """One quad by the judge's clock, in µs a command: what the baseline's calls took by its own clock, which is trusted, and what its
    commands took beside that; what the candidate's commands took in all, and what it says that its calls took.
    """

    baseline_us: float
    beside_us: float
    wall_us: float
    claimed_us: float

    @classmethod
    def of(cls, a1: Commanded, b1: Commanded, b2: Commanded, a2: Commanded) -> Audit:
        """Means of the quad's two commands a side."""
        baseline = (a1.total_us + a2.total_us) / 2
        beside = (a1.wall_us + a2.wall_us) / 2 - baseline
        return cls(baseline, beside, (b1.wall_us + b2.wall_us) / 2, (b1.total_us + b2.total_us) / 2)


@dataclass(frozen=True)
class AuditResult:
    """The ratio by the judge's clock, and whether the candidate's clock claims more than that can confirm."""

    estimate: RatioEstimate
    disagrees: bool


def audited(audits: Sequence[Audit], claimed: RatioEstimate, device: str) -> AuditResult | None:
    """None where commands are too short to say anything and nothing contradicts the candidate. `device` is torch's.

    What a command costs beside its calls is the lower quartile of what it cost the baseline's: what disturbs a command only ever makes
    it longer, and must not make the candidate look faster than its own commands show.

    The clocks disagree when the claimed interval lies above the audited one, and commands took longer than the candidate's clock
    explains by more than a sandbox can cost.
    """
    baseline = statistics.median(a.baseline_us for a in audits)
    beside = quantile(sorted(a.beside_us for a in audits), 0.25)
    took = [max(a.wall_us - beside, SHORTEST_US) for a in audits]
    estimate = ratio_estimate([baseline / us for us in took])
    excess = statistics.median(us - a.claimed_us for us, a in zip(took, audits, strict=True))
    unexplained = excess > AUDIT_ALLOWANCE_US[device] + AUDIT_SLACK * statistics.median(a.claimed_us for a in audits)
    disagrees = unexplained and claimed.low > estimate.high * (1 + AUDIT_SLACK)
    if baseline < AUDITED_US[device] and not disagrees:
        return None
    return AuditResult(estimate, disagrees)
