"""Speed of light: the least time that a device needs for a case, and how a measured time compares with it."""

from __future__ import annotations

import typing
from dataclasses import dataclass

if typing.TYPE_CHECKING:
    from evaluator.devices import DeviceClass, Precision
    from evaluator.ops.definition import Case, Cost, Op

CASE_PRECISIONS: dict[str, Precision] = {"float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8"}


@dataclass(frozen=True, slots=True)
class SpeedOfLight:
    """`floor_us` is None where the device's ceilings are not known. `bound` names what the floor comes from."""

    floor_us: float | None
    bound: typing.Literal["bytes", "flops", "launch", "unknown"]


def precision_of(op: Op, case: Case) -> Precision:
    """The class whose peak bounds the case: that of its narrow floats, else the op's."""
    narrow = {CASE_PRECISIONS[spec.dtype] for spec in case.tensors if spec.dtype in CASE_PRECISIONS}
    return narrow.pop() if len(narrow) == 1 else op.precision


def speed_of_light(cost: Cost, device: DeviceClass, precision: Precision) -> SpeedOfLight:
    """T_SOL = max(floor bytes / bandwidth, FLOPs / peak, launch floor).

    Floor bytes are the inputs and what of the outputs does not fit into the L2 cache, where a timed call may leave them.
    """
    limits: list[tuple[float, typing.Literal["bytes", "flops", "launch"]]] = []
    if device.dram_bytes_per_s:
        floor_bytes = cost.input_bytes + max(0, cost.output_bytes - device.l2_bytes)
        limits.append((floor_bytes / device.dram_bytes_per_s * 1e6, "bytes"))
    if peak := device.flops_per_s.get(precision):
        limits.append((cost.flops / peak * 1e6, "flops"))
    if device.launch_us:
        limits.append((device.launch_us, "launch"))
    return SpeedOfLight(*max(limits)) if limits else SpeedOfLight(None, "unknown")


def sol_share(median_us: float, light: SpeedOfLight) -> float | None:
    """How much of the speed of light was reached: 1 is the floor, above 1 is faster than it."""
    return light.floor_us / median_us if light.floor_us is not None and median_us > 0 else None


def gb_per_s(cost: Cost, median_us: float) -> float | None:
    """Gigabytes (10^9) a second, each input and output counted once."""
    return cost.bytes / median_us / 1e3 if median_us > 0 else None


def tflop_per_s(cost: Cost, median_us: float) -> float | None:
    return cost.flops / median_us / 1e6 if median_us > 0 else None
