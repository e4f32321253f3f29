"""The figures by which the field compares kernel writers over a set of ops: correctness rate, correctness_score, fast_p, geomean.

Pure arithmetic over one result per op; `leaderboard/results.py` reads these from the database.

- **Correctness rate** and **fast_p** are KernelBench's (Ouyang et al. 2025, arXiv:2502.10517): fast_p is the share of all N tasks that
  are correct and whose speedup is greater than p, so a task that was never attempted counts as not correct, and a speedup of exactly
  p does not count. `fast_0` would be the correctness rate. Speedups are over torch_eager, the baseline that is always timed.
- **correctness_score** is BackendBench's: the share of an op's cases that pass, averaged over the ops for which there is a kernel.
- **Geomean** is over the accepted ops with a measured speedup alone, as KernelBench's for correct tasks. BackendBench counts a failed op
  as 1.0, which would lift the mean of someone whose kernels are slow: here it is left out, and the number of ops stands beside it.

Both denominators are given where the two projects differ: `…_of_attempted` divides by the ops attempted, `…_of_suite` by all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluator.contract import Verdict
from leaderboard.measured import geometric_mean

THRESHOLDS = (0.8, 1.0, 1.5, 2.0)
"""The p of fast_p, ascending."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The best evaluation of an op by whom the figures are about. `evaluations`: the best of how many.

    `correctness_score` as it counts: 1 when accepted, else the share of correctness cases that passed.
    """

    evaluation: str
    submission: str
    author: str
    agent: str
    verdict: str
    mode: str
    correctness_score: float
    evaluations: int

    @property
    def accepted(self) -> bool:
        return self.verdict == Verdict.ACCEPTED


@dataclass(frozen=True, slots=True)
class Speed:
    """The best speedup over torch_eager at an op, with its 95 % interval, and the evaluation that shows it."""

    evaluation: str
    submission: str
    author: str
    agent: str
    speedup: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OpResult:
    """What stands for one op. No attempt: never tried. Accepted without a speed: right, but nothing that may stand on a board was timed."""

    op: str
    title: str
    attempt: Attempt | None = None
    speed: Speed | None = None

    def __post_init__(self) -> None:
        if self.speed is not None and not self.accepted:
            raise ValueError(f"{self.op} has a speed but no accepted attempt")

    @property
    def accepted(self) -> bool:
        return self.attempt is not None and self.attempt.accepted

    @property
    def shown(self) -> Speed | Attempt | None:
        """Where to look: the evaluation behind the speed, else the best attempt."""
        return self.speed or self.attempt

    def faster_than(self, p: float) -> bool:
        return self.speed is not None and self.speed.speedup > p

    @property
    def passed(self) -> tuple[float, ...]:
        """The thresholds that it passes, ascending."""
        return tuple(p for p in THRESHOLDS if self.faster_than(p))


@dataclass(frozen=True, slots=True)
class FastP:
    """fast_p for one p: how many ops, and the shares that this makes (0 to 1)."""

    p: float
    ops: int
    of_suite: float
    of_attempted: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures over the ops of a suite. Shares are 0 to 1; None where nothing was attempted (or, for the geomean, timed)."""

    ops: int
    attempted: int
    accepted: int
    evaluations: int
    correctness_rate: float
    correctness_rate_of_attempted: float | None
    correctness_score: float | None
    correctness_score_of_suite: float
    fast_p: tuple[FastP, ...]
    geomean_speedup: float | None
    geomean_ops: int


def figures(results: Sequence[OpResult]) -> Figures:
    """Sum up one result per op of a suite. Raises `ValueError` when there is none: a suite has ops."""
    if not results:
        raise ValueError("there are no figures of no ops")
    ops = len(results)
    attempts = [result.attempt for result in results if result.attempt is not None]
    attempted = len(attempts)
    accepted = sum(result.accepted for result in results)
    scores = [attempt.correctness_score for attempt in attempts]
    speedups = [result.speed.speedup for result in results if result.speed is not None]

    def of_attempted(count: float) -> float | None:
        return count / attempted if attempted else None

    fast = [(p, sum(result.faster_than(p) for result in results)) for p in THRESHOLDS]
    return Figures(
        ops=ops,
        attempted=attempted,
        accepted=accepted,
        evaluations=sum(attempt.evaluations for attempt in attempts),
        correctness_rate=accepted / ops,
        correctness_rate_of_attempted=of_attempted(accepted),
        correctness_score=fmean(scores) if scores else None,
        correctness_score_of_suite=fmean(scores) * attempted / ops if scores else 0.0,
        fast_p=tuple(FastP(p, count, count / ops, of_attempted(count)) for p, count in fast),
        geomean_speedup=geometric_mean(speedups),
        geomean_ops=len(speedups),
    )


def best_of(results: Iterable[OpResult]) -> OpResult:
    """The best of several results for the same op: the best attempt, the greatest speedup; evaluations are added up.

    Raises `ValueError` when there is none.
    """
    found = list(results)
    if not found:
        raise ValueError("there is no best of nothing")
    attempts = [result.attempt for result in found if result.attempt is not None]
    speeds = [result.speed for result in found if result.speed is not None]
    if not attempts:
        return found[0]
    best = max(attempts, key=lambda attempt: (attempt.accepted, attempt.correctness_score))
    return OpResult(
        found[0].op,
        found[0].title,
        Attempt(
            best.evaluation,
            best.submission,
            best.author,
            best.agent,
            best.verdict,
            best.mode,
            best.correctness_score,
            sum(attempt.evaluations for attempt in attempts),
        ),
        max(speeds, key=lambda speed: speed.speedup, default=None),
    )


def best_first(sums: Figures) -> tuple[float, ...]:
    """Sort key: most ops beaten (fast_1), then most right, then the greatest geomean, then most cases right, then fewest evaluations."""
    fast_1 = next(fast.ops for fast in sums.fast_p if fast.p == 1.0)
    return (-fast_1, -sums.accepted, -(sums.geomean_speedup or 0.0), -sums.correctness_score_of_suite, sums.evaluations)
