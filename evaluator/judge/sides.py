"""Timed commands to candidate and baseline: armed with empty buffers, given inputs, let go, read by the judge's own clock (ENGINE §4)."""

from __future__ import annotations

import itertools
import random
import time
import typing
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluator.contract import Reason, State, Verdict
from evaluator.correctness import expected_meta
from evaluator.judge.alike import all_same
from evaluator.judge.answers import error_of, text_of, timed_of
from evaluator.judge.audit import Commanded
from evaluator.judge.blocks import Block
from evaluator.judge.checking import shift
from evaluator.judge.events import without_overhead
from evaluator.judge.failures import Ended, verdict_of
from evaluator.judge.inputs import InputSet, Place, copy_all, places, write_all
from evaluator.judge.peer import InfrastructureError, Peer, PeerBrokeProtocol, PeerFailure
from evaluator.ops.definition import Case, Op
from evaluator.timing.watch import NoWatch, Reading, Watch

if typing.TYPE_CHECKING:
    import torch

FLUSH_BYTES = 256 * 1024 * 1024
"""Read before each timed call on a GPU: more than twice the largest L2 cache, and long enough to hide the launch of the call."""
MAX_REASON = 300
_captures = itertools.count(1)
_random = random.SystemRandom()


class NotCapturedError(Exception):
    """The calls of a side cannot be put into a CUDA graph; the text is the harness's reason. `trusted`: the baseline's."""

    def __init__(self, why: str, *, trusted: bool) -> None:
        super().__init__(why)
        self.trusted = trusted


@dataclass
class Side:
    """One of the two processes: where its calls lie, what its clock said, and the judge's copies of its last command's outputs."""

    peer: Peer
    block: Block
    places: list[Place]
    trusted: bool = False
    samples_us: list[float] = field(default_factory=list)
    host_us: list[float] = field(default_factory=list)
    outputs: list[list[torch.Tensor]] = field(default_factory=list)
    peak_bytes: int = 0
    captured: tuple[int, int] | None = None
    """How many calls the graph has that the process holds, and the number that names it."""

    def forget(self) -> None:
        """Drop what was timed so far."""
        self.samples_us.clear()
        self.host_us.clear()


@dataclass
class Commands:
    """Gives timed commands of one case. `device` is torch's; `graph`: whether calls are replayed as one CUDA graph; `overhead_us`: what
    two events count beside what is between them."""

    op: Op
    case: Case
    device: str
    command_s: float
    flush_bytes: int = FLUSH_BYTES
    watch: Watch = field(default_factory=NoWatch)
    graph: bool = False
    overhead_us: float = 0.0
    readings: list[Reading | None] = field(default_factory=list)
    _flush: torch.Tensor | None = None

    @property
    def taken_off_us(self) -> float:
        """Of each sample. A graph's two events are around all of its calls."""
        return 0.0 if self.graph else self.overhead_us

    def side(self, process: tuple[Peer, Block], calls: int, *, trusted: bool = False) -> Side:
        """Room for that many calls in a process's block."""
        return Side(*process, places(self.op, self.case, expected_meta(self.op, self.case, self.device), calls, shift), trusted)

    def give(self, side: Side, inputs: Sequence[InputSet], *, warming: bool = False) -> Commanded:
        """Arm the process with empty buffers, then write the inputs, then let it go; take the outputs before it can do more.

        Each command has its calls at other places, but the calls of a graph, which lie where they were captured. The judge's clock stops
        when the outputs have been taken: what is still computed when a process answers, is computed on its time.
        Raises `Ended` when the candidate fails, `InfrastructureError` when the baseline does, `NotCapturedError`.
        """
        import torch

        used = side.places[: len(inputs)] if self.graph else _random.sample(side.places, len(inputs))
        try:
            self._arm(side, used)
            cpu_before = self._cpu_reading(side)
            armed = time.perf_counter_ns()
            write_all(side.block, used, inputs)
            views = [place.read(side.block) for place in used]
            side.outputs = []  # the memory of the last ones is used again
            side.outputs = [[torch.empty_like(view) for view in call] for call in views]
            self.await_device()
            written = time.perf_counter_ns()
            self._flush_cache()
            start = time.perf_counter_ns()
            ran = side.peer.command({"cmd": "go"}, timeout_s=self.command_s)
            self.refuse_error(side, ran)
            copy_all(side.outputs, views)
            self.await_device()
            wall_us = (time.perf_counter_ns() - start) / 1e3
            reading = self.watch.read()
            cpu_after = self._cpu_reading(side)
            answer = self.refuse_error(side, side.peer.command({"cmd": "collect"}, timeout_s=self.command_s))
            timed = timed_of(answer, 1 if self.graph else len(inputs))
        except PeerFailure as failure:
            if side.trusted:
                raise InfrastructureError(f"the baseline failed while timing case {self.case.name}: {failure}") from failure
            raise Ended(*verdict_of(failure, f"timing case {self.case.name}"), State.TIMING) from failure
        if not timed.kept:
            reason = Reason("changed_form", f"timing case {self.case.name}: the output's form is not what it was in the check")
            raise Ended(Verdict.WRONG_RESULT, reason, State.TIMING)
        micro = [without_overhead(max(ns, 1) / 1e3, self.taken_off_us) for ns in timed.samples_ns]
        side.samples_us += micro
        if not self.graph:  # a graph is launched once for all its calls, and keeps all their outputs
            side.host_us += [ns / 1e3 for ns in timed.host_ns]
            side.peak_bytes = max(side.peak_bytes, timed.peak_bytes)
        if not warming:
            self.readings.append(reading)
            if not side.trusted:
                self._unchanged(side, inputs, used)
        cpu_us = (cpu_after[0] - cpu_before[0]) / 1e3
        if cpu_after[1] != cpu_before[1]:  # somebody came or went, and took CPU time along that was not read
            cpu_us = max(cpu_us, wall_us)
        mean = sum(micro) / len(micro)
        return Commanded(mean, mean * len(inputs), wall_us, cpu_us, (start - armed) / 1e3, (start - written) / 1e3, reading)

    def _arm(self, side: Side, used: Sequence[Place]) -> None:
        """A graph that the process already holds is not described to it again."""
        message: dict[str, object] = {"cmd": "arm", "flush_bytes": self.flush_bytes}
        held = self.graph and side.captured is not None and side.captured[0] == len(used)
        if not held:
            message["calls"] = [place.describe("main") for place in used]
            side.captured = (len(used), next(_captures)) if self.graph else None  # a process holds one graph at a time
        if side.captured is not None:
            message["graph"] = side.captured[1]
        answer = self.refuse_error(side, side.peer.command(message, timeout_s=self.command_s))
        if "not_captured" in answer:
            side.captured = None
            if held or not self.graph:
                raise PeerBrokeProtocol("a graph was lost that it held")
            raise NotCapturedError(text_of(answer["not_captured"]).partition("\n")[0][:MAX_REASON], trusted=side.trusted)

    def _cpu_reading(self, side: Side) -> tuple[int, frozenset[int]]:
        """Only a CPU run is audited by CPU time; reading it costs too much to do it for nothing."""
        return side.peer.cpu_reading() if self.device == "cpu" else (0, frozenset())

    def refuse_error(self, side: Side, answer: dict[str, object]) -> dict[str, object]:
        """The answer, unless it reports an error."""
        failed = error_of(answer)
        if failed is None:
            return answer
        if side.trusted:
            raise InfrastructureError(f"the baseline failed while timing case {self.case.name}: {failed.reason.message}")
        message = f"timing case {self.case.name}: {failed.reason.message}"
        raise Ended(failed.verdict, replace(failed.reason, message=message), State.TIMING)

    def await_device(self) -> None:
        """On a GPU writing and reading only ask for it, and nothing orders the work of two processes."""
        if self.device == "cuda":
            import torch

            torch.cuda.synchronize()

    def _flush_cache(self) -> None:
        """On a GPU: evict what the judge just wrote, so that inputs are cold for both sides whatever the candidate does."""
        if self.device != "cuda":
            return
        import torch

        if self._flush is None:
            self._flush = torch.empty(self.flush_bytes, dtype=torch.uint8, device="cuda")
        self._flush.zero_()
        self.await_device()

    def _unchanged(self, side: Side, inputs: Sequence[InputSet], used: Sequence[Place]) -> None:
        looked_at = [pair for each, place in zip(inputs, used, strict=True) for pair in place.unchangeable(side.block, each)]
        for (number, _, _), same in zip(looked_at, all_same([pair[1:] for pair in looked_at]), strict=True):
            if not same:
                reason = Reason("input_mutated", f"timing case {self.case.name}: input {number} was changed by a timed call")
                raise Ended(Verdict.INPUT_MUTATED, reason, State.TIMING)
