"""The same A/A as other tools would do it: one process, one measurement after the other, no interleaving."""

from __future__ import annotations

import functools
import os
import secrets
import time
from collections.abc import Callable

from evaluator.bench.apart import apart
from evaluator.bench.results import Distribution, Sequential
from evaluator.bench.settings import Settings
from evaluator.contract import SampleStats
from evaluator.ops import registry
from evaluator.sandbox.gpus import gpu
from evaluator.sandbox.lock import device_lock
from evaluator.timing.stats import sample_stats

WARM_UPS, TIMED = 10, 100
"""Calls of `cpu_bench`."""
LOCK_WAIT_S = 600.0


def measure(settings: Settings, progress: Callable[[str], None]) -> dict[tuple[str, str], Sequential]:
    """Rows by (op, case), while nothing else is timed on the device."""
    found: dict[tuple[str, str], Sequential] = {}
    for op in settings.ops:
        for case, row in apart(of_op, settings, op).items():
            found[op, case] = row
            progress(f"{row.method} {op} {case}: median ratio {row.ratio.median:.4f}, spread {row.ratio.spread:.2%}")
    return found


def of_op(settings: Settings, slug: str) -> dict[str, Sequential]:
    """`settings.repeats` pairs of consecutive measurements of each performance case. One thread on a CPU, as both sides of the judge."""
    index = settings.gpu_index
    if index is not None:
        os.environ |= {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(index)}
    import torch

    from evaluator.judge.baseline import reference
    from evaluator.judge.inputs import InputSet

    device = settings.torch_device
    if device == "cpu":
        torch.set_num_threads(1)
    torch_op = reference({"op": slug})
    found: dict[str, Sequential] = {}
    with device_lock("cpu" if index is None else (gpu(index).uuid or f"gpu{index}"), timeout_s=LOCK_WAIT_S, purpose="bench"):
        for case in registry.get(slug).performance_cases(settings.device):
            args, kwargs = InputSet(case, device, secrets.randbits(63)).arguments()
            found[case.name] = _pairs(functools.partial(torch_op, *args, **kwargs), settings.repeats, device)
    return found


def _pairs(call: Callable[[], object], repeats: int, device: str) -> Sequential:
    method = "do_bench" if device == "cuda" else "cpu_bench"
    bench = do_bench if device == "cuda" else cpu_bench
    pairs = [(bench(call), bench(call)) for _ in range(repeats)]
    both = [stats for pair in pairs for stats in pair]
    return Sequential(
        method=method,
        ratio=Distribution.of([first.median_us / second.median_us for first, second in pairs]),
        time_us=Distribution.of([stats.median_us for stats in both]),
        cv=Distribution.of([stats.cv for stats in both]),
    )


def do_bench(call: Callable[[], object]) -> SampleStats:
    """Triton's own benchmark with its own defaults."""
    import triton.testing

    return sample_stats([float(ms) * 1e3 for ms in triton.testing.do_bench(call, return_mode="all")])


def cpu_bench(call: Callable[[], object]) -> SampleStats:
    """Wall times of 100 calls after 10 that do not count."""
    for _ in range(WARM_UPS):
        call()
    samples = []
    for _ in range(TIMED):
        start = time.perf_counter_ns()
        call()
        samples.append(max(time.perf_counter_ns() - start, 1) / 1e3)
    return sample_stats(samples)
