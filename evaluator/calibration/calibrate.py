"""A calibration from the lock to the record. Takes about ten seconds on a CPU, twenty on a GPU."""

from __future__ import annotations

import datetime as dt
import time

from evaluator.calibration import cpu, cuda
from evaluator.calibration.record import Calibration, fingerprint
from evaluator.calibration.sampling import TOTAL_S, TRIAL_S, Found, measure
from evaluator.correctness.affordable import device_memory
from evaluator.judge import environment
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock

LOCK_WAIT_S = 600.0


def calibrate(
    device: str,
    gpu_index: int | None = None,
    *,
    total_s: float = TOTAL_S,
    wait_s: float = LOCK_WAIT_S,
    cpu_sizes: cpu.Sizes | None = None,
) -> Calibration:
    """Measure the device while nobody else is judged on it. `device` is the board's hardware class.

    Trials that have not begun after `total_s` are left out. `cpu_sizes` None: as large as the caches of this machine ask for. Raises
    `LockBusy`.
    """
    name = "cpu" if device == "cpu" else gpu(gpu_index or 0).uuid or f"gpu{gpu_index or 0}"
    with device_lock(name, timeout_s=wait_s, purpose="calibration"):
        started = time.monotonic()
        trial_s = min(TRIAL_S, total_s / 20)
        found, l2_bytes = _cpu(trial_s, total_s, cpu_sizes) if device == "cpu" else _cuda(trial_s, total_s)
        seconds = time.monotonic() - started
    figures = {group: {kind: tuple(of_kind) for kind, of_kind in kinds.items()} for group, kinds in found.figures.items()}
    return Calibration(
        device=device,
        made_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        fingerprint=fingerprint(environment.snapshot("cpu" if device == "cpu" else "cuda", gpu_index)),
        bytes_per_s=figures["bytes"],
        flops_per_s=figures["flops"],
        launch_us=figures["launch"],
        absent=found.absent,
        l2_bytes=l2_bytes,
    )


def _cpu(trial_s: float, total_s: float, chosen: cpu.Sizes | None) -> tuple[Found, int]:
    sizes = chosen or cpu.sizes(cpu.largest_cache(), device_memory("cpu"))
    with cpu.one_core():
        return measure(cpu.trials(sizes), trial_s=trial_s, total_s=total_s), 0


def _cuda(trial_s: float, total_s: float) -> tuple[Found, int]:
    import torch

    current = torch.cuda.current_device()
    facts = torch.cuda.get_device_properties(current)
    l2_bytes = int(getattr(facts, "L2_cache_size", 0))
    free, _ = torch.cuda.mem_get_info(current)
    cuda.warm_up()
    trials = cuda.trials(cuda.sizes(l2_bytes, free), (facts.major, facts.minor))
    return measure(trials, trial_s=trial_s, total_s=total_s, let_go=cuda.let_go), l2_bytes
