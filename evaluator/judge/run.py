"""One evaluation from the built source to the outcome."""

from __future__ import annotations

import dataclasses
import secrets
import time
import typing
from collections.abc import Callable, Sequence

import evaluator
from evaluator.build import BuildReport
from evaluator.contract import (
    CaseResult,
    EvaluationRequest,
    Event,
    Flag,
    KernelType,
    Mode,
    Outcome,
    Reason,
    State,
    TimingSummary,
    Verdict,
    to_json,
)
from evaluator.judge import cores, environment
from evaluator.judge.answers import error_of
from evaluator.judge.blocks import Block, new_block
from evaluator.judge.checking import CALLS_A_CASE, Checker, room
from evaluator.judge.comparing import Comparer, first_reason
from evaluator.judge.failures import Ended, note_untimed, verdict_of
from evaluator.judge.inputs import derive
from evaluator.judge.measuring import FLUSH_BYTES, Measurement, calls_in_block
from evaluator.judge.peer import Cancelled, InfrastructureError, Peer, PeerFailure
from evaluator.judge.stopwatch import Stopwatch
from evaluator.ops.definition import Case
from evaluator.ops.resolve import resolve
from evaluator.timing.stats import StopRule, summary

if typing.TYPE_CHECKING:
    from evaluator.judge.judge import Judge

MAP_S = 30.0
TIMING_BUDGET_S = 2.0
FASTER_THAN_LIGHT = 1 / 0.95
"""A share of the speed of light above this is not believed."""


class Run:
    """Holds what one evaluation has found so far; `outcome()` carries it through all stages."""

    def __init__(
        self,
        judge: Judge,
        request: EvaluationRequest,
        built: BuildReport,
        *,
        emit: Callable[[Event], None],
        cancelled: Callable[[], bool],
        only_case: str | None,
        build_seconds: float,
    ) -> None:
        self.judge, self.request, self.built = judge, request, built
        self.emit, self.cancelled, self.only_case = emit, cancelled, only_case
        self.op = resolve(request.op, request.definition)
        self.comparer = Comparer(self.op, judge.torch_device, policy=request.policy, hardware=judge.hardware)
        self.interpreted = request.device == "cpu" and request.kernel_type is KernelType.TRITON
        self.public_seed = request.seed if request.seed is not None else secrets.randbits(53)
        self.secret_seed = secrets.randbits(63)
        self.cases: list[CaseResult] = []
        self.flags: list[Flag] = list(built.flags)
        self.planned = 0
        self.stage = State.BUILDING
        self.seconds: dict[str, float] = {"building": max(build_seconds, built.seconds)}
        self.timing: TimingSummary | None = None
        self.suspicions: list[Reason] = []
        self.candidate: Peer | None = None
        self.blocks: list[Block] = []
        self.log = ""
        self.sandbox_layers: dict[str, str] = {}

    def outcome(self) -> Outcome:
        """Judge. Raises `InfrastructureError` only."""
        if self.interpreted:
            self.flags.append(Flag.INTERPRETED)
        verdict, reasons = Verdict.ACCEPTED, tuple[Reason, ...]()
        try:
            self._stages()
        except Ended as ended:
            verdict, reasons, self.stage = ended.verdict, (ended.reason,), ended.stage
        except Cancelled:
            verdict, reasons = Verdict.CANCELLED, (Reason("cancelled", "cancelled while it ran"),)
        finally:
            self._end_candidate()
            for block in self.blocks:
                block.close()
        if verdict is Verdict.ACCEPTED and self.suspicions:
            verdict, reasons = Verdict.SUSPECT, tuple(self.suspicions)
        return self._written(verdict, reasons)

    def _stages(self) -> None:
        if self.built.verdict is not None and self.built.reason is not None:
            raise Ended(self.built.verdict, self.built.reason, State.BUILDING)
        timed = self.request.mode is not Mode.TEST and self.only_case is None
        untimed = note_untimed(self.op, self.request) if timed else ""
        self._enter(State.CHECKING, self.request.limits.check_s)
        self._load()
        self._check()
        if untimed:
            self.emit(Event("note", {"text": untimed}))
        elif timed:
            self._enter(State.TIMING, self.request.limits.timing_s)
            self._time()

    def _load(self) -> None:
        """Hand the source to a spare. Errors of the import are compile errors: nothing was called yet."""
        limits = self.request.limits
        with self._timed("importing"):
            self.candidate = peer = self.judge.take_spare(limits, self.cancelled)
            peer.cancelled = self.cancelled
            self.sandbox_layers = dict(peer.process.layers)
            if self.judge.torch_device == "cpu":
                cores.pin(peer.process.pid)
            block = self._new_block()
            peer.allowance_bytes = block.length
            filename = self.request.filename.rpartition("/")[2] or "submission.py"
            message = {"cmd": "load", "source": self.built.source, "filename": filename, "entry_point": self.op.entry_point}
            try:
                block.share(peer, "main", MAP_S)
                failed = error_of(peer.command(message, timeout_s=limits.import_s), importing=True)
            except PeerFailure as failure:
                raise Ended(*verdict_of(failure, "importing the source", importing=True), State.BUILDING) from failure
            if failed is not None:
                raise Ended(failed.verdict, failed.reason, State.BUILDING)

    def _check(self) -> None:
        public = self.op.correctness_cases(self.request.device)
        cases: list[tuple[Case, int]] = [(case, self.public_seed) for case in public]
        if self.only_case is not None:
            cases = [pair for pair in cases if pair[0].name == self.only_case]
            if not cases:
                names = ", ".join(case.name for case in public)
                raise Ended(
                    Verdict.REJECTED, Reason("unknown_case", f"{self.op.slug} has no case {self.only_case}; it has {names}"), State.CHECKING
                )
        else:
            cases += [(case, self.secret_seed) for case in self._hidden_cases()]
        self.planned = len(cases)
        checker = Checker(self.op, self._peer(), self.blocks[0], self.judge.torch_device, self.comparer)
        with self._timed("checking"):
            deadline = time.monotonic() + self.request.limits.check_s
            for number, (case, seed) in enumerate(cases):
                left = max(0.05, deadline - time.monotonic())
                try:
                    result = checker.check(case, seed, timeout_s=left, repeat=number == 0 or not self.interpreted)
                except Ended as ended:
                    self._add(
                        CaseResult(case.name, case.kind, False, "hidden" if case.hidden else case.describe(), case.hidden, ended.verdict)
                    )
                    raise
                self._add(result)
        if checker.nondeterministic:
            self.flags.append(Flag.NONDETERMINISTIC)
        wrong = next((c for c in self.cases if not c.passed), None)
        if wrong is not None and wrong.verdict is not None:
            raise Ended(wrong.verdict, first_reason(wrong), State.CHECKING)

    def _time(self) -> None:
        limits = self.request.limits
        baseline = self.judge.take_baseline()
        baseline.cancelled = self.cancelled
        if self.judge.torch_device == "cpu":
            cores.pin(baseline.process.pid)
        theirs = self._new_block()
        with self._timed("timing"):
            theirs.share(baseline, "main", MAP_S)
            load = {"cmd": "load", "op": self.op.slug, "definition": self.request.definition}
            baseline.command(load, timeout_s=limits.import_s)
            end = time.monotonic() + limits.timing_s
            for case in self.op.performance_cases(self.request.device):
                left = end - time.monotonic()
                if left <= 0:
                    message = f"timing all cases takes more than {limits.timing_s:g} s"
                    raise Ended(Verdict.TIMEOUT, Reason("time_limit", message), State.TIMING)
                measurement = Measurement(
                    self.op,
                    case,
                    device=self.judge.torch_device,
                    hardware=self.judge.hardware,
                    candidate=(self._peer(), self.blocks[0]),
                    baseline=(baseline, theirs),
                    flush_bytes=FLUSH_BYTES,
                    command_s=min(left, max(limits.timing_case_s, 1.0) * 5),
                    interpreted=self.interpreted,
                    emit=self.emit,
                    comparer=self.comparer,
                )
                result = measurement.run(StopRule(budget_s=min(TIMING_BUDGET_S, limits.timing_case_s)), budget_end=end)
                self._add(result)
                if not result.passed and result.verdict is not None:
                    raise Ended(result.verdict, first_reason(result), State.TIMING)
                self._doubt(result, measurement.clocks_disagree)
        self.timing = summary([c.timing for c in self.cases if c.timing is not None])

    def _doubt(self, result: CaseResult, clocks_disagree: bool) -> None:
        timing = result.timing
        if timing is None:
            return
        if clocks_disagree and timing.audit_speedup is not None:
            claimed, seen = timing.speedup, timing.audit_speedup
            self.flags.append(Flag.CLOCKS_DISAGREE)
            message = f"case {result.name}: the kernel's clock says {claimed:.2f}×, the judge's {seen:.2f}×; the lower one is stored"
            self.suspicions.append(Reason("clocks_disagree", message, hint="Join every stream and thread before you return."))
            low, high = timing.audit_low or seen, timing.audit_high or seen
            self.cases[-1] = dataclasses.replace(result, timing=dataclasses.replace(timing, speedup=seen, low=low, high=high))
        if timing.sol_share is not None and timing.sol_share > FASTER_THAN_LIGHT:
            message = f"case {result.name}: {timing.sol_share:.2f} times as fast as the hardware can be"
            self.suspicions.append(Reason("faster_than_light", message, hint="A moderator looks at it."))

    def _hidden_cases(self) -> Sequence[Case]:
        counter = iter(range(1_000_000))

        def pick(low: int, high: int) -> int:
            return low + derive(self.secret_seed, "hidden", next(counter)) % (high - low + 1)

        return self.op.hidden_cases(pick, self.request.device)

    def _new_block(self) -> Block:
        device = self.judge.torch_device
        sizes = [
            room(self.op, case, device, CALLS_A_CASE) for case in (*self.op.correctness_cases(self.request.device), *self._hidden_cases())
        ]
        if self.request.mode is not Mode.TEST:
            sizes += [room(self.op, c, device, calls_in_block(self.op, c, device)) for c in self.op.performance_cases(self.request.device)]
        try:
            block = new_block(device, max(sizes))
        except (MemoryError, OSError) as error:
            raise InfrastructureError(f"no memory for the inputs of {self.op.slug}: {error}") from error
        self.blocks.append(block)
        return block

    def _enter(self, stage: State, limit_s: float) -> None:
        self.stage = stage
        self.emit(Event("stage", {"stage": stage.value, "limit_s": limit_s}))

    def _add(self, result: CaseResult) -> None:
        self.cases.append(result)
        self.emit(Event("case", typing.cast("dict[str, typing.Any]", to_json(_without_samples(result)))))

    def _timed(self, name: str) -> Stopwatch:
        return Stopwatch(self.seconds, name)

    def _peer(self) -> Peer:
        if self.candidate is None:
            raise InfrastructureError("no candidate")
        return self.candidate

    def _end_candidate(self) -> None:
        if self.candidate is None:
            return
        self.candidate.close()
        self.log, cut = self.candidate.process.log()
        if cut:
            self.flags.append(Flag.LOG_CUT)
        if self.candidate.process.left_processes:
            self.flags.append(Flag.LEFT_PROCESSES)

    def _written(self, verdict: Verdict, reasons: tuple[Reason, ...]) -> Outcome:
        passed = sum(c.passed for c in self.cases if c.kind == "correctness")
        timed = self.timing if verdict in (Verdict.ACCEPTED, Verdict.SUSPECT) else None
        return Outcome(
            verdict=verdict,
            stage=self.stage,
            op=self.op.slug,
            device=self.request.device,
            kernel_type=self.request.kernel_type,
            mode=self.request.mode,
            reasons=reasons,
            flags=tuple(dict.fromkeys([*self.flags, *self.comparer.flags()])),
            correctness_score=passed / self.planned if self.planned else None,
            performance_score=timed.speedup if timed else None,
            cases=tuple(self.cases),
            timing=timed,
            policy=self.request.policy,
            environment=environment.snapshot(self.judge.torch_device, self.judge.gpu_index),
            sandbox=dict(self.sandbox_layers),
            stage_seconds={k: round(v, 4) for k, v in self.seconds.items()},
            log=self.log.replace("\x00", "�"),
            seed=self.public_seed,
            evaluator_version=evaluator.__version__,
        )


def _without_samples(result: CaseResult) -> CaseResult:
    if result.timing is None:
        return result
    return dataclasses.replace(result, timing=dataclasses.replace(result.timing, samples_us=(), baseline_samples_us=()))
