"""Statistics of timing samples: distribution of one side, ratio of two, when to stop, one score of many cases."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluator.contract import CaseTiming, SampleStats, TimingSummary

TAIL = Fraction(25, 1000)
"""Each side of a 95 % interval."""
NORMAL_95 = statistics.NormalDist().inv_cdf(0.975)
BETWEEN_PROCESSES = {"cpu": 0.0, "cuda": 0.0017}
"""By torch's device: by how much (relative standard deviation) A/A ratios in fresh processes on several machines miss 1 beyond what their
own intervals tell. A board holds entries of many machines. Measured on GPUs up to 50 µs, where it is largest; on a CPU an interval is
several times as wide anyway (`docs/measurements.md`)."""
BUDGET_S, RECORD_BUDGET_S = 2.0, 5.0
RECORD_HALF_WIDTH = 0.0025


def sample_stats(samples_us: Sequence[float]) -> SampleStats:
    """Distribution of samples in microseconds. `mad_us` is the plain median absolute deviation, `cv` deviation over mean."""
    if not samples_us:
        raise ValueError("no samples")
    ordered = sorted(samples_us)
    mean, median = statistics.fmean(ordered), statistics.median(ordered)
    return SampleStats(
        n=len(ordered),
        median_us=median,
        mean_us=mean,
        p5_us=quantile(ordered, 0.05),
        p95_us=quantile(ordered, 0.95),
        min_us=ordered[0],
        max_us=ordered[-1],
        mad_us=statistics.median(abs(sample - median) for sample in ordered),
        cv=statistics.stdev(ordered) / mean if len(ordered) > 1 and mean else 0.0,
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Quantile of sorted values, linear between neighbours."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def quad_ratio(a1: float, b1: float, b2: float, a2: float) -> float:
    """A's time over B's in one ABBA quad, as geometric means: a steady drift cancels, and swapping A and B inverts the ratio.

    With the baseline as A and the candidate as B it is the speedup.
    """
    if min(a1, b1, b2, a2) <= 0:
        raise ValueError("times must be above zero")
    return math.sqrt(a1 * a2 / (b1 * b2))


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """Median of the quads' ratios and its 95 % confidence interval."""

    median: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval, relative to the median."""
        return (self.high - self.low) / (2 * self.median)


def ratio_estimate(ratios: Sequence[float]) -> RatioEstimate:
    """Median and distribution-free confidence interval from order statistics.

    The number of values below the true median is binomial with p = 1/2, so the k-th smallest and k-th largest values enclose the
    median with probability 1 - 2 P(B < k) (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., 1999, section 3.2). The
    largest k with at least 95 % is taken. Below six values no k reaches that, and the extremes are given: 93.75 % for five.
    """
    if not ratios:
        raise ValueError("no ratios")
    ordered = sorted(ratios)
    rank = _rank(len(ordered))
    return RatioEstimate(statistics.median(ordered), ordered[rank - 1], ordered[-rank])


def _rank(n: int) -> int:
    """The largest k >= 1 with P(B < k) <= 2.5 % for B binomial(n, 1/2)."""
    allowed = 2**n * TAIL.numerator // TAIL.denominator
    rank, exactly = 0, 1
    below = exactly
    while below <= allowed:
        exactly = exactly * (n - rank) // (rank + 1)
        rank += 1
        below += exactly
    return max(rank, 1)


def across_processes(estimate: RatioEstimate, deviation: float) -> RatioEstimate:
    """The interval of what another pair of processes would measure, whose ratio differs by this standard deviation (relative, normal).

    Quads of one pair of processes cannot see that. The two errors are independent, so their squares add up, upwards and downwards apart.
    """
    margin = NORMAL_95 * deviation
    down, up = 1 - estimate.low / estimate.median, estimate.high / estimate.median - 1
    return RatioEstimate(estimate.median, estimate.median * (1 - math.hypot(down, margin)), estimate.median * (1 + math.hypot(up, margin)))


@dataclass(frozen=True, slots=True)
class StopRule:
    """When a case has been timed enough. The order is the rule: never below `min_quads`; the budget; precision; the limit."""

    budget_s: float
    min_quads: int = 5
    check_every: int = 10
    target_half_width: float = 0.005
    max_quads: int = 400
    first_check: int = 20

    def wants_half_width(self, quads: int) -> bool:
        """Whether `reason` looks at the half-width after this many quads."""
        return quads >= self.first_check and quads % self.check_every == 0

    def reason(self, quads: int, elapsed_s: float, half_width: float | None) -> str | None:
        """Why to stop (`budget`, `precise`, `max_quads`) or None to go on. `half_width` is relative to the median."""
        if quads < self.min_quads:
            return None
        if elapsed_s >= self.budget_s:
            return "budget"
        if self.wants_half_width(quads) and half_width is not None and half_width <= self.target_half_width:
            return "precise"
        if quads >= self.max_quads:
            return "max_quads"
        return None


def stop_rule(limit_s: float, *, confirming: bool = False) -> StopRule:
    """The rule of ENGINE §4: 2 s a case to ±0.5 %, and for runs that confirm a record 5 s to ±0.25 %; never more than `limit_s`."""
    if confirming:
        return StopRule(budget_s=min(RECORD_BUDGET_S, limit_s), target_half_width=RECORD_HALF_WIDTH)
    return StopRule(budget_s=min(BUDGET_S, limit_s))


def summary(cases: Sequence[CaseTiming]) -> TimingSummary:
    """Geometric means over all performance cases.

    The interval comes from error propagation of independent cases: the mean of n logarithms errs by the root of the sum of their
    squared errors over n, upwards and downwards apart.
    """
    if not cases:
        raise ValueError("no timed cases")
    speedup = statistics.geometric_mean(case.speedup for case in cases)
    down = math.hypot(*(math.log(case.speedup / case.low) for case in cases)) / len(cases)
    up = math.hypot(*(math.log(case.high / case.speedup) for case in cases)) / len(cases)
    return TimingSummary(
        speedup=speedup,
        low=speedup * math.exp(-down),
        high=speedup * math.exp(up),
        candidate_us=statistics.geometric_mean(case.candidate.median_us for case in cases),
        baseline_us=statistics.geometric_mean(case.baseline.median_us for case in cases),
        cases=len(cases),
    )
