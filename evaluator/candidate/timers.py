"""What other tools time with: selectable for comparison, never ranked, because all of it happens in the kernel's own process."""

from __future__ import annotations

import time
from collections.abc import Callable

WARM_UPS, TIMED = 10, 100
"""Calls of `cpu_bench`."""
MAX_TIMES = 20_000


def do_bench(call: Callable[[], object]) -> list[int]:
    """Nanoseconds of each call by Triton's own benchmark with its own defaults."""
    import triton.testing

    return [round(float(ms) * 1e6) for ms in triton.testing.do_bench(call, return_mode="all")][:MAX_TIMES]


def cpu_bench(call: Callable[[], object]) -> list[int]:
    """Wall times in nanoseconds of 100 calls after 10 that do not count."""
    for _ in range(WARM_UPS):
        call()
    samples = []
    for _ in range(TIMED):
        start = time.perf_counter_ns()
        call()
        samples.append(max(time.perf_counter_ns() - start, 1))
    return samples


TIMERS: dict[str, Callable[[Callable[[], object]], list[int]]] = {"do_bench": do_bench, "cpu_bench": cpu_bench}
