"""Speed of light: the least time that a device needs for a case, and how a measured time compares with it."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass

from evaluator.contract import CaseTiming
from evaluator.roofs import CaseLimit, Roof
from evaluator.timing.least import CASE_PRECISIONS as CASE_PRECISIONS
from evaluator.timing.least import largest_l2, least_time

if typing.TYPE_CHECKING:
    from evaluator.devices import DeviceClass, Precision
    from evaluator.ops.definition import Case, Cost, Op


@dataclass(frozen=True, slots=True)
class SpeedOfLight:
    """`floor_us` is None where the device's ceilings are not known. `bound` names what the floor comes from."""

    floor_us: float | None
    bound: typing.Literal["bytes", "flops", "launch", "unknown"]


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What bounds a device: the table of its class and, where it still holds, what was measured on this machine.

    `note` says when that was measured, or why nothing measured counts.
    """

    table: DeviceClass
    calibrated: DeviceClass | None = None
    note: str = ""


def precision_of(op: Op, case: Case) -> Precision:
    """The class whose peak bounds the case: that of its narrow floats, else the op's."""
    narrow = {CASE_PRECISIONS[spec.dtype] for spec in case.tensors if spec.dtype in CASE_PRECISIONS}
    return narrow.pop() if len(narrow) == 1 else op.precision


def memory_bytes(cost: Cost, l2_bytes: int) -> int:
    """The inputs and what of the outputs does not fit into the L2 cache, where a timed call may leave them."""
    return cost.input_bytes + max(0, cost.output_bytes - l2_bytes)


def speed_of_light(cost: Cost, device: DeviceClass, precision: Precision) -> SpeedOfLight:
    """T_SOL = max(bytes that cross memory / bandwidth, FLOPs / peak, launch floor)."""
    limits: list[tuple[float, typing.Literal["bytes", "flops", "launch"]]] = []
    if device.dram_bytes_per_s:
        limits.append((memory_bytes(cost, device.l2_bytes) / device.dram_bytes_per_s * 1e6, "bytes"))
    if peak := device.flops_per_s.get(precision):
        limits.append((cost.flops / peak * 1e6, "flops"))
    if device.launch_us:
        limits.append((device.launch_us, "launch"))
    return SpeedOfLight(*max(limits)) if limits else SpeedOfLight(None, "unknown")


def with_limit(timing: CaseTiming, op: Op, case: Case, ceilings: Ceilings) -> CaseTiming:
    """The timing with the case's limit, its share of it, and a speedup that is no higher than the limit allows.

    `sol_share` is the share of the table's limit, so that figures from two machines of a class can be compared.
    """
    cost, precision = op.cost(case), precision_of(op, case)
    l2_bytes = largest_l2(ceilings.table, ceilings.calibrated)
    table, calibrated = (
        _roof(cost, dataclasses.replace(device, l2_bytes=l2_bytes), precision, timing) if device is not None else None
        for device in (ceilings.table, ceilings.calibrated)
    )
    least = least_time(op, case, ceilings.table, ceilings.calibrated)
    crossing = memory_bytes(cost, l2_bytes)
    limit = CaseLimit(
        bytes=cost.bytes,
        memory_bytes=crossing,
        flops=cost.flops,
        precision=precision,
        intensity=cost.flops / crossing if crossing else None,
        table=table,
        calibrated=calibrated,
        calibration=ceilings.note,
        least_us=least.us if least else None,
        least_from=least.because if least else "",
    )
    return _capped(dataclasses.replace(timing, limit=limit, sol_share=table.share if table else None))


def _roof(cost: Cost, device: DeviceClass, precision: Precision, timing: CaseTiming) -> Roof | None:
    light = speed_of_light(cost, device, precision)
    if light.floor_us is None:
        return None
    return Roof(
        bytes_per_s=device.dram_bytes_per_s,
        flops_per_s=device.flops_per_s.get(precision),
        launch_us=device.launch_us or None,
        floor_us=light.floor_us,
        bound=light.bound,
        share=sol_share(timing.candidate.median_us, light),
        baseline_share=sol_share(timing.baseline.median_us, light),
    )


def _capped(timing: CaseTiming) -> CaseTiming:
    """A speedup above the baseline's time over the least time cannot be one, whatever was measured."""
    limit = timing.limit
    if limit is None or not limit.least_us or timing.speedup <= (most := timing.baseline.median_us / limit.least_us):
        return timing
    told = dataclasses.replace(limit, uncapped_speedup=timing.speedup)
    return dataclasses.replace(timing, speedup=most, low=min(timing.low, most), high=most, limit=told)


def sol_share(median_us: float, light: SpeedOfLight) -> float | None:
    """How much of the speed of light was reached: 1 is the floor, above 1 is faster than it."""
    return light.floor_us / median_us if light.floor_us is not None and median_us > 0 else None


def gb_per_s(cost: Cost, median_us: float) -> float | None:
    """Gigabytes (10^9) a second, each input and output counted once."""
    return cost.bytes / median_us / 1e3 if median_us > 0 else None


def tflop_per_s(cost: Cost, median_us: float) -> float | None:
    return cost.flops / median_us / 1e6 if median_us > 0 else None
