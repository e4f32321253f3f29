"""Figures of a board row that are read out of an outcome: baseline, error of the time, cases won, share of the speed of light."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.contract import CaseTiming, from_json

MEDIAN_ERROR = 1.96 * 1.4826 * math.sqrt(math.pi / 2)
"""Half-width of a median's 95 % interval in units of MAD / sqrt(n): standard error of a normal sample's median, sigma from the MAD."""


@dataclass(frozen=True, slots=True)
class Measured:
    """None where the outcome does not say. `time_error_us`: half-width of the 95 % interval of the geometric mean time.

    `audited`: at least one case was long enough for the judge's own clock to measure its ratio too.
    """

    baseline_us: float | None = None
    time_error_us: float | None = None
    cases: int = 0
    cases_won: int = 0
    sol_share: float | None = None
    audited: bool = False


def case_timings(outcome: object) -> list[tuple[str, CaseTiming]]:
    """Name and timing of each timed case of an outcome's JSON, in order."""
    cases = outcome.get("cases") if isinstance(outcome, Mapping) else None
    return [
        (str(case.get("name", "")), from_json(CaseTiming, case["timing"]))
        for case in (cases if isinstance(cases, Sequence) else ())
        if isinstance(case, Mapping) and case.get("timing") is not None
    ]


def measured(outcome: object) -> Measured:
    """Sum up an outcome's timed cases (all geometric means)."""
    timings = [timing for _, timing in case_timings(outcome)]
    if not timings:
        return Measured()
    return Measured(
        baseline_us=geometric_mean(t.baseline.median_us for t in timings),
        time_error_us=_time_error_us(timings),
        cases=len(timings),
        cases_won=sum(t.low > 1 for t in timings),
        sol_share=geometric_mean(t.sol_share for t in timings),
        audited=any(t.audit_speedup is not None for t in timings),
    )


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """Geometric mean, or None when a value is missing or not positive (a mean of some cases would be another figure)."""
    logs = []
    for value in values:
        if value is None or value <= 0:
            return None
        logs.append(math.log(value))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _time_error_us(timings: Sequence[CaseTiming]) -> float | None:
    """Errors of the cases' medians, relative, added in quadrature through the mean of logarithms."""
    mean = geometric_mean(t.candidate.median_us for t in timings)
    if mean is None or any(t.candidate.n < 2 for t in timings):
        return None
    squares = ((MEDIAN_ERROR * t.candidate.mad_us / math.sqrt(t.candidate.n) / t.candidate.median_us) ** 2 for t in timings)
    return mean * math.sqrt(sum(squares)) / len(timings)
