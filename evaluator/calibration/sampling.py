"""Trials, and how they are repeated: a median with its spread, within a budget of time."""

from __future__ import annotations

import time
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from evaluator.calibration.record import Figure
from evaluator.timing.stats import quantile

TRIAL_S, TOTAL_S = 0.3, 40.0
"""How long one trial is repeated, and how long all of them may take together."""
WARM_UPS = 2
FEWEST, MOST = 5, 60
"""Samples of a trial: never fewer than five once it is begun, at most sixty."""

Group = typing.Literal["bytes", "flops", "launch"]


class UnavailableError(Exception):
    """This machine cannot do what a trial measures. The message says why."""


@dataclass(frozen=True, slots=True)
class Sampler:
    """A trial that is ready. `work` is what one sample does: bytes, FLOPs or launches; `sample` gives the seconds that it took."""

    on: str
    work: float
    sample: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing to measure. `ready` allocates what it needs; it raises `UnavailableError`, or what torch raises."""

    group: Group
    name: str
    ready: Callable[[], Sampler]


@dataclass
class Found:
    """Figures by group and name, and what is absent."""

    figures: dict[Group, dict[str, list[Figure]]] = field(default_factory=lambda: {"bytes": {}, "flops": {}, "launch": {}})
    absent: dict[str, str] = field(default_factory=dict)


def measure(
    trials: Iterable[Trial],
    *,
    trial_s: float,
    total_s: float,
    now: Callable[[], float] = time.monotonic,
    let_go: Callable[[], None] = lambda: None,
) -> Found:
    """Run the trials one after the other; past `total_s` the rest is left out and said so. What has a figure at one size is not absent.

    `let_go` is called between trials, when nothing holds the memory of the last one any more.
    """
    found, started = Found(), now()
    for trial in trials:
        let_go()
        if now() - started >= total_s:
            found.absent.setdefault(trial.name, f"not measured: the {total_s:g} s for a calibration were spent")
            continue
        try:
            figure = repeated(trial, trial_s, now)
        except UnavailableError as why:
            found.absent[trial.name] = f"unavailable: {why}"
        except (RuntimeError, NotImplementedError, TypeError, AttributeError, MemoryError) as error:
            first = (str(error).strip().splitlines() or [""])[0]
            found.absent[trial.name] = f"unavailable: {type(error).__name__}: {first}"[:300]
        else:
            found.figures[trial.group].setdefault(trial.name, []).append(figure)
    for kinds in found.figures.values():
        for name in kinds:
            found.absent.pop(name, None)
    return found


def repeated(trial: Trial, trial_s: float, now: Callable[[], float] = time.monotonic) -> Figure:
    """The trial's figure: work a second, or microseconds a launch, over as many samples as fit into `trial_s`."""
    ready = trial.ready()
    for _ in range(WARM_UPS):
        ready.sample()
    started, values = now(), list[float]()
    while len(values) < FEWEST or (len(values) < MOST and now() - started < trial_s):
        seconds = ready.sample()
        if seconds <= 0:
            raise RuntimeError(f"the clock gave {seconds:g} s for {ready.on}")
        values.append(seconds * 1e6 / ready.work if trial.group == "launch" else ready.work / seconds)
    ordered = sorted(values)
    return Figure(ready.on, quantile(ordered, 0.5), quantile(ordered, 0.05), quantile(ordered, 0.95), len(ordered))
