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
    Profile,
    Reason,
    State,
    TimingSummary,
    Verdict,
    to_json,
)
from evaluator.judge import cores, environment
from evaluator.judge.answers import error_of
from evaluator.judge.blocks import Block, new_block
from evaluator.judge.checking import Checker
from evaluator.judge.comparing import Comparer, first_reason
from evaluator.judge.failures import Ended, note_untimed, verdict_of
from evaluator.judge.hog import took_all_memory
from evaluator.judge.inputs import derive
from evaluator.judge.peer import Cancelled, InfrastructureError, Peer, PeerFailure
from evaluator.judge.plan import block_length
from evaluator.judge.printed import Printed
from evaluator.judge.stopwatch import Stopwatch
from evaluator.judge.timing_stage import MAP_S, TimingStage
from evaluator.ops.definition import Case
from evaluator.ops.resolve import resolve
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.running import Means
from evaluator.profiling.stage import Profiling
from evaluator.timing.stats import summary

if typing.TYPE_CHECKING:
    from evaluator.judge.judge import Judge


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
        shelf: Shelf,
    ) -> None:
        self.judge, self.request, self.built = judge, request, built
        self.emit, self.only_case = emit, only_case
        self.printed = Printed(emit)
        self.cancelled = self.printed.told_when(cancelled, lambda: self.stage is not State.TIMING)
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
        self.candidate: Peer | None = None
        self.block: Block | None = None
        self.blocks: list[Block] = []
        self.timed_by = TimingStage(
            judge, self.op, request, interpreted=self.interpreted, emit=emit, cancelled=cancelled, comparer=self.comparer
        )
        self.shelf = shelf
        self.profile: Profile | None = None
        self.rough = False
        """A process was killed while profilers looked on: a GPU should be probed."""
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
        except RuntimeError:  # something of ours failed; torch's error for too little memory is one, too
            held = self.judge.torch_device == "cuda" and self.candidate is not None
            if not held or (reason := took_all_memory(self._end_candidate)) is None:
                raise
            verdict, reasons = Verdict.OUT_OF_MEMORY, (reason,)
        finally:
            self._end_candidate()
            self.timed_by.close()
            for block in self.blocks:
                block.close()
        self.flags += self.timed_by.flags
        if verdict is Verdict.ACCEPTED and self.timed_by.suspicions:
            verdict, reasons = Verdict.SUSPECT, tuple(self.timed_by.suspicions)
        return self._written(verdict, reasons)

    def _stages(self) -> None:
        if self.built.verdict is not None and self.built.reason is not None:
            raise Ended(self.built.verdict, self.built.reason, State.BUILDING)
        timed = self.request.mode is not Mode.TEST and self.only_case is None
        untimed = note_untimed(self.op, self.request) if timed else ""
        self._enter(State.CHECKING, self.request.limits.check_s)
        self._new_blocks(2 if timed and not untimed else 1)
        self.block, *others = self.blocks[:: secrets.choice((1, -1))]  # who asks first always gets the same memory, and calls there differ
        for block in others:
            with self._timed("timing"):
                self.timed_by.prepare(block)
        self._load(self.block)
        self._check()
        if untimed:
            self.emit(Event("note", {"text": untimed}))
        elif timed:
            self._enter(State.TIMING, self.request.limits.timing_s)
            self._time()
        if self.request.mode is Mode.PROFILE and self.only_case is None:
            self._enter(State.PROFILING, self.request.limits.profile_s)
            self._look_closer()

    def _load(self, block: Block) -> None:
        """Hand the source to a spare, with this block to call it in. Errors of the import are compile errors: nothing was called yet."""
        limits = self.request.limits
        with self._timed("importing"):
            self.candidate = peer = self.judge.take_spare(limits, self.cancelled)
            peer.cancelled = self.cancelled
            self.printed.follow(peer.process)
            self.sandbox_layers = dict(peer.process.layers)
            if self.judge.torch_device == "cpu":
                cores.pin(peer.process.pid)
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
        checker = Checker(self.op, self._peer(), self._block(), self.judge.torch_device, self.comparer)
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
        with self._timed("timing"):
            for result in self.timed_by.results((self._peer(), self._block())):
                self._add(result)
        self.timing = summary([c.timing for c in self.cases if c.timing is not None])

    def _look_closer(self) -> None:
        """Profilers start processes of their own: the timed candidate is done."""
        self._end_candidate()
        judge = self.judge
        means = Means(judge.sandbox, judge.build_sandbox, judge.gpu_index, self.request.limits, self.cancelled)
        stage = Profiling(self.op, self.request, self.built.source, means, self.shelf, device=judge.torch_device, emit=self.emit)
        with self._timed("profiling"):
            self.profile = stage.profile(self.cases)
        self.rough = stage.rough

    def _hidden_cases(self) -> Sequence[Case]:
        counter = iter(range(1_000_000))

        def pick(low: int, high: int) -> int:
            return low + derive(self.secret_seed, "hidden", next(counter)) % (high - low + 1)

        return self.op.hidden_cases(pick, self.request.device)

    def _new_blocks(self, count: int) -> None:
        checked = (*self.op.correctness_cases(self.request.device), *self._hidden_cases())
        timed = () if self.request.mode is Mode.TEST else self.op.performance_cases(self.request.device)
        length = block_length(self.op, checked, timed, self.judge.hardware)
        try:
            for _ in range(count):
                self.blocks.append(new_block(self.judge.torch_device, length))
        except (MemoryError, OSError) as error:
            raise InfrastructureError(f"no memory for the inputs of {self.op.slug}: {error}") from error

    def _enter(self, stage: State, limit_s: float) -> None:
        self.stage = stage
        self.emit(Event("stage", {"stage": stage.value, "limit_s": limit_s}))

    def _add(self, result: CaseResult) -> None:
        self.printed.tell()
        self.cases.append(result)
        self.emit(Event("case", typing.cast("dict[str, typing.Any]", to_json(_without_samples(result)))))

    def _timed(self, name: str) -> Stopwatch:
        return Stopwatch(self.seconds, name)

    def _peer(self) -> Peer:
        if self.candidate is None:
            raise InfrastructureError("no candidate")
        return self.candidate

    def _block(self) -> Block:
        """The memory that the candidate is called in."""
        if self.block is None:
            raise InfrastructureError("no block")
        return self.block

    def _end_candidate(self) -> None:
        if self.candidate is None:
            return
        self.candidate.close()
        self.printed.tell()
        self.log, cut = self.candidate.process.log()
        if cut:
            self.flags.append(Flag.LOG_CUT)
        if self.candidate.process.left_processes:
            self.flags.append(Flag.LEFT_PROCESSES)
        self.candidate = None

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
            profile=self.profile,
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
