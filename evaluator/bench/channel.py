"""What a command costs that does nothing, and how long a candidate takes to start."""

from __future__ import annotations

import time

from evaluator.bench.results import ChannelCost, Distribution
from evaluator.bench.settings import SOURCES, Settings
from evaluator.contract import Limits
from evaluator.judge import cores
from evaluator.judge.peer import InfrastructureError, Peer, start_baseline, start_candidate
from evaluator.ops import registry
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock

OP = "softmax"
WARM_UPS = 20
COMMAND_S = 60.0


def measure(settings: Settings) -> ChannelCost:
    """To be called in a process of its own: like any judge it leaves the timing core. Raises `InfrastructureError`, `SandboxError`."""
    from evaluator.judge.judge import Judge

    judge = Judge(settings.device, gpu_index=settings.gpu_index, sandbox_mode=settings.sandbox_mode)
    name = "cpu" if judge.gpu_index is None else (gpu(judge.gpu_index).uuid or f"gpu{judge.gpu_index}")
    source: dict[str, object] = {"source": SOURCES[OP], "filename": "submission.py", "entry_point": registry.get(OP).entry_point}
    with device_lock(name, timeout_s=600.0, purpose="bench"):
        starts: list[float] = []
        for _ in range(settings.spares):
            began = time.monotonic()
            candidate = start_candidate(judge.sandbox, judge.torch_device, Limits())
            try:
                candidate.await_ready()
                starts.append(time.monotonic() - began)
                to_candidate = _round_trips(candidate, source, settings)
            finally:
                candidate.close()
        baseline = start_baseline(judge.torch_device)
        try:
            baseline.await_ready()
            to_baseline = _round_trips(baseline, {"op": OP}, settings)
        finally:
            baseline.close()
    return ChannelCost(Distribution.of(to_candidate), Distribution.of(to_baseline), Distribution.of(starts))


def _round_trips(peer: Peer, loaded: dict[str, object], settings: Settings) -> list[float]:
    """Microseconds of `go` with nothing armed: the constant part of every timed command."""
    if settings.torch_device == "cpu":
        cores.pin(peer.process.pid)
    _command(peer, {"cmd": "load", **loaded})
    _command(peer, {"cmd": "arm", "flush_bytes": 1, "calls": []})
    taken: list[float] = []
    for _ in range(WARM_UPS + settings.commands):
        start = time.perf_counter_ns()
        _command(peer, {"cmd": "go"})
        taken.append((time.perf_counter_ns() - start) / 1e3)
    return taken[WARM_UPS:]


def _command(peer: Peer, message: dict[str, object]) -> None:
    answer = peer.command(message, timeout_s=COMMAND_S)
    if "error" in answer:
        raise InfrastructureError(f"{message['cmd']} failed: {answer['error']}")
