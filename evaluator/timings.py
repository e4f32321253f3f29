"""What timing found: part of the contract (`evaluator/contract.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.roofs import CaseLimit


@dataclass(frozen=True, slots=True)
class SampleStats:
    """Distribution of one side's device (or wall) times in one case, in microseconds; `cv` is a ratio."""

    n: int
    median_us: float
    mean_us: float
    p5_us: float
    p95_us: float
    min_us: float
    max_us: float
    mad_us: float
    cv: float


@dataclass(frozen=True, slots=True)
class ClockStats:
    """A GPU's clocks while a case was timed: range in MHz, NVML's slowdowns that at least a tenth of the commands met, quads redone.

    `power_w` and `temperature_c` are the highest that were read.
    """

    sm_low_mhz: int
    sm_high_mhz: int
    memory_mhz: int
    slowdowns: tuple[str, ...] = ()
    redone: int = 0
    power_w: float | None = None
    temperature_c: int | None = None


@dataclass(frozen=True, slots=True)
class CaseTiming:
    """Timing of one performance case against the `torch_eager` baseline, interleaved.

    `method`: `event` (CUDA events), `graph` (CUDA graph replays), `wall` (CPU), `do_bench`, `cpu_bench`. `speedup` is the
    median over quads of baseline time / candidate time; `low`, `high` its 95 % confidence interval. `audit_speedup` is the same ratio
    from the judge's own clock, None where not audited. `quiet_us` is the baseline's shortest command before the submission was loaded
    anywhere. `calls` is how many calls a command timed. `overhead_us` has been taken off every sample of the method `event`: what the two
    events count beside the call, measured before the submission was loaded anywhere. `not_captured`: why a case that is timed by graph
    was not.
    """

    method: str
    candidate: SampleStats
    baseline: SampleStats
    speedup: float
    low: float
    high: float
    quads: int
    stop_reason: str
    audit_speedup: float | None = None
    audit_low: float | None = None
    audit_high: float | None = None
    gb_per_s: float | None = None
    tflop_per_s: float | None = None
    sol_share: float | None = None
    host_us: float | None = None
    peak_memory_bytes: int | None = None
    quiet_us: float | None = None
    calls: int = 1
    overhead_us: float = 0.0
    not_captured: str = ""
    clocks: ClockStats | None = None
    limit: CaseLimit | None = None
    samples_us: tuple[float, ...] = ()
    baseline_samples_us: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class TimingSummary:
    """Score over all performance cases: geometric means; times in microseconds."""

    speedup: float
    low: float
    high: float
    candidate_us: float
    baseline_us: float
    cases: int
