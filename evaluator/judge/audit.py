"""The second clock: the judge times every command itself, and asks whether that agrees with what the candidate's clock says (ENGINE §4).

On a GPU the judge's clock is wall time from `go` to its answer. On a CPU it is first the CPU time of the candidate's process as the kernel
counts it, which other work on the machine does not lengthen, and wall time with more room, for work that is given to another process.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.timing.stats import RatioEstimate, quantile, ratio_estimate
from evaluator.timing.watch import Reading

AUDITED_US = {"cpu": 1000.0, "cuda": 600.0}
"""Commands with less work than this (by the baseline's clock) do not count as audited: the constant part of a command would decide."""
PLANNED_US = {"cpu": 1250.0, "cuda": 900.0}
"""How much work a command should have, if that many calls fit."""
SHORTEST_US = 0.001


@dataclass(frozen=True)
class Commanded:
    """One command, in µs: mean and sum of its calls by the process's own clock; wall time and the process's CPU time by the judge's.

    The mean and no median: else all calls but the first could be had for nothing. `writing_us`: how long the judge took to write the
    inputs and flush the cache, the latter alone in `flushing_us`. `reading`: the GPU's clocks when it ended.
    """

    mean_us: float
    total_us: float
    wall_us: float
    cpu_us: float
    writing_us: float = 0.0
    flushing_us: float = 0.0
    reading: Reading | None = None


@dataclass(frozen=True)
class Audit:
    """The commands of one quad, two a side."""

    baseline: tuple[Commanded, Commanded]
    candidate: tuple[Commanded, Commanded]


@dataclass(frozen=True)
class Clock:
    """One clock of the judge.

    A command to the sandboxed side may cost `allowance_us` more than one to the baseline, and clocks may differ by the share `slack`.
    `quiet` is the quantile of what the baseline's commands cost beside their calls that stands for an undisturbed command: what disturbs
    wall time only lengthens it, while preemption within a call makes CPU time look short.
    """

    read: Callable[[Commanded], float]
    allowance_us: float
    slack: float
    quiet: float


CPU_TIME = Clock(lambda command: command.cpu_us, 200.0, 0.10, 0.6)
LOOSE_WALL = Clock(lambda command: command.wall_us, 20_000.0, 1.0, 0.25)
DEVICE_WALL = Clock(lambda command: command.wall_us, 60.0, 0.10, 0.5)
CLOCKS = {"cpu": (CPU_TIME, LOOSE_WALL), "cuda": (DEVICE_WALL,)}


@dataclass(frozen=True)
class AuditResult:
    """The ratio by the judge's clock, and whether the candidate's clock claims more than that can confirm.

    `excess_us`: by how much longer than the candidate's clock says a command took.
    """

    estimate: RatioEstimate
    disagrees: bool
    excess_us: float


def audited(audits: Sequence[Audit], claimed: RatioEstimate, device: str) -> AuditResult | None:
    """None where commands are too short to say anything and nothing contradicts the candidate. `device` is torch's.

    Too short is less baseline work than `AUDITED_US`, and a candidate that claims less time than the clock allows a sandbox to cost.
    """
    results = [_by(clock, audits, claimed) for clock in CLOCKS[device]]
    found = next((result for result in results if result.disagrees), results[0])
    work = statistics.median(_mean(audit.baseline, lambda command: command.total_us) for audit in audits)
    said = statistics.median(_mean(audit.candidate, lambda command: command.total_us) for audit in audits)
    enough = work >= AUDITED_US[device] and said >= CLOCKS[device][0].allowance_us
    return found if found.disagrees or enough else None


def _by(clock: Clock, audits: Sequence[Audit], claimed: RatioEstimate) -> AuditResult:
    """One clock's view. The clocks disagree when the claimed interval lies above this one's, and commands took longer than the
    candidate's clock explains by more than the clock allows.
    """
    beside = max(0.0, quantile(sorted(clock.read(c) - c.total_us for audit in audits for c in audit.baseline), clock.quiet))
    took = [max(_mean(audit.candidate, clock.read) - beside, SHORTEST_US) for audit in audits]
    work = [max(_mean(audit.baseline, clock.read) - beside, SHORTEST_US) for audit in audits]
    estimate = ratio_estimate([a / b for a, b in zip(work, took, strict=True)])
    said = [_mean(audit.candidate, lambda command: command.total_us) for audit in audits]
    excess = statistics.median(us - own for us, own in zip(took, said, strict=True))
    unexplained = excess > clock.allowance_us + clock.slack * statistics.median(said)
    return AuditResult(estimate, unexplained and claimed.low > estimate.high * (1 + clock.slack), excess)


def _mean(commands: tuple[Commanded, Commanded], read: Callable[[Commanded], float]) -> float:
    return (read(commands[0]) + read(commands[1])) / 2
