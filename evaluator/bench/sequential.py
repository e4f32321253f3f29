"""The same A/A as other tools would do it: one process, one measurement after the other, no interleaving."""

from __future__ import annotations

import functools
import os
import secrets
import time
from collections.abc import Callable, Sequence

from evaluator.bench.apart import apart
from evaluator.bench.repeatability import Subject
from evaluator.bench.results import Distribution, Sequential
from evaluator.bench.settings import Settings
from evaluator.candidate.timers import TIMERS
from evaluator.contract import SampleStats
from evaluator.ops.resolve import resolve
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock
from evaluator.timing.stats import sample_stats

LOCK_WAIT_S = 600.0
Rows = dict[tuple[str, str], Sequential]
"""By op and case."""


def measure(settings: Settings, subjects: Sequence[Subject], repeats: int, progress: Callable[[str], None]) -> Rows:
    """While nothing else is timed on the device."""
    found: Rows = {}
    for subject in subjects:
        for case, row in apart(of_op, settings, subject, repeats).items():
            found[subject.op, case] = row
            progress(f"{row.method} {subject.op} {case}: median ratio {row.ratio.median:.4f}, spread {row.ratio.spread:.2%}")
    return found


def of_op(settings: Settings, subject: Subject, repeats: int) -> dict[str, Sequential]:
    """`repeats` pairs of consecutive measurements of each performance case. One thread on a CPU, as both sides of the judge."""
    index = settings.gpu_index
    if index is not None:
        os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(index)}
    import torch

    from evaluator.judge.baseline import reference
    from evaluator.judge.inputs import InputSet

    device = settings.torch_device
    if device == "cpu":
        torch.set_num_threads(1)
    torch_op = reference({"op": subject.op, "definition": subject.definition})
    found: dict[str, Sequential] = {}
    with device_lock("cpu" if index is None else (gpu(index).uuid or f"gpu{index}"), timeout_s=LOCK_WAIT_S, purpose="bench"):
        for case in resolve(subject.op, subject.definition).performance_cases(settings.device):
            args, kwargs = InputSet(case, device, secrets.randbits(63)).arguments()
            found[case.name] = _pairs(functools.partial(torch_op, *args, **kwargs), repeats, device)
    return found


def _pairs(call: Callable[[], object], repeats: int, device: str) -> Sequential:
    method = "do_bench" if device == "cuda" else "cpu_bench"
    began = time.monotonic()
    pairs = [(_stats(method, call), _stats(method, call)) for _ in range(repeats)]
    seconds = (time.monotonic() - began) / (2 * repeats)
    both = [stats for pair in pairs for stats in pair]
    return Sequential(
        method=method,
        ratio=Distribution.of([first.median_us / second.median_us for first, second in pairs]),
        time_us=Distribution.of([stats.median_us for stats in both]),
        cv=Distribution.of([stats.cv for stats in both]),
        seconds=seconds,
    )


def _stats(method: str, call: Callable[[], object]) -> SampleStats:
    return sample_stats([ns / 1e3 for ns in TIMERS[method](call)])
