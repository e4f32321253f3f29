"""A case timed as other tools do it: each side alone, one after the other, by a timer in its own process (`evaluator/candidate/timers.py`).

For comparison with those tools. What is timed so is believed by nobody and never ranked: one clock, no interleaving, the same inputs in
every call.
"""

from __future__ import annotations

import secrets
import typing
from collections.abc import Callable
from dataclasses import replace

from evaluator.contract import CaseResult, CaseTiming, State, Timer
from evaluator.devices import DeviceClass
from evaluator.judge.answers import CallFailed, calls_of, times_of
from evaluator.judge.blocks import Block
from evaluator.judge.comparing import Comparer
from evaluator.judge.failures import Ended, verdict_of
from evaluator.judge.inputs import InputSet
from evaluator.judge.measuring import MAX_SAMPLES
from evaluator.judge.peer import InfrastructureError, Peer, PeerFailure
from evaluator.judge.sides import Commands, Side
from evaluator.ops.definition import Case, Op
from evaluator.timing import sol
from evaluator.timing.stats import RatioEstimate, ratio_estimate, sample_stats

if typing.TYPE_CHECKING:
    import torch

Read = typing.TypeVar("Read")


class OneSided:
    """Times one case by `timer`, first the baseline, then the candidate. `device` is torch's."""

    def __init__(
        self, op: Op, case: Case, *, device: str, hardware: DeviceClass, timer: Timer, command_s: float, comparer: Comparer
    ) -> None:
        self.op, self.case, self.hardware, self.timer, self.comparer = op, case, hardware, timer, comparer
        self.commands = Commands(op, case, device, command_s)

    def run(self, candidate: tuple[Peer, Block], baseline: tuple[Peer, Block]) -> CaseResult:
        """Raises `Ended` when the candidate fails, `InfrastructureError` when the baseline does."""
        inputs = InputSet(self.case, self.commands.device, secrets.randbits(63))
        theirs = self.commands.side(baseline, 1, trusted=True)
        ours = self.commands.side(candidate, 1)
        for side in (theirs, ours):
            self._time(side, inputs)
        outputs = self._call(ours, inputs)
        result = self.comparer.compare(self.case, inputs, outputs)
        if not result.passed:
            return result
        estimate = quotient(ratio_estimate(theirs.samples_us), ratio_estimate(ours.samples_us))
        stats = sample_stats(ours.samples_us)
        cost = self.op.cost(self.case)
        timing = CaseTiming(
            method=self.timer.value,
            candidate=stats,
            baseline=sample_stats(theirs.samples_us),
            speedup=estimate.median,
            low=estimate.low,
            high=estimate.high,
            quads=0,
            stop_reason=self.timer.value,
            gb_per_s=sol.gb_per_s(cost, stats.median_us),
            tflop_per_s=sol.tflop_per_s(cost, stats.median_us),
            samples_us=tuple(ours.samples_us[:MAX_SAMPLES]),
            baseline_samples_us=tuple(theirs.samples_us[:MAX_SAMPLES]),
        )
        return replace(result, timing=timing)

    def _time(self, side: Side, inputs: InputSet) -> None:
        place = side.places[0]
        place.write(side.block, inputs)
        self.commands.await_device()
        message: dict[str, object] = {"cmd": "bench", "timer": self.timer.value, "calls": [place.describe("main")]}
        side.samples_us += [max(ns, 1) / 1e3 for ns in self._commanded(side, message, times_of)]

    def _call(self, side: Side, inputs: InputSet) -> list[torch.Tensor]:
        """The outputs of one more call, on the same inputs."""
        place = side.places[0]
        place.write(side.block, inputs)
        self.commands.await_device()
        [called] = self._commanded(side, {"cmd": "call", "calls": [place.describe("main")]}, lambda answer: calls_of(answer, 1))
        if isinstance(called, CallFailed):
            raise Ended(called.verdict, called.reason, State.TIMING)
        return [view.clone() for view in place.read(side.block)]

    def _commanded(self, side: Side, message: dict[str, object], read: Callable[[dict[str, object]], list[Read]]) -> list[Read]:
        """What the answer says."""
        try:
            answer = side.peer.command(message, timeout_s=self.commands.command_s)
            return read(self.commands.refuse_error(side, answer))
        except PeerFailure as failure:
            if side.trusted:
                raise InfrastructureError(f"the baseline failed while timing case {self.case.name}: {failure}") from failure
            raise Ended(*verdict_of(failure, f"timing case {self.case.name}"), State.TIMING) from failure


def quotient(baseline: RatioEstimate, candidate: RatioEstimate) -> RatioEstimate:
    """The speedup of two medians measured apart, with the widest interval that theirs allow."""
    return RatioEstimate(baseline.median / candidate.median, baseline.low / candidate.high, baseline.high / candidate.low)
