"""The time below which no right kernel can be, whatever its method: what makes a result `suspect`, and what caps a speedup.

It is lower than the speed of light, which counts the work as the op's definition does it, in the arithmetic of its precision class.
A right kernel may do with less (`docs/speed-of-light.md` has the sources):

- *Narrower products.* float32 factors, each split into a high and a low part, multiply in three products of a tensor core: TF32, float16
  and bfloat16 parts all stay within the tolerance of float32, and three of them are faster than float32 arithmetic on every class from
  the T4 on. TF32 keeps as many digits as float16, whose products run twice as fast.
- *Fewer products.* Strassen's algorithm saves an eighth of a matrix product at each level; more than two levels do not pay on hardware or
  lose digits. Winograd's and FFT algorithms save at most the window of a convolution: each output still needs one product a channel.
- *Less reading*, where the data decide (`Cost.sure_input_bytes`).

FLOPs of imported ops are counted as torch does the work, not as it could be done, so they bound nothing here. Each ceiling is the higher of
the table's and the measured one: an entry of the table that is too low condemns nobody. Measured ceilings alone condemn nobody either: they
are what our own kernels reached.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.contract import CaseTiming, Reason

if typing.TYPE_CHECKING:
    from evaluator.devices import DeviceClass, Precision
    from evaluator.ops.definition import Case, Cost, Op

BELIEVED = 0.95
"""A time below this share of the least one is not believed."""
LAUNCH_US = 0.5
"""A kernel that reads anything waits for memory once, and a cold read of device memory alone takes longer than this on every class."""
FEWEST_PRODUCTS = (7 / 8) ** 2
"""Share of a matrix product's FLOPs that two levels of Strassen's algorithm leave."""
ROUTES: Mapping[Precision, tuple[tuple[Precision, int], ...]] = {
    "ieee_fp32": (("ieee_fp32", 1), ("tf32", 3), ("fp16", 3), ("bf16", 3)),
    "tf32": (("tf32", 1), ("fp16", 1), ("bf16", 3)),
    "fp16": (("fp16", 1),),
    "bf16": (("bf16", 1), ("fp16", 1)),
    "fp8": (("fp8", 1), ("int8", 1)),
    "int8": (("int8", 1),),
}
"""For each precision class: in which arithmetic, and in how many products for one, its tolerance can be met."""
CASE_PRECISIONS: Mapping[str, Precision] = {"float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8"}


@dataclass(frozen=True, slots=True)
class Least:
    """`because` says in words what the time comes from."""

    us: float
    because: str


def least_time(op: Op, case: Case, table: DeviceClass, calibrated: DeviceClass | None = None) -> Least | None:
    """None where the table has no bandwidth for the device."""
    if not table.dram_bytes_per_s:
        return None
    cost = op.cost(case)
    return max(_limits(op, case, cost, table, calibrated), key=lambda least: least.us)


def largest_l2(table: DeviceClass, calibrated: DeviceClass | None) -> int:
    """Bytes of the L2 cache, where outputs may stay: the larger of what the table and what the machine itself says."""
    return max(table.l2_bytes, calibrated.l2_bytes if calibrated else 0)


def too_fast(name: str, timing: CaseTiming) -> Reason | None:
    """Why a case's time is not believed; None when it is."""
    limit = timing.limit
    if limit is None or limit.least_us is None or timing.candidate.median_us >= BELIEVED * limit.least_us:
        return None
    took = timing.candidate.median_us
    message = f"case {name}: {_us(took)} by the kernel's clock, but no right kernel needs less than {_us(limit.least_us)} here"
    roofs = ((limit.table, "the table"), (limit.calibrated, "calibration"))
    floors = [f"by {source} the limit is {_us(roof.floor_us)} ({roof.bound})" for roof, source in roofs if roof is not None]
    detail = "; ".join(filter(None, [f"{_us(limit.least_us)}: {limit.least_from}", *floors, limit.calibration]))
    return Reason("faster_than_light", message, detail=detail, hint="A moderator looks at it.")


def _us(value: float) -> str:
    return f"{value:,.0f} µs" if value >= 100 else f"{value:.3g} µs"


def _limits(op: Op, case: Case, cost: Cost, table: DeviceClass, calibrated: DeviceClass | None) -> Iterator[Least]:
    read = cost.input_bytes if cost.sure_input_bytes is None else cost.sure_input_bytes
    l2 = largest_l2(table, calibrated)
    rate, source = _higher(table.dram_bytes_per_s, calibrated.dram_bytes_per_s if calibrated else None)
    yield Least((read + max(0, cost.output_bytes - l2)) / rate * 1e6, f"bytes at {rate / 1e9:,.0f} GB/s ({source})")
    launches = [device.launch_us for device in (table, calibrated) if device is not None and device.launch_us]
    yield Least(min([LAUNCH_US, *launches]), "the latency of memory")
    flops = least_flops(op, case, cost)
    peaks = [_peak(precision, table, calibrated) for precision in _classes(op, case)]
    known = [peak for peak in peaks if peak is not None]
    if flops and len(known) == len(peaks):
        peak, how = max(known)
        yield Least(flops / peak * 1e6, f"FLOPs at {peak / 1e12:,.3g} TFLOP/s ({how})")


def least_flops(op: Op, case: Case, cost: Cost) -> float:
    """FLOPs that are left when nothing is computed that need not be."""
    if op.document is not None:
        return 0.0
    window = 1
    if "convolution" in op.tags:
        window = max((math.prod(spec.shape[2:]) for spec in case.tensors[1:] if len(spec.shape) > 2), default=1)
    return cost.flops * FEWEST_PRODUCTS / max(window, 1)


def _classes(op: Op, case: Case) -> set[Precision]:
    """The precision classes of the case's tensors: any of them may be the one whose tolerance counts."""
    return {CASE_PRECISIONS[spec.dtype] for spec in case.tensors if spec.dtype in CASE_PRECISIONS} or {op.precision}


def _peak(precision: Precision, table: DeviceClass, calibrated: DeviceClass | None) -> tuple[float, str] | None:
    """Products a second of a precision class, counted as FLOP/s, on the fastest way; None where no way's peak is known."""
    found = []
    for way, products in ROUTES[precision]:
        if table.flops_per_s.get(way):
            rate, source = _higher(table.flops_per_s[way], calibrated.flops_per_s.get(way) if calibrated else None)
            found.append((rate / products, f"{way}{f', {products} products for one' if products > 1 else ''}, {source}"))
    return max(found, default=None)


def _higher(table: float | None, calibrated: float | None) -> tuple[float, str]:
    """The higher ceiling and where it comes from."""
    if calibrated is not None and calibrated > (table or 0.0):
        return calibrated, "calibrated"
    return table or 0.0, "table"
