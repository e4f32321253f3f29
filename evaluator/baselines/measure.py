"""All baselines of one op, one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

from evaluator.baselines.external import measured_by_a_command, timeout_of
from evaluator.baselines.figures import Clock, Figures, Status, own_clock_speedup, unavailable
from evaluator.baselines.judged import eager_of, figures_of, judge, why_not
from evaluator.baselines.names import COMMANDS, NAMES, TORCH_COMPILE, TORCH_EAGER
from evaluator.baselines.place import Place
from evaluator.baselines.source import NotPortable
from evaluator.contract import JSON, SPOILING, Limits, Verdict
from evaluator.ops.definition import Op
from evaluator.ops.untimed import why_untimed
from evaluator.runners.local import LocalRunner, RunnerError

TRIES = 3
"""A run that something spoilt is done again, as one of a submission's is that is to confirm a record."""


class Session:
    """Measures on one device. `environ` holds the external commands; `limits` are the evaluator's. Not thread-safe.

    Torch eager is timed beside torch.compile, interleaved; where only external commands are asked for, it is judged against itself, so
    that a tool's own times have something of the same minutes and machine to be held against. Raises `WrongVariable`.
    """

    def __init__(
        self, place: Place, runner: LocalRunner, environ: Mapping[str, str], *, limits: Limits | None = None, say: Callable[[str], None]
    ) -> None:
        self.place, self.runner, self.environ = place, runner, environ
        self.limits, self.say = limits or Limits(), say
        self.timeout_s = timeout_of(environ)
        self._environment: dict[str, JSON] | None = None

    def environment(self) -> dict[str, JSON]:
        """What the judge says of this machine. Raises `RunnerError`."""
        if self._environment is None:
            self._environment = dict(self.runner.facts().get("environment") or {})
        return self._environment

    def measure(self, op: Op, names: Sequence[str] = NAMES) -> Iterator[Figures]:
        """Figures of each baseline asked for, as they come. Raises `RunnerError` and `LockBusy` when something of ours fails."""
        if why := why_untimed(op, self.place.device):
            yield from (self._absent(op, name, why) for name in names)
            return
        eager: Figures | None = None
        if TORCH_COMPILE in names:
            compiled, eager = self._judged(op, TORCH_COMPILE)
            yield compiled
        if TORCH_EAGER in names:
            eager = eager or self._eager(op)
            yield eager
        for name in [name for name in names if name in COMMANDS]:
            self.say(f"{op.slug} {name}")
            figures = measured_by_a_command(op, self.place, name, self.environ, self.environment(), self.timeout_s)
            if figures.status is Status.OK:
                eager = eager or self._eager(op)
                figures = _beside(figures, eager)
            yield figures

    def _eager(self, op: Op) -> Figures:
        own, beside = self._judged(op, TORCH_EAGER)
        return beside or own

    def _judged(self, op: Op, name: str) -> tuple[Figures, Figures | None]:
        for _ in range(TRIES):
            try:
                outcome = judge(op, self.place.device, name, self.runner, self.limits, self.say)
            except NotPortable as error:
                return self._absent(op, name, f"the reference cannot be written into a file: {error}"), None
            if outcome.verdict is Verdict.INFRA_ERROR:
                raise RunnerError(f"{name}: {why_not(outcome)}")
            spoilt = [flag for flag in SPOILING if flag in outcome.flags]
            if not spoilt:
                return figures_of(outcome, name), eager_of(outcome)
            self.say(f"{op.slug} {name}: {' and '.join(spoilt)}")
        return self._absent(op, name, f"{' and '.join(spoilt)} in each of {TRIES} runs: the device was hot or not alone"), None

    def _absent(self, op: Op, name: str, why: str) -> Figures:
        clock = Clock.OWN if name in COMMANDS else Clock.INTERLEAVED
        return unavailable(op.slug, self.place.device, name, clock, why, environment=self.environment())


def _beside(figures: Figures, eager: Figures) -> Figures:
    """A tool's own figures with a speedup over torch eager of the same minutes; without, where torch eager has no figures."""
    cases, speedup = own_clock_speedup(figures.cases, {case.name: case.time_us for case in eager.cases})
    return dataclasses.replace(figures, cases=cases, speedup=speedup, eager_us=eager.time_us if speedup is not None else None)
