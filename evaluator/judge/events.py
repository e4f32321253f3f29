"""What two CUDA events count beside the work between them: about 2 µs, a tenth of a short kernel's time (ENGINE §4)."""

from __future__ import annotations

import statistics
import typing

if typing.TYPE_CHECKING:
    import torch

PAIRS = 40
FEW, MANY = 1, 5
"""Kernels between two events, in the two measurements that the overhead follows from."""
HIDES_LAUNCHES = 200_000
"""GPU cycles, about 0.1 ms: `MANY` launches from Python take less."""
MOST_US = 5.0
"""What is more was no overhead: somebody else was at work. On an H200 it is 2.1 µs."""
MOST_SHARE = 0.5
"""So much of a sample is taken off at most."""


def overhead_us() -> float:
    """Measure it on the current CUDA device: the time of two events around one small kernel, less what each further kernel adds (µs).

    So the time that is left is what a kernel costs among others, as in a graph, where one pair of events is shared by all calls. On an H200
    what is left agrees with `gpu__time_duration` of Nsight Compute within 1 % from 25 µs on (docs/measurements.md). Takes about 20 ms.
    """
    import torch

    element = torch.zeros(1, device="cuda")
    for kernels in (FEW, MANY):
        _median_us(kernels, element)  # until code is loaded and the clocks are up
    few, many = (_median_us(kernels, element) for kernels in (FEW, MANY))
    return within_reason(few - (many - few) / (MANY - FEW) * FEW)


def within_reason(us: float) -> float:
    """0 to `MOST_US`."""
    return min(max(us, 0.0), MOST_US)


def without_overhead(sample_us: float, overhead: float) -> float:
    """A sample without the overhead. At least half of it is left: a call that launches nothing takes less than the overhead."""
    return max(sample_us - overhead, sample_us * MOST_SHARE)


def _median_us(kernels: int, element: torch.Tensor) -> float:
    """Between two events around so many kernels, each of which adds to `element`."""
    import torch

    pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(PAIRS)]  # type: ignore[no-untyped-call]
    for start, end in pairs:
        torch.cuda._sleep(HIDES_LAUNCHES)  # type: ignore[no-untyped-call]
        start.record()
        for _ in range(kernels):
            element.add_(1)
        end.record()
    torch.cuda.synchronize()
    return statistics.median(float(start.elapsed_time(end)) * 1e3 for start, end in pairs)
