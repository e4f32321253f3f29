"""Timing of one performance case: ABBA quads of commands to candidate and baseline, every output kept and looked at (ENGINE §4)."""

from __future__ import annotations

import math
import secrets
import statistics
import time
import typing
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evaluator.contract import JSON, CaseResult, CaseTiming, Event, Reason, State, Verdict
from evaluator.correctness import expected_meta
from evaluator.devices import DeviceClass
from evaluator.judge.answers import error_of, timed_of
from evaluator.judge.audit import AUDITED_US, Audit, Commanded, audited
from evaluator.judge.blocks import Block
from evaluator.judge.checking import shift
from evaluator.judge.comparing import Comparer
from evaluator.judge.failures import Ended, verdict_of
from evaluator.judge.inputs import InputSet, Place, derive, places
from evaluator.judge.looking import Looker
from evaluator.judge.peer import InfrastructureError, Peer, PeerFailure
from evaluator.ops.definition import Case, Op
from evaluator.timing import sol
from evaluator.timing.stats import StopRule, quad_ratio, ratio_estimate, sample_stats

if typing.TYPE_CHECKING:
    import torch

FLUSH_BYTES = 256 * 1024 * 1024
"""Written before each timed call on a GPU: more than twice the largest L2 cache, and long enough to hide the launch of the call."""
MIN_CALLS = 5
MAX_CALLS = 20
"""Timed calls in one command: five, or as many as make the command long enough for the judge's clock."""
LONG_CALL_S = 0.05
"""Calls that take longer are timed one a command."""
MAX_SAMPLES = 400
CHECKED_CALLS = 20
"""About so many timed calls a case are compared with the fp64 oracle; all of them with torch's own output on the same inputs."""
BLOCK_BYTES = 4 * 1024**3


@dataclass
class Side:
    """One of the two processes: where its calls lie, what its clock said, and the judge's copies of its last command's outputs."""

    peer: Peer
    block: Block
    places: list[Place]
    samples_us: list[float] = field(default_factory=list)
    host_us: list[float] = field(default_factory=list)
    outputs: list[list[torch.Tensor]] = field(default_factory=list)
    peak_bytes: int = 0


def calls_in_block(op: Op, case: Case, device: str) -> int:
    """How many calls of a case are timed in one command at most, so that a block stays below 4 GiB."""
    one = places(op, case, expected_meta(op, case, device), 1, lambda: 0)[-1].end
    return max(1, min(MAX_CALLS, BLOCK_BYTES // max(one, 1)))


class Measurement:
    """Times one case. `device` is torch's; `hardware` the device class whose ceilings count."""

    def __init__(
        self,
        op: Op,
        case: Case,
        *,
        device: str,
        hardware: DeviceClass,
        candidate: tuple[Peer, Block],
        baseline: tuple[Peer, Block],
        flush_bytes: int,
        command_s: float,
        interpreted: bool,
        emit: Callable[[Event], None],
        comparer: Comparer,
    ) -> None:
        self.op, self.case, self.device, self.hardware = op, case, device, hardware
        self.looker = Looker(op, case, comparer)
        self.flush_bytes, self.command_s, self.interpreted, self.emit = flush_bytes, command_s, interpreted, emit
        metas = expected_meta(op, case, device)
        self.most = calls_in_block(op, case, device)
        self.candidate = Side(*candidate, places(op, case, metas, self.most, shift))
        self.baseline = Side(*baseline, places(op, case, metas, self.most, shift))
        self.seed = secrets.randbits(63)
        self.drawn = 0
        self.pool = [[InputSet(case, device, self.seed)], [InputSet(case, device, self.seed)]]
        self.wrong: CaseResult | None = None
        self.clocks_disagree = False
        self.flush: torch.Tensor | None = None

    def run(self, rule: StopRule, *, budget_end: float) -> CaseResult:
        """Raises `Ended` when the candidate is gone, `InfrastructureError` when the baseline is.

        When the clocks disagree the case is measured again with as many calls a command as fit: what disturbed single commands is then
        small beside the work, and what a candidate hides is not.
        """
        calls = self._warm_up()
        result = self._measure(calls, rule, budget_end)
        if self.clocks_disagree and calls < self.most:
            self._draw_up_to(self.most)
            result = self._measure(self.most, rule, budget_end)
        return result

    def _measure(self, calls: int, rule: StopRule, budget_end: float) -> CaseResult:
        for side in (self.baseline, self.candidate):
            side.samples_us.clear()
            side.host_us.clear()
        self.looker.share = CHECKED_CALLS / (calls * 2 * (rule.first_check if not self.interpreted else rule.min_quads))
        ratios: list[float] = []
        audits: list[Audit] = []
        started = time.monotonic()
        while True:
            quad = self._quad(calls)
            if self.wrong is not None:
                return self.wrong
            a1, b1, b2, a2 = quad
            ratios.append(quad_ratio(a1.median_us, b1.median_us, b2.median_us, a2.median_us))
            audits.append(Audit((a1, a2), (b1, b2)))
            half_width = ratio_estimate(ratios).half_width if rule.wants_half_width(len(ratios)) else None
            now = time.monotonic()
            reason = rule.reason(len(ratios), now - started, half_width)
            if reason is None and len(ratios) >= rule.min_quads and (self.interpreted or now > budget_end):
                reason = "interpreted" if self.interpreted else "stage_limit"
            if len(ratios) % 10 == 0 or reason:
                estimate = ratio_estimate(ratios)
                data: dict[str, JSON] = {"case": self.case.name, "quads": len(ratios), "speedup": estimate.median}
                self.emit(Event("timing", {**data, "low": estimate.low, "high": estimate.high}))
            if reason:
                return self._result(ratios, audits, reason)

    def _warm_up(self) -> int:
        """Call both sides until code is loaded and caches are warm, and find how many calls go into a command."""
        for side in (self.baseline, self.candidate, self.baseline, self.candidate):
            self._command(side, self._draw(0, 1), warming=True)
        count = self._calls_a_command()
        self._draw_up_to(count)
        if count > 1:
            for side in (self.baseline, self.candidate):
                self._command(side, self._draw(0, count), warming=True)
        return count

    def _draw_up_to(self, calls: int) -> None:
        """Have room for the inputs of so many calls, twice."""
        for half in self.pool:
            half += [InputSet(self.case, self.device, self.seed) for _ in range(calls - len(half))]

    def _calls_a_command(self) -> int:
        slowest_us = max(self.candidate.samples_us[-1], self.baseline.samples_us[-1])
        if slowest_us > LONG_CALL_S * 1e6:
            return 1
        return min(self.most, max(MIN_CALLS, math.ceil(AUDITED_US[self.device] / self.baseline.samples_us[-1])))

    def _quad(self, calls: int) -> tuple[Commanded, Commanded, Commanded, Commanded]:
        """ABBA or BAAB, drawn anew each time. Neighbours share inputs, so that the candidate's outputs can be held against torch's."""
        baseline_first = bool(secrets.randbits(1))
        order = (self.baseline, self.candidate) if baseline_first else (self.candidate, self.baseline)
        commanded: dict[int, list[Commanded]] = {id(self.baseline): [], id(self.candidate): []}
        for half, sides in enumerate((order, order[::-1])):
            inputs = self._draw(half, calls)
            for side in sides:
                commanded[id(side)].append(self._command(side, inputs))
            self.wrong = self.wrong or self.looker.wrong(inputs, self.candidate.outputs, self.baseline.outputs)
        a1, a2 = commanded[id(self.baseline)]
        b1, b2 = commanded[id(self.candidate)]
        return a1, b1, b2, a2

    def _draw(self, half: int, calls: int) -> list[InputSet]:
        """Inputs that no call has seen."""
        chosen = self.pool[half][:calls]
        for inputs in chosen:
            self.drawn += 1
            inputs.refill(derive(self.seed, self.drawn))
        return chosen

    def _command(self, side: Side, inputs: list[InputSet], *, warming: bool = False) -> Commanded:
        """Arm the process with empty buffers, then write the inputs, then let it go: before `go` there is nothing to compute with."""
        used = side.places[: len(inputs)]
        message = {"cmd": "arm", "flush_bytes": self.flush_bytes, "calls": [place.describe("main") for place in used]}
        try:
            self._refuse_error(side, side.peer.command(message, timeout_s=self.command_s))
            cpu_before = self._cpu_reading(side)
            for place, each in zip(used, inputs, strict=True):
                place.write(side.block, each)
            self._flush_cache()
            start = time.perf_counter_ns()
            ran = side.peer.command({"cmd": "go"}, timeout_s=self.command_s)
            wall_us = (time.perf_counter_ns() - start) / 1e3
            self._refuse_error(side, ran)
            side.outputs = [[view.clone() for view in place.read(side.block)] for place in used]
            cpu_after = self._cpu_reading(side)
            timed = timed_of(self._refuse_error(side, side.peer.command({"cmd": "collect"}, timeout_s=self.command_s)), len(inputs))
        except PeerFailure as failure:
            if side is self.baseline:
                raise InfrastructureError(f"the baseline failed while timing case {self.case.name}: {failure}") from failure
            raise Ended(*verdict_of(failure, f"timing case {self.case.name}"), State.TIMING) from failure
        if not timed.kept:
            reason = Reason("changed_form", f"timing case {self.case.name}: the output's form is not what it was in the check")
            raise Ended(Verdict.WRONG_RESULT, reason, State.TIMING)
        micro = [max(ns, 1) / 1e3 for ns in timed.samples_ns]
        side.samples_us += micro
        side.host_us += [ns / 1e3 for ns in timed.host_ns]
        side.peak_bytes = max(side.peak_bytes, timed.peak_bytes)
        if side is self.candidate and not warming:
            self._unchanged(inputs, used)
        cpu_us = (cpu_after[0] - cpu_before[0]) / 1e3
        if cpu_after[1] != cpu_before[1]:  # somebody came or went, and took CPU time along that was not read
            cpu_us = max(cpu_us, wall_us)
        return Commanded(statistics.median(micro), sum(micro), wall_us, cpu_us)

    def _cpu_reading(self, side: Side) -> tuple[int, frozenset[int]]:
        """Only a CPU run is audited by CPU time; reading it costs too much to do it for nothing."""
        return side.peer.cpu_reading() if self.device == "cpu" else (0, frozenset())

    def _refuse_error(self, side: Side, answer: dict[str, object]) -> dict[str, object]:
        """The answer, unless it reports an error."""
        failed = error_of(answer)
        if failed is None:
            return answer
        if side is self.baseline:
            raise InfrastructureError(f"the baseline failed while timing case {self.case.name}: {failed.reason.message}")
        message = f"timing case {self.case.name}: {failed.reason.message}"
        raise Ended(failed.verdict, replace(failed.reason, message=message), State.TIMING)

    def _flush_cache(self) -> None:
        """On a GPU: evict what the judge just wrote, so that inputs are cold for both sides whatever the candidate does."""
        if self.device != "cuda":
            return
        import torch

        if self.flush is None:
            self.flush = torch.empty(self.flush_bytes, dtype=torch.uint8, device="cuda")
        self.flush.zero_()
        torch.cuda.synchronize()

    def _unchanged(self, inputs: list[InputSet], used: list[Place]) -> None:
        for each, place in zip(inputs, used, strict=True):
            changed = place.changed_input(self.candidate.block, each)
            if changed is not None:
                reason = Reason("input_mutated", f"timing case {self.case.name}: input {changed} was changed by a timed call")
                raise Ended(Verdict.INPUT_MUTATED, reason, State.TIMING)

    def _result(self, ratios: list[float], audits: list[Audit], reason: str) -> CaseResult:
        estimate = ratio_estimate(ratios)
        checked = audited(audits, estimate, self.device)
        audit = checked.estimate if checked else None
        self.clocks_disagree = checked is not None and checked.disagrees
        candidate = sample_stats(self.candidate.samples_us)
        cost = self.op.cost(self.case)
        light = sol.speed_of_light(cost, self.hardware, sol.precision_of(self.op, self.case))
        timing = CaseTiming(
            method="event" if self.device == "cuda" else "wall",
            candidate=candidate,
            baseline=sample_stats(self.baseline.samples_us),
            speedup=estimate.median,
            low=estimate.low,
            high=estimate.high,
            quads=len(ratios),
            stop_reason=reason,
            audit_speedup=audit.median if audit else None,
            audit_low=audit.low if audit else None,
            audit_high=audit.high if audit else None,
            gb_per_s=sol.gb_per_s(cost, candidate.median_us),
            tflop_per_s=sol.tflop_per_s(cost, candidate.median_us),
            sol_share=sol.sol_share(candidate.median_us, light),
            host_us=statistics.median(self.candidate.host_us),
            peak_memory_bytes=self.candidate.peak_bytes or None,
            samples_us=_thinned(self.candidate.samples_us),
            baseline_samples_us=_thinned(self.baseline.samples_us),
        )
        shown = self.looker.worst or CaseResult(self.case.name, "performance", True, self.case.describe())
        return replace(shown, timing=timing)


def _thinned(samples: list[float]) -> tuple[float, ...]:
    """At most 400 samples, evenly taken."""
    if len(samples) <= MAX_SAMPLES:
        return tuple(samples)
    step = len(samples) / MAX_SAMPLES
    return tuple(samples[int(i * step)] for i in range(MAX_SAMPLES))
