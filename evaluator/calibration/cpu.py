"""What a CPU's one core does: streams far larger than its caches, matrix products, the cheapest call of torch."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import time
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.calibration.sampling import Sampler, Trial, UnavailableError
from evaluator.judge.cores import timing_core

if typing.TYPE_CHECKING:
    import torch

MIB = 1024 * 1024
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
BEYOND_CACHE = 4
"""A stream's array is so many times as large as the largest cache, at least."""
SLOW_S = 0.3
"""A product that takes longer than this at its smaller size is not tried at the larger one."""
DTYPES = {"ieee_fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of one array of a stream, and widths of square matrices."""

    streams: tuple[int, ...]
    products: tuple[int, ...] = (256, 1024)


def sizes(largest_cache: int, memory: int) -> Sizes:
    """Two sizes of stream, both beyond the caches where memory allows: three arrays take at most a quarter of it."""
    least = max(128 * MIB, BEYOND_CACHE * largest_cache)
    most = max(memory // 12, 16 * MIB)
    return Sizes(tuple(sorted({min(least, most), min(2 * least, most)})))


def largest_cache(folder: Path = CACHES) -> int:
    """Bytes of the largest cache that the kernel lists for the first core; 32 MiB where it lists none."""
    found = []
    for entry in folder.glob("index*/size"):
        with contextlib.suppress(OSError):
            if text := re.fullmatch(r"(\d+)([KMG]?)", entry.read_text().strip()):
                found.append(int(text[1]) * {"": 1, "K": 1024, "M": MIB, "G": 1024 * MIB}[text[2]])
    return max(found, default=32 * MIB)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """This thread on the timing core with one thread of torch, and afterwards as before."""
    import torch

    cores, threads = os.sched_getaffinity(0), torch.get_num_threads()
    torch.set_num_threads(1)
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {timing_core()})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        torch.set_num_threads(threads)


def trials(chosen: Sizes) -> Iterator[Trial]:
    """Streams, products by precision class, the cheapest call."""
    for size in chosen.streams:
        for kind in ("copy", "read", "write", "triad"):
            yield Trial("bytes", kind, functools.partial(_stream, kind, size))
    for precision in ("ieee_fp32", "tf32", "fp16", "bf16", "fp8", "int8"):
        yield Trial("flops", precision, functools.partial(_product, precision, chosen.products))
    yield Trial("launch", "call", _cheapest_call)


def streams(kind: str, arrays: Sequence[torch.Tensor]) -> tuple[Callable[[], object], int]:
    """What a kind of stream does with three arrays, and how many of them it moves. Caches may move more, which is not counted."""
    import torch

    a, b, c = arrays
    work: dict[str, tuple[Callable[[], object], int]] = {
        "copy": (lambda: a.copy_(b), 2),
        "read": (lambda: torch.sum(b), 1),
        "write": (lambda: a.fill_(1.0), 1),
        "triad": (lambda: torch.add(b, c, alpha=3.0, out=a), 3),
    }
    return work[kind]


def _stream(kind: str, size: int) -> Sampler:
    import torch

    arrays = [torch.ones(size // 4) for _ in range(3)]
    work, moved = streams(kind, arrays)
    return Sampler(f"{kind} of {size / MIB:g} MiB", moved * arrays[0].nbytes, lambda: _seconds(work))


def _product(precision: str, widths: Sequence[int]) -> Sampler:
    """The largest of the widths at which a product does not take too long."""
    width, *larger = widths
    work = _multiplication(precision, width)
    work()
    for wanted in larger:
        if _seconds(work) * (wanted / width) ** 3 > SLOW_S:
            break
        width, work = wanted, _multiplication(precision, wanted)
    chosen = work
    return Sampler(f"{width}×{width}×{width}", 2.0 * width**3, lambda: _seconds(chosen))


def _multiplication(precision: str, width: int) -> Callable[[], object]:
    import torch

    if precision in ("tf32", "fp8"):
        raise UnavailableError(f"torch multiplies no {precision} on a CPU")
    if precision == "int8":
        whole = torch.ones(width, width, dtype=torch.int8)
        return lambda: torch._int_mm(whole, whole)
    x = torch.full((width, width), 0.5, dtype=getattr(torch, DTYPES[precision]))
    return lambda: torch.mm(x, x)


def _cheapest_call() -> Sampler:
    import torch

    x, out, count = torch.ones(1), torch.empty(1), 1000

    def calls() -> None:
        for _ in range(count):
            torch.neg(x, out=out)

    return Sampler("neg of one element", count, lambda: _seconds(calls))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1e9
