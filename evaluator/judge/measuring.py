"""Timing of one performance case: ABBA quads of commands to candidate and baseline, every output kept and looked at (ENGINE §4)."""

from __future__ import annotations

import secrets
import statistics
import time
import typing
from collections.abc import Callable, Sequence
from dataclasses import replace

from evaluator.contract import JSON, CaseResult, CaseTiming, Event
from evaluator.devices import DeviceClass
from evaluator.judge.audit import Audit, Commanded, audited
from evaluator.judge.blocks import Block
from evaluator.judge.comparing import Comparer
from evaluator.judge.doubts import Doubts, hides_in_many, shares_the_gpu, waits_for_the_gpu, works_early
from evaluator.judge.inputs import InputSet, derive
from evaluator.judge.looking import Looker
from evaluator.judge.peer import InfrastructureError, Peer
from evaluator.judge.plan import LONG_CALL_US, MAX_CALLS, MIN_CALLS, calls_a_command, calls_in_block
from evaluator.judge.quiet import Quiet
from evaluator.judge.sides import FLUSH_BYTES, Commands, NotCapturedError, Side
from evaluator.ops.definition import Case, Op
from evaluator.timing import sol
from evaluator.timing.stats import BETWEEN_PROCESSES, RatioEstimate, StopRule, across_processes, quad_ratio, ratio_estimate, sample_stats
from evaluator.timing.watch import Watch, alike, clock_stats, throttled

MAX_SAMPLES = 400
CHECKED_CALLS = 20
"""About so many timed calls a case are compared with the fp64 oracle; all of them with torch's own output on the same inputs."""
SINGLE_QUADS = 10
"""Quads of single calls, behind those that count."""
REPEATS = 2
"""How often a quad is done again at most because the clocks changed."""


class Measurement:
    """Times one case. `device` is torch's; `hardware` the device class whose ceilings count; `quiet` what the baseline took alone."""

    def __init__(
        self,
        op: Op,
        case: Case,
        *,
        device: str,
        hardware: DeviceClass,
        candidate: tuple[Peer, Block],
        baseline: tuple[Peer, Block],
        quiet: Quiet | None,
        watch: Watch,
        overhead_us: float,
        command_s: float,
        interpreted: bool,
        emit: Callable[[Event], None],
        comparer: Comparer,
        after_quad: Callable[[], None] = lambda: None,
    ) -> None:
        self.op, self.case, self.device, self.hardware = op, case, device, hardware
        self.looker = Looker(op, case, comparer)
        self.quiet, self.interpreted, self.emit, self.after_quad = quiet, interpreted, emit, after_quad
        fit = calls_in_block(op, case, hardware)
        self.most = fit if quiet is None or quiet.graph else min(fit, MAX_CALLS)
        self.commands = Commands(op, case, device, command_s, watch=watch, overhead_us=overhead_us)
        self.candidate = self.commands.side(candidate, self.most)
        self.baseline = self.commands.side(baseline, self.most, trusted=True)
        self.seed = secrets.randbits(63)
        self.drawn = 0
        self.pool = [[InputSet(case, device, self.seed)], [InputSet(case, device, self.seed)]]
        self.wrong: CaseResult | None = None
        self.not_captured = ""
        self.redone = 0
        self.throttled = False
        self.neighbour = False
        """Somebody else kept the GPU busy, as far as the judge's own work on it tells."""
        self.doubts = Doubts()

    def run(self, rule: StopRule, *, budget_end: float) -> CaseResult:
        """Raises `Ended` when the candidate is gone, `InfrastructureError` when the baseline is.

        What gives rise to doubts is measured once more. Where the clocks disagree it has as many calls a command as fit: what disturbed
        single commands is then small beside the work, and what a candidate hides is not.
        """
        calls = self._warm_up()
        result, walls_us = self._measure(calls, rule, budget_end)
        again = self._calls_to_repeat_with(calls, walls_us)
        if self.wrong is None and again and self._ready(again):
            result, _ = self._measure(again, rule, budget_end)
        return self.wrong or result

    def _calls_to_repeat_with(self, calls: int, walls_us: Sequence[float]) -> int:
        """0 where all is well."""
        if self.doubts.clocks_disagree:
            return self.most
        if walls_us and calls < self._planned() and statistics.median(walls_us) < LONG_CALL_US / 2:
            return self._planned()  # it was slow in the warm-up only, which made the commands short
        return calls if self.doubts else 0

    def _planned(self) -> int:
        """How many calls a command should have: what the baseline's own time asks for."""
        own = self.quiet.calls if self.quiet is not None else calls_a_command(self.baseline.samples_us[-1], self.most, self.device)
        return own if self.commands.graph else min(own, MAX_CALLS)

    def _measure(self, calls: int, rule: StopRule, budget_end: float) -> tuple[CaseResult, list[float]]:
        """The result and the wall times of the candidate's commands."""
        for side in (self.baseline, self.candidate):
            side.samples_us.clear()
            if not self.commands.graph:
                side.host_us.clear()
        self.commands.readings.clear()
        self.redone, self.doubts = 0, Doubts()
        self.looker.share = CHECKED_CALLS / (calls * 2 * (rule.first_check if not self.interpreted else rule.min_quads))
        ratios: list[float] = []
        audits: list[Audit] = []
        started = time.monotonic()
        while True:
            a1, b1, b2, a2 = self._steady_quad(calls)
            audits.append(Audit((a1, a2), (b1, b2)))
            if self.wrong is not None:
                return self.wrong, []
            ratios.append(quad_ratio(a1.mean_us, b1.mean_us, b2.mean_us, a2.mean_us))
            half_width = ratio_estimate(ratios).half_width if rule.wants_half_width(len(ratios)) else None
            now = time.monotonic()
            reason = rule.reason(len(ratios), now - started, half_width)
            if reason is None and len(ratios) >= rule.min_quads and (self.interpreted or now > budget_end):
                reason = "interpreted" if self.interpreted else "stage_limit"
            if len(ratios) % 10 == 0 or reason:
                estimate = self._claimed(ratio_estimate(ratios))
                data: dict[str, JSON] = {"case": self.case.name, "quads": len(ratios), "speedup": estimate.median}
                self.emit(Event("timing", {**data, "low": estimate.low, "high": estimate.high}))
            if reason:
                result = self._result(calls, ratios, audits, reason)
                self._doubt(calls, audits)
                return result, [command.wall_us for audit in audits for command in audit.candidate]

    def _warm_up(self) -> int:
        """Call both sides until code is loaded and caches are warm, and capture the calls if need be. How many go into a command."""
        walls = [self.commands.give(side, self._draw(0, 1), warming=True).wall_us for side in (self.baseline, self.candidate) * 2]
        for side in (self.baseline, self.candidate):
            side.host_us.clear()
        long = walls[-1] > LONG_CALL_US
        self._ready(1 if long else min(self._planned(), MIN_CALLS))
        if self.quiet is not None and self.quiet.graph:
            self.commands.graph = True
            self.commands.graph = self._ready(self._planned())
        calls = 1 if long else self._planned()
        self._ready(calls)
        return calls

    def _ready(self, calls: int) -> bool:
        """Have inputs for so many calls, twice, and both sides warm for them. False when the candidate cannot be captured.

        It is not captured either where what it does is missing from the graph: work on a stream that the capture did not see.
        """
        for half in self.pool:
            half += [InputSet(self.case, self.device, self.seed) for _ in range(calls - len(half))]
        inputs = self._draw(0, calls)
        try:
            for side in self._drawn_order():  # who captures first always gets the same memory for outputs
                self.commands.give(side, inputs, warming=True)
        except NotCapturedError as why:
            if why.trusted:
                raise InfrastructureError(f"the baseline was captured before and is not now, in case {self.case.name}: {why}") from why
            self.not_captured = str(why)
            return False
        self.looker.share = 0.0
        if self.commands.graph and self.looker.wrong(inputs, self.candidate.outputs, self.baseline.outputs) is not None:
            self.not_captured = "the graph does not do all of the work"
            return False
        return True

    def _steady_quad(self, calls: int) -> tuple[Commanded, Commanded, Commanded, Commanded]:
        """A quad at one clock; one in which it changed is done again."""
        for _ in range(REPEATS):
            kept = [(series, len(series)) for series in self._series()]
            quad = self._quad(calls)
            if self.wrong is not None or alike([command.reading for command in quad]):
                return quad
            self.redone += 1
            for series, length in kept:
                del series[length:]
        return self._quad(calls)

    def _series(self) -> list[list[typing.Any]]:
        """All that a quad adds to."""
        sides = (self.baseline, self.candidate)
        return [self.commands.readings, *(side.samples_us for side in sides), *(side.host_us for side in sides)]

    def _quad(self, calls: int) -> tuple[Commanded, Commanded, Commanded, Commanded]:
        """ABBA or BAAB, drawn anew each time. Neighbours share inputs, so that the candidate's outputs can be held against torch's."""
        order = self._drawn_order()
        commanded: dict[int, list[Commanded]] = {id(self.baseline): [], id(self.candidate): []}
        for half, sides in enumerate((order, order[::-1])):
            inputs = self._draw(half, calls)
            for side in sides:
                commanded[id(side)].append(self.commands.give(side, inputs))
            self.wrong = self.wrong or self.looker.wrong(inputs, self.candidate.outputs, self.baseline.outputs)
        self.after_quad()
        a1, a2 = commanded[id(self.baseline)]
        b1, b2 = commanded[id(self.candidate)]
        return a1, b1, b2, a2

    def _drawn_order(self) -> tuple[Side, Side]:
        return (self.baseline, self.candidate) if secrets.randbits(1) else (self.candidate, self.baseline)

    def _draw(self, half: int, calls: int) -> list[InputSet]:
        """Inputs that no call has seen."""
        chosen = self.pool[half][:calls]
        for inputs in chosen:
            self.drawn += 1
            inputs.refill(derive(self.seed, self.drawn))
        return chosen

    def _doubt(self, calls: int, audits: Sequence[Audit]) -> None:
        """Ask what only the commands together can tell. On a CPU other work disturbs too much of that, and calls share nothing."""
        if self.device == "cpu":
            return
        baseline_us = statistics.median(command.mean_us for audit in audits for command in audit.baseline)
        if self.quiet is not None and self.quiet.graph == self.commands.graph:
            self.doubts.drift = self.quiet.drift(baseline_us, self.commands.readings)
        self.doubts.early = works_early(audits)
        bandwidth = self.hardware.dram_bytes_per_s
        self.neighbour = shares_the_gpu(audits, FLUSH_BYTES / bandwidth * 1e6 if bandwidth else None)
        if calls == 1 or not self._ready(1):
            return
        single: list[Audit] = []
        for _ in range(SINGLE_QUADS):
            a1, b1, b2, a2 = self._quad(1)
            single.append(Audit((a1, a2), (b1, b2)))
        if self.wrong is None and hides_in_many(audits, single, graph=self.commands.graph):
            quads = [(one.baseline, one.candidate) for one in single]
            self.doubts.batched = ratio_estimate([quad_ratio(a[0].mean_us, b[0].mean_us, b[1].mean_us, a[1].mean_us) for a, b in quads])

    def _claimed(self, estimate: RatioEstimate) -> RatioEstimate:
        return across_processes(estimate, BETWEEN_PROCESSES[self.device])

    def _result(self, calls: int, ratios: list[float], audits: list[Audit], reason: str) -> CaseResult:
        estimate = ratio_estimate(ratios)
        checked = audited(audits, estimate, self.device)
        audit = checked.estimate if checked else None
        if checked is not None and checked.disagrees:
            self.doubts.waits = self.device != "cpu" and waits_for_the_gpu(checked.excess_us, calls, graph=self.commands.graph)
            self.doubts.clocks_disagree = not self.doubts.waits
        claimed = self._claimed(estimate)
        candidate, baseline = sample_stats(self.candidate.samples_us), sample_stats(self.baseline.samples_us)
        clocks = clock_stats(self.commands.readings, self.redone)
        self.throttled = throttled(clocks)
        cost = self.op.cost(self.case)
        timing = CaseTiming(
            method="wall" if self.device == "cpu" else "graph" if self.commands.graph else "event",
            candidate=candidate,
            baseline=baseline,
            speedup=claimed.median,
            low=claimed.low,
            high=claimed.high,
            quads=len(ratios),
            stop_reason=reason,
            audit_speedup=audit.median if audit else None,
            audit_low=audit.low if audit else None,
            audit_high=audit.high if audit else None,
            gb_per_s=sol.gb_per_s(cost, candidate.median_us),
            tflop_per_s=sol.tflop_per_s(cost, candidate.median_us),
            host_us=statistics.median(self.candidate.host_us) if self.candidate.host_us else None,
            peak_memory_bytes=self.candidate.peak_bytes or None,
            quiet_us=self.quiet.shortest_us if self.quiet else None,
            calls=calls,
            overhead_us=self.commands.taken_off_us,
            not_captured=self.not_captured,
            clocks=clocks,
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
