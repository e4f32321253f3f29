"""Hold torch, the starters and the mutants of an op against its cases, with the judge's own checker."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluator.judge.answers import error_of
from evaluator.judge.blocks import Block, new_block
from evaluator.judge.checking import CALLS_A_CASE, Checker, room
from evaluator.judge.comparing import Comparer
from evaluator.judge.failures import Ended
from evaluator.judge.judge import HARD_ENDS
from evaluator.judge.peer import Peer, start_trusted
from evaluator.ops.definition import Case, Op
from evaluator.proving.equivalent import same_function, why_the_same
from evaluator.proving.finding import Finding, Status
from evaluator.proving.kept import Kept
from evaluator.proving.mutants import Mutant, mutants
from evaluator.proving.subject import cases_of

MODULE = "evaluator.proving.process"
SEED = 7
LOAD_S, CALL_S = 60.0, 120.0
LEAST_BYTES = {"cpu": 256 * 2**20}
"""Of the block, so that few ops ask for a larger one, and with it for another process. Of a memory file only what is written takes room."""


class Prover:
    """One process that runs kernels and one block of shared memory, for ops of one device. `device` is the board's class."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.torch_device = "cpu" if device == "cpu" else "cuda"
        self._peer: Peer | None = None
        self._block: Block | None = None
        self._subject: _Subject | None = None

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None
        if self._block is not None:
            self._block.close()
            self._block = None

    def right_kernels(self, op: Op, *, starters: bool, performance: bool) -> Iterator[Finding]:
        """torch itself, and each starter, over all cases."""
        yield self._accepted(op, "torch", {"mutant": ""}, self._cases(op, performance))
        if starters:
            yield from self.starters(op, performance=performance)

    def starters(self, op: Op, *, performance: bool) -> Iterator[Finding]:
        """Each starter over all cases."""
        for kernel_type, source in op.starters.items():
            yield self._accepted(op, f"starter {kernel_type}", {"source": source}, self._cases(op, performance))

    def wrong_kernels(self, op: Op, *, performance: bool) -> Iterator[Finding]:
        """Each mutant, until a case refuses it."""
        cases = self._cases(op, performance=False)
        for mutant in mutants(op, cases):
            finding = self._killed(op, mutant, cases)
            if finding.status is Status.SURVIVED and performance:
                finding = self._killed(op, mutant, self._of(op).performance)
            if finding.status is Status.SURVIVED and mutant.by_values and same_function(op, mutant, cases):
                finding = replace(finding, status=Status.SAME, reason=why_the_same(op.slug, mutant.name))
            yield finding

    def _of(self, op: Op) -> _Subject:
        if self._subject is None or self._subject.op is not op:
            self._subject = _Subject(op, self.device, self.torch_device)
        return self._subject

    def _cases(self, op: Op, performance: bool) -> Sequence[Case]:
        subject = self._of(op)
        return [*subject.cases, *(subject.performance if performance else ())]

    def _accepted(self, op: Op, kernel: str, message: dict[str, object], cases: Sequence[Case]) -> Finding:
        return self._found(op, (kernel, kernel), message, cases, (Status.ACCEPTED, Status.REFUSED))

    def _killed(self, op: Op, mutant: Mutant, cases: Sequence[Case]) -> Finding:
        return self._found(op, (mutant.name, mutant.kind), {"mutant": mutant.name}, cases, (Status.SURVIVED, Status.KILLED))

    def _found(
        self, op: Op, kernel: tuple[str, str], message: dict[str, object], cases: Sequence[Case], statuses: tuple[Status, Status]
    ) -> Finding:
        """`kernel`: name and kind. `statuses`: what it is called when all cases pass, and when one does not."""
        started = time.monotonic()
        if self.torch_device == "cuda":
            import torch

            torch.cuda.empty_cache()  # several processes share the GPU
        refused = self._first_refusal(op, message, cases)
        case, verdict, reason = refused or ("", "", "")
        if self.torch_device == "cuda" and verdict in HARD_ENDS:
            self.close()  # after a CUDA error a process gives the same error to every later kernel
        return Finding(op.slug, *kernel, statuses[refused is not None], case, verdict, reason, len(cases), time.monotonic() - started)

    def _first_refusal(self, op: Op, message: dict[str, object], cases: Sequence[Case]) -> tuple[str, str, str] | None:
        """Case, verdict and reason of the first case that the kernel fails."""
        peer, block = self._ready(op)
        try:
            load = {"cmd": "load", "op": op.slug, "device": self.device, **message}
            failed = error_of(peer.command(load, timeout_s=LOAD_S), importing=True)
            if failed is not None:
                return "", failed.verdict, f"{failed.reason.message}\n{failed.reason.detail}"
            checker = Checker(op, peer, block, self.torch_device, Comparer(op, self.torch_device, given=self._of(op).given))
            for case in cases:
                result = checker.check(case, SEED, timeout_s=CALL_S, repeat=False)
                if not result.passed:
                    return case.name, str(result.verdict), result.reason
        except Ended as ended:
            self.close()
            return "", ended.verdict, ended.reason.message
        return None

    def _ready(self, op: Op) -> tuple[Peer, Block]:
        """The process, with a block that is large enough for the op."""
        needed = self._of(op).needed
        if self._peer is None or self._block is None or self._block.length < needed:
            self.close()
            length = max(needed, LEAST_BYTES.get(self.torch_device, 0))
            self._peer, self._block = start_trusted(MODULE, self.torch_device), new_block(self.torch_device, length)
            self._peer.await_ready()
            self._peer.allowance_bytes = self._block.length
            self._block.share(self._peer, "main", LOAD_S)
        return self._peer, self._block


class _Subject:
    """The op that is looked at, and what all its kernels share. `needed`: bytes of the block of shared memory."""

    def __init__(self, op: Op, device: str, torch_device: str) -> None:
        self.op = op
        self.cases = cases_of(op, device)
        self.performance = op.performance_cases(device)
        self.given = Kept(op, torch_device)
        self.needed = max(room(op, case, torch_device, CALLS_A_CASE) for case in (*self.cases, *self.performance))
