"""What was measured, as data that survives JSON."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.contract import JSON
from evaluator.timing.stats import quantile


@dataclass(frozen=True, slots=True)
class Distribution:
    """One figure over several runs, in the figure's own unit. `cv`: standard deviation over mean; 0 of a single value, or around 0."""

    n: int
    median: float
    p5: float
    p95: float
    low: float
    high: float
    cv: float = 0.0

    @classmethod
    def of(cls, values: Sequence[float]) -> Distribution:
        """Raises `ValueError` without values."""
        if not values:
            raise ValueError("no values")
        ordered = sorted(values)
        p5, median, p95 = (quantile(ordered, share) for share in (0.05, 0.5, 0.95))
        mean = statistics.fmean(values)
        cv = statistics.stdev(values) / abs(mean) if len(values) > 1 and mean else 0.0
        return cls(len(ordered), median, p5, p95, ordered[0], ordered[-1], cv)

    @property
    def spread(self) -> float:
        """Largest minus smallest."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Sequential:
    """The ratio of two consecutive measurements of the same call by another tool's method; `cv` is of one measurement's samples,
    `seconds` what one measurement takes."""

    method: str
    ratio: Distribution
    time_us: Distribution
    cv: Distribution
    seconds: float


@dataclass(frozen=True, slots=True)
class RepeatedCase:
    """A/A of one performance case over all runs.

    `ratio` is what the kernel's clock claims, `half_width` that of each run's 95 % interval relative to its median, `audit` the ratio
    by the judge's clock over the claimed one (None where commands are too short to audit). `seconds` is what timing a case takes in all,
    with inputs, checks of outputs and the quiet baseline.
    """

    op: str
    case: str
    method: str
    ratio: Distribution
    half_width: Distribution
    candidate_cv: Distribution
    baseline_cv: Distribution
    candidate_us: Distribution
    quads: Distribution
    seconds: Distribution
    audit: Distribution | None
    sequential: Sequential | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How the A/A runs ended. Each should be accepted; `others` says what befell those that were not."""

    runs: int
    accepted: int
    suspect: int
    audited_cases: int
    others: tuple[str, ...] = ()

    @property
    def suspect_share(self) -> float:
        return self.suspect / self.runs if self.runs else 0.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """Pairs of runs of a kernel and of the same with a share `planted` of extra work: how much slower the second seemed, in how many pairs
    it was ranked below the first, and in how many their intervals did not touch."""

    case: str
    planted: float
    pairs: int
    seen: Distribution
    right: int
    apart: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """One kernel's time by the judge and by Nsight Compute, in µs; None, and `why`, where one of them could not be had."""

    case: str
    ours_us: float | None
    ncu_us: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class StageSplit:
    """Seconds of one source's evaluations. `total` is from hand-in to outcome; `stages` leaves out what some run did not reach."""

    op: str
    kernel_type: str
    interpreted: bool
    total_s: Distribution
    stages_s: dict[str, Distribution]
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckingCost:
    """Seconds for checking one call of a case: make its inputs, compute the oracle, torch's answer in the op's dtype, and compare.
    `reading_s` is how long the device takes to read the output ten times."""

    op: str
    case: str
    output_bytes: int
    generate_s: Distribution
    oracle_s: Distribution
    torch_s: Distribution
    compare_s: Distribution
    reading_s: Distribution

    @property
    def compare_over_reading(self) -> float:
        return self.compare_s.median / self.reading_s.median


@dataclass(frozen=True, slots=True)
class ChannelCost:
    """Round trips of a command without calls, and the time from starting a candidate until it is ready."""

    candidate_us: Distribution
    baseline_us: Distribution
    spare_start_s: Distribution


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was asked for. `figures_from` is `cpu` or `cuda`: figures of one say nothing about the other."""

    taken_at: str
    figures_from: str
    device: str
    device_name: str
    quick: bool
    repeats: int
    lengths: tuple[RepeatedCase, ...]
    verdicts: Verdicts
    channel: ChannelCost | None
    checking: tuple[CheckingCost, ...]
    resolution: tuple[Resolution, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    stages: tuple[StageSplit, ...] = ()
    repeatability: tuple[RepeatedCase, ...] = ()
    seconds: float = 0.0
    environment: dict[str, JSON] = field(default_factory=dict)
    sandbox: dict[str, JSON] = field(default_factory=dict)
