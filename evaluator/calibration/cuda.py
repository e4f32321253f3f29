"""What a GPU does: streams far larger than its L2 cache, matrix products by precision class, empty kernels."""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluator.calibration.cpu import streams
from evaluator.calibration.sampling import Sampler, Trial, UnavailableError

if typing.TYPE_CHECKING:
    import torch

MIB = 1024 * 1024
BEYOND_L2 = 20
"""A stream's array is so many times as large as the L2 cache, at least: what the last sample left there is a twentieth of it at most."""
LAUNCHES = 200
"""Empty kernels in one graph."""
BUSY_BYTES = 512 * MIB
"""Written before a single launch: for the 0.1 ms that this takes at least, the GPU is busy and the launch is queued behind it, so that the
host's own time is not in the measurement."""
WARM_S = 0.3
LEAST_CAPABILITY = {"tf32": (8, 0), "bf16": (8, 0), "fp8": (8, 9), "int8": (7, 5)}
"""Compute capabilities from which tensor cores multiply these; torch may compute them otherwise before, which would be no ceiling."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of one array of a stream, and widths of square matrices."""

    streams: tuple[int, ...]
    products: tuple[int, ...] = (4096, 8192)


def sizes(l2_bytes: int, free_bytes: int) -> Sizes:
    """Up to three sizes of stream far beyond the L2 cache; three arrays take at most half of the memory that is free."""
    least = max(256 * MIB, BEYOND_L2 * l2_bytes)
    most = max(free_bytes // 6, MIB)
    return Sizes(tuple(sorted({min(least, most), min(2 * least, most), min(4 * least, most)})))


def refused(precision: str, capability: tuple[int, int]) -> str:
    """Why a GPU of this compute capability has no tensor cores for a precision class, "" when it has."""
    least = LEAST_CAPABILITY.get(precision)
    if least is None or capability >= least:
        return ""
    return f"compute capability {capability[0]}.{capability[1]} has no {precision} products; {least[0]}.{least[1]} has"


def trials(chosen: Sizes, capability: tuple[int, int]) -> Iterator[Trial]:
    """Launches first, because later work changes nothing for them; then streams; products last, because they heat the GPU."""
    for way in ("graph", "event"):
        yield Trial("launch", way, functools.partial(_launch, way))
    for size in chosen.streams:
        for kind in ("copy", "read", "write", "triad"):
            yield Trial("bytes", kind, functools.partial(_stream, kind, size))
    for width in chosen.products:
        for precision in ("ieee_fp32", "tf32", "fp16", "bf16", "fp8", "int8"):
            yield Trial("flops", precision, functools.partial(_product, precision, width, capability))


def let_go() -> None:
    """Give the memory of the last trial back."""
    import torch

    torch.cuda.empty_cache()


def warm_up() -> None:
    """Have the GPU leave its resting clocks."""
    import time

    import torch

    x = torch.ones((2048, 2048), device="cuda")
    end = time.monotonic() + WARM_S
    while time.monotonic() < end:
        torch.mm(x, x)
        torch.cuda.synchronize()


def _stream(kind: str, size: int) -> Sampler:
    import torch

    arrays = [torch.ones(size // 4, device="cuda") for _ in range(3)]
    work, moved = streams(kind, arrays)
    return Sampler(f"{kind} of {size / MIB:g} MiB", moved * arrays[0].nbytes, lambda: _seconds(work))


def _product(precision: str, width: int, capability: tuple[int, int]) -> Sampler:
    if why := refused(precision, capability):
        raise UnavailableError(why)
    work = _multiplication(precision, width)
    return Sampler(f"{width}×{width}×{width}", 2.0 * width**3, lambda: _seconds(work))


def _multiplication(precision: str, width: int) -> Callable[[], object]:
    """One product of normal numbers: on zeros a GPU needs less power and runs faster than it ever does at work."""
    import torch

    a, b = (torch.randn((width, width), device="cuda") for _ in range(2))
    if precision in ("ieee_fp32", "tf32"):
        return lambda: _float32_product(a, b, tf32=precision == "tf32")
    if precision == "int8":
        x, y = ((each * 32).clamp(-127, 127).to(torch.int8) for each in (a, b))
        return lambda: torch._int_mm(x, y.t())
    if precision == "fp8":
        x, y = (each.to(torch.float8_e4m3fn) for each in (a, b))
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(x, y.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}[precision]
    x, y = (each.to(dtype) for each in (a, b))
    return lambda: torch.mm(x, y)


def _float32_product(a: torch.Tensor, b: torch.Tensor, *, tf32: bool) -> torch.Tensor:
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    try:
        return torch.mm(a, b)
    finally:
        torch.set_float32_matmul_precision(before)


def _launch(way: str) -> Sampler:
    """Empty kernels: many in one graph, and one alone between two events."""
    import torch

    launch, what = _empty_kernel()
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    if way == "event":
        busy = torch.empty(BUSY_BYTES, dtype=torch.uint8, device="cuda")
        return Sampler(f"{what}, alone", 1, lambda: _seconds(launch, before=busy.zero_))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            launch()
    return Sampler(f"{what}, {LAUNCHES} in a graph", LAUNCHES, lambda: _seconds(graph.replay))


def _empty_kernel() -> tuple[Callable[[], object], str]:
    """A kernel that does nothing, by Triton; without Triton, one that writes a single number."""
    import torch

    x = torch.zeros(1, device="cuda")
    try:
        from evaluator.calibration.empty_kernel import nothing

        nothing[(1,)](x)
    except Exception:  # whatever keeps Triton from compiling here, torch has a kernel that does little
        return lambda: x.add_(1.0), "torch's addition to one element"
    return lambda: nothing[(1,)](x), "empty kernel"


def _seconds(work: Callable[[], object], *, before: Callable[[], object] | None = None) -> float:
    """Device time of `work`, by events."""
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    if before is not None:
        before()
    start.record()
    work()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3
