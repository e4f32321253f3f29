"""What is known of one baseline of one op on one device."""

from __future__ import annotations

import enum
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evaluator.contract import JSON

MAX_WHY = 2000


class Status(enum.StrEnum):
    """Whether there are figures."""

    OK = "ok"
    UNAVAILABLE = "unavailable"


class Clock(enum.StrEnum):
    """Who timed it. `interleaved`: the judge, in quads beside torch eager. `own`: the tool itself, at a time of its own."""

    INTERLEAVED = "interleaved"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """One performance case. `time_us`, and `eager_us` of torch eager on the same inputs, are medians; the other times are the baseline's.

    `low` and `high`: the 95 % interval of `speedup`, None where nothing was interleaved.
    """

    name: str
    inputs: str
    time_us: float
    mean_us: float
    p95_us: float
    min_us: float
    max_us: float
    eager_us: float | None = None
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    tokens_per_s: float | None = None
    peak_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """A baseline with figures for every performance case, or `unavailable` with the reason. Times and speedup are geometric means over
    the cases. `flags` are those of the evaluation. `environment` is the machine's, as stored with outcomes; `command_sha256` tells
    commands apart without showing them.
    """

    op: str
    device: str
    name: str
    status: Status
    clock: Clock
    why: str = ""
    time_us: float | None = None
    eager_us: float | None = None
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    cases: tuple[CaseFigures, ...] = ()
    flags: tuple[str, ...] = ()
    environment: dict[str, JSON] = field(default_factory=dict)
    command_sha256: str = ""

    def __post_init__(self) -> None:
        if (self.status is Status.OK) != (self.time_us is not None and bool(self.cases)):
            raise ValueError("figures exactly when the status is ok")
        if (self.status is Status.UNAVAILABLE) != bool(self.why):
            raise ValueError("a reason exactly when the status is unavailable")
        if self.low is not None and self.clock is not Clock.INTERLEAVED:
            raise ValueError("an interval needs quads")


def unavailable(
    op: str, device: str, name: str, clock: Clock, why: str, *, environment: dict[str, JSON] | None = None, command_sha256: str = ""
) -> Figures:
    return Figures(op, device, name, Status.UNAVAILABLE, clock, why[:MAX_WHY], environment=environment or {}, command_sha256=command_sha256)


def own_clock_speedup(cases: Sequence[CaseFigures], eager_us: Mapping[str, float]) -> tuple[tuple[CaseFigures, ...], float | None]:
    """The cases with torch eager's median beside each and the ratio of the two, and the geometric mean of the ratios.

    Only where torch eager was timed on every case: a mean over some of the cases would compare different work.
    """
    if not cases or any(case.name not in eager_us for case in cases):
        return tuple(cases), None
    joined = tuple(replace(case, eager_us=eager_us[case.name], speedup=eager_us[case.name] / case.time_us) for case in cases)
    return joined, statistics.geometric_mean(eager_us[case.name] / case.time_us for case in cases)
