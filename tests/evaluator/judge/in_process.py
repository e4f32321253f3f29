"""The judge's checker against a candidate's harness that runs in a thread of this process: the real protocol, in milliseconds."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

from evaluator.candidate.harness import Harness
from evaluator.contract import CaseResult, Limits
from evaluator.judge.blocks import new_block
from evaluator.judge.checking import CALLS_A_CASE, Checker, room
from evaluator.judge.peer import Peer
from evaluator.ops.definition import Case, Op
from evaluator.protocol import FROM_CANDIDATE_BYTES, TO_CANDIDATE_BYTES, Channel, pair
from evaluator.sandbox import Usage

Kernel = Callable[..., object]


class Thread:
    """What a peer asks of a process."""

    layers: dict[str, str] = {}
    left_processes = 0

    def __init__(self) -> None:
        self.pid = os.getpid()

    def poll(self) -> int | None:
        return None

    def wait(self, timeout_s: float | None = None) -> int:
        return 0

    def kill(self) -> bool:
        return True

    def usage(self) -> Usage:
        return Usage(0, 1)

    def pids(self) -> list[int]:
        return [self.pid]

    def log(self) -> tuple[str, bool]:
        return "", False

    def exit_description(self) -> str:
        return "a thread does not exit"


@contextlib.contextmanager
def candidate(kernel: Kernel) -> Iterator[Peer]:
    ours, theirs = pair()
    harness = Harness(Channel(theirs, max_frame_bytes=TO_CANDIDATE_BYTES), "cpu", lambda message: kernel)
    thread = threading.Thread(target=harness.serve)
    thread.start()
    peer = Peer(Thread(), Channel(ours, max_frame_bytes=FROM_CANDIDATE_BYTES), Limits())
    try:
        peer.await_ready()
        peer.command({"cmd": "load"}, timeout_s=30)
        yield peer
    finally:
        peer.close()
        thread.join(30)


def checked(op: Op, kernel: Kernel, case: Case, *, seed: int = 7) -> tuple[CaseResult, Checker]:
    """The result of one case, and the checker that found it."""
    with candidate(kernel) as peer:
        block = new_block("cpu", room(op, case, "cpu", CALLS_A_CASE))
        try:
            block.share(peer, "main", 30)
            checker = Checker(op, peer, block, "cpu")
            return checker.check(case, seed, timeout_s=30, repeat=True), checker
        finally:
            block.close()
