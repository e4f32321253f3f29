"""Energy of a call: the board's own counter, read by NVML around a loop of calls."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator

from evaluator.judge.peer import Cancelled, InfrastructureError, Peer, PeerFailure
from evaluator.profiles import Energy
from evaluator.profiling.inside.archive import pack
from evaluator.profiling.job import Job
from evaluator.profiling.running import LEAST_S, Means, ToolFailed, last_words, memory_file, start
from evaluator.protocol import FROM_CANDIDATE_BYTES, Channel, pair

MODULE = "evaluator.profiling.inside.loop"
LOOP_S = 3.0
"""Boards count in steps of some tens of milliseconds: over three seconds they do not matter."""
_LATE_S = 1.0
"""A loop ends by itself, behind its last calls: so much is kept for them."""
_SLICE_S = 0.1
_MOST_CALLS = 10**9
_MOST_WATTS = 5000.0


def look(means: Means, job: Job, timeout_s: float) -> Energy:
    """Joules a call and mean power of the board while calls follow each other. Raises `ToolFailed`."""
    if means.gpu_index is None:
        raise ToolFailed("NVML counts the energy of GPUs, and this is a CPU")
    end = time.monotonic() + timeout_s
    with contextlib.ExitStack() as opened:
        meter = opened.enter_context(nvml_meter(means.gpu_index))
        question = memory_file("question", 1 << 22, opened)
        pack(question, [("question.json", job.question())])
        peer = _start(means, job, question, opened)
        try:
            _await(peer, means, end - LOOP_S - LEAST_S)
            peer.command({"cmd": "load"}, timeout_s=end - time.monotonic() - LOOP_S - _LATE_S)
            before_j, at = meter(), time.monotonic()
            answer = peer.command({"cmd": "loop", "seconds": LOOP_S}, timeout_s=end - time.monotonic())
            seconds, used_j = time.monotonic() - at, meter() - before_j
        except (PeerFailure, InfrastructureError) as failure:
            said = last_words(peer.process.log()[0])
            why = f"the calls did not go on: {failure}{f': {said}' if said else ''}"
            raise ToolFailed(why, hard=isinstance(failure, PeerFailure)) from failure
    return energy(used_j, seconds, answer.get("calls"))


def energy(used_j: float, seconds: float, calls: object) -> Energy:
    """What was used, by the call. Raises `ToolFailed` where figures make no sense."""
    if type(calls) is not int or not 0 < calls <= _MOST_CALLS:
        raise ToolFailed("the process did not say how many calls it made")
    if not (math.isfinite(used_j) and used_j > 0 and seconds > 0 and used_j / seconds < _MOST_WATTS):
        raise ToolFailed(f"the board's counter went from one reading to the next by {used_j:g} J in {seconds:.2f} s")
    return Energy(joules_per_call=used_j / calls, mean_watts=used_j / seconds, calls=calls, seconds=seconds)


@contextlib.contextmanager
def nvml_meter(gpu_index: int) -> Iterator[Callable[[], float]]:
    """Reads the board's energy so far in joules. Raises `ToolFailed` where there is no counter."""
    try:
        import pynvml
    except ImportError:
        raise ToolFailed("nvidia-ml-py is not installed") from None

    def joules() -> float:
        try:
            return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(pynvml.nvmlDeviceGetHandleByIndex(gpu_index))) / 1000
        except pynvml.NVMLError as error:
            raise ToolFailed(f"the energy counter of this GPU cannot be read: {error}") from None

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise ToolFailed(f"there is no energy counter: {error}") from None
    try:
        joules()
        yield joules
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _start(means: Means, job: Job, question: int, opened: contextlib.ExitStack) -> Peer:
    ours, theirs = pair()
    with theirs:
        process = start(means.sandbox, MODULE, [question, *job.files, theirs.fileno()], means.limits)
    peer = Peer(process, Channel(ours, max_frame_bytes=FROM_CANDIDATE_BYTES), means.limits)
    peer.allowance_bytes = job.block.length
    peer.cancelled = means.cancelled
    opened.callback(peer.close)
    return peer


def _await(peer: Peer, means: Means, deadline: float) -> None:
    """Wait until the process has imported what it needs. Nothing of the submission runs yet."""
    while not peer.channel.ready(_SLICE_S):
        if means.cancelled():
            raise Cancelled
        if time.monotonic() >= deadline:
            raise ToolFailed("its process did not start in time")
    peer.await_ready(means.cancelled)
