"""The timing of all performance cases of one evaluation, from the quiet baseline to what is doubted (ENGINE §4)."""

from __future__ import annotations

import contextlib
import functools
import os
import time
import typing
from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluator.contract import CaseResult, EvaluationRequest, Event, Flag, Reason, State, Timer, Verdict
from evaluator.judge import cores, events
from evaluator.judge.blocks import Block
from evaluator.judge.comparing import Comparer, first_reason
from evaluator.judge.failures import Ended
from evaluator.judge.measuring import Measurement
from evaluator.judge.one_sided import OneSided
from evaluator.judge.peer import Cancelled, InfrastructureError, Peer, PeerFailure
from evaluator.judge.plan import by_graph, calls_in_block
from evaluator.judge.quiet import Quiet, measure
from evaluator.judge.sides import Commands
from evaluator.ops.definition import Case, Op
from evaluator.timing.least import too_fast
from evaluator.timing.sol import with_limit
from evaluator.timing.stats import stop_rule
from evaluator.timing.watch import strangers, watch_of

if typing.TYPE_CHECKING:
    from evaluator.judge.judge import Judge

MAP_S = 30.0
COMMAND_S = 15.0
"""A timed command may take so long, however short a case's budget is: on a busy machine one that is planned for a second takes five."""
MB = 1_000_000


class TimingStage:
    """`prepare` before anything of the submission runs, `results` when it has passed the check; `flags` and `suspicions` afterwards."""

    def __init__(
        self,
        judge: Judge,
        op: Op,
        request: EvaluationRequest,
        *,
        interpreted: bool,
        emit: Callable[[Event], None],
        cancelled: Callable[[], bool],
        comparer: Comparer,
    ) -> None:
        self.judge, self.op, self.request, self.interpreted = judge, op, request, interpreted
        self.emit, self.cancelled, self.comparer = emit, cancelled, comparer
        self.cases = op.performance_cases(request.device)
        self.watch = watch_of(judge.gpu_index)
        self.ceilings = judge.ceilings()
        self.quiet: dict[str, Quiet] = {}
        self.overhead_us = 0.0
        self.allowed_bytes = (request.limits.max_memory_mb or op.max_memory_mb or 0) * MB
        self.peak_bytes = 0
        self.flags: list[Flag] = []
        self.suspicions: list[Reason] = []
        self._baseline: tuple[Peer, Block] | None = None

    def prepare(self, block: Block) -> None:
        """Load the baseline, with this block to call it in, and time it alone. Raises `InfrastructureError`, `Cancelled`."""
        baseline = self.judge.take_baseline()
        baseline.cancelled = self.cancelled
        if self.judge.torch_device == "cpu":
            cores.pin(baseline.process.pid)
        block.share(baseline, "main", MAP_S)
        load = {"cmd": "load", "op": self.op.slug, "definition": self.request.definition}
        answer = baseline.command(load, timeout_s=self.request.limits.import_s)
        if "error" in answer:
            raise InfrastructureError(f"the baseline of {self.op.slug} could not be loaded: {answer['error']}")
        self._baseline = baseline, block
        if self.interpreted or self.request.timer is not Timer.ABBA:
            return
        device, command_s = self.judge.torch_device, self.request.limits.timing_s
        if device == "cuda":
            self.overhead_us = events.overhead_us()
        for case in self.cases:
            commands = Commands(self.op, case, device, command_s, watch=self.watch, overhead_us=self.overhead_us)
            most, graph = calls_in_block(self.op, case, self.judge.hardware), by_graph(self.op, case, self.judge.hardware)
            self.quiet[case.name] = measure(commands, self._baseline, most, graph=graph)

    def results(self, candidate: tuple[Peer, Block]) -> Iterator[CaseResult]:
        """One result a case, with the figure that is believed. Raises `Ended`, `InfrastructureError`, `Cancelled`."""
        limits = self.request.limits
        end = time.monotonic() + limits.timing_s
        for case in self.cases:
            left = end - time.monotonic()
            if left <= 0:
                message = f"timing all cases takes more than {limits.timing_s:g} s"
                raise Ended(Verdict.TIMEOUT, Reason("time_limit", message), State.TIMING)
            command_s = min(left, max(limits.timing_case_s * 5, COMMAND_S))
            if self.request.timer is Timer.ABBA:
                self.peak_bytes, began_s = 0, time.time()
                measurement = self._measurement(case, candidate, command_s)
                result = measurement.run(stop_rule(limits.timing_case_s, confirming=self.request.confirming), budget_end=end)
                result = self._doubted(result, measurement, alone=not measurement.neighbour and self._is_alone(candidate[0], began_s))
            else:
                result = self._one_sided(case, command_s).run(candidate, self._prepared())
            result = self._limited(result, case)
            yield result
            if not result.passed and result.verdict is not None:
                raise Ended(result.verdict, first_reason(result), State.TIMING)
            self._keep_within_memory(result)

    def close(self) -> None:
        """Take the block away from the baseline, which outlives the evaluation. One that failed to capture calls goes, too."""
        if self._baseline is None:
            return
        self._baseline[0].cancelled = lambda: False
        with contextlib.suppress(PeerFailure, Cancelled):
            self._baseline[0].command({"cmd": "unmap", "arena": "main"}, timeout_s=MAP_S)
        if any(quiet.in_vain for quiet in self.quiet.values()):
            self.judge.drop_baseline()
        self._baseline = None

    def _measurement(self, case: Case, candidate: tuple[Peer, Block], command_s: float) -> Measurement:
        return Measurement(
            self.op,
            case,
            device=self.judge.torch_device,
            hardware=self.judge.hardware,
            candidate=candidate,
            baseline=self._prepared(),
            quiet=self.quiet.get(case.name),
            watch=self.watch,
            overhead_us=self.overhead_us,
            command_s=command_s,
            interpreted=self.interpreted,
            emit=self.emit,
            comparer=self.comparer,
            after_quad=functools.partial(self._watch_memory, candidate[0]) if self.allowed_bytes else _nothing,
        )

    def _one_sided(self, case: Case, command_s: float) -> OneSided:
        device, hardware = self.judge.torch_device, self.judge.hardware
        return OneSided(
            self.op, case, device=device, hardware=hardware, timer=self.request.timer, command_s=command_s, comparer=self.comparer
        )

    def _prepared(self) -> tuple[Peer, Block]:
        if self._baseline is None:
            raise InfrastructureError("the baseline was not prepared")
        return self._baseline

    def _doubted(self, result: CaseResult, measurement: Measurement, *, alone: bool) -> CaseResult:
        """The result with the lowest figure where some disagree. Notes flags and suspicions.

        Beside somebody else's process the lowest figure counts all the same, but is not held against the submission: commands take
        longer than its clock can know, torch is slower, and so is writing. Such a run is not ranked.
        """
        timing = result.timing
        if timing is None:
            return result
        if measurement.not_captured and measurement.quiet is not None and measurement.quiet.graph:
            self.flags.append(Flag.NOT_CAPTURED)
        if measurement.throttled:
            self.flags.append(Flag.THROTTLED)
        doubts = measurement.doubts
        if alone:
            self.flags += doubts.flags()
            self.suspicions += doubts.reasons(result.name, timing)
        else:
            self.flags.append(Flag.DISTURBED)
        return replace(result, timing=doubts.believed(timing))

    def _limited(self, result: CaseResult, case: Case) -> CaseResult:
        """The result with the case's limit beside it, and a speedup that is possible. Notes suspicions."""
        if result.timing is None:
            return result
        timing = with_limit(result.timing, self.op, case, self.ceilings)
        if (reason := too_fast(result.name, timing)) is not None:
            self.suspicions.append(reason)
        return replace(result, timing=timing)

    def _is_alone(self, candidate: Peer, since_s: float) -> bool:
        """Whether nobody else worked on this GPU, as far as NVML can tell."""
        ours = {*self.judge.pids(), *candidate.process.pids()}
        return not strangers(self.watch.working(since_s), self.watch.process_bytes(), os.getpid(), ours)

    def _watch_memory(self, candidate: Peer) -> None:
        """What the driver says that the kernel's process holds beyond the baseline's."""
        held = self.watch.process_bytes()
        beyond = _held(held, candidate) - _held(held, self._prepared()[0])
        self.peak_bytes = max(self.peak_bytes, beyond)

    def _keep_within_memory(self, result: CaseResult) -> None:
        claimed = (result.timing.peak_memory_bytes or 0) if result.timing else 0
        if self.allowed_bytes and (used := max(claimed, self.peak_bytes)) > self.allowed_bytes:
            message = f"case {result.name}: {used / MB:.0f} MB of device memory at the peak, {self.allowed_bytes / MB:.0f} MB are allowed"
            raise Ended(Verdict.CONSTRAINT_VIOLATED, Reason("max_memory_mb", message), State.TIMING)


def _held(by_process: dict[int, int], peer: Peer) -> int:
    return sum(by_process.get(pid, 0) for pid in peer.process.pids())


def _nothing() -> None:
    pass
