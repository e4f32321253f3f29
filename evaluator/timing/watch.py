"""What the GPU's clocks did while a case was timed, and who else used the GPU (NVML). Silent where NVML cannot tell."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evaluator.contract import ClockStats

SAME_CLOCKS = 0.02
"""Commands of one quad whose SM clocks differ by more than this share are not compared."""
THROTTLED_SHARE = 0.1
SLOWDOWNS: dict[int, str] = {
    0x0000000000000008: "hw_slowdown",
    0x0000000000000020: "sw_thermal_slowdown",
    0x0000000000000040: "hw_thermal_slowdown",
    0x0000000000000080: "hw_power_brake",
}
"""NVML's reasons that mean a fault or heat (nvml.h, nvmlClocksEventReason*)."""
POWER_CAP = {0x0000000000000004: "sw_power_cap"}
"""Large products meet the power limit on every healthy GPU, so this one is told, and by itself means nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """SM and memory clock in MHz, NVML's reasons (bit mask) for their not being higher, power (W) and temperature (°C) where it tells."""

    sm_mhz: int
    memory_mhz: int
    reasons: int
    power_w: float | None = None
    temperature_c: int | None = None


class Watch(typing.Protocol):
    """Reads a GPU's clocks and who uses it."""

    def read(self) -> Reading | None: ...
    def process_bytes(self) -> dict[int, int]: ...
    def working(self, since_s: float) -> set[int]: ...


class NoWatch:
    """Where there is no GPU or no NVML."""

    def read(self) -> Reading | None:
        return None

    def process_bytes(self) -> dict[int, int]:
        return {}

    def working(self, since_s: float) -> set[int]:
        return set()


class GpuWatch:
    """One GPU by its NVML index. A reading takes some ten microseconds and no GPU time."""

    def __init__(self, gpu_index: int) -> None:
        import pynvml

        self._nvml = pynvml
        pynvml.nvmlInit()
        self._handle = pynvml.nvmlDeviceGetHandleByIndex(gpu_index)

    def read(self) -> Reading | None:
        nvml = self._nvml
        with contextlib.suppress(nvml.NVMLError):
            return Reading(
                int(nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_SM)),
                int(nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_MEM)),
                int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle)),
                *self._heat(),
            )
        return None

    def _heat(self) -> tuple[float | None, int | None]:
        """Not every GPU has a sensor for each."""
        nvml = self._nvml
        power_w = temperature_c = None
        with contextlib.suppress(nvml.NVMLError):
            power_w = int(nvml.nvmlDeviceGetPowerUsage(self._handle)) / 1000
        with contextlib.suppress(nvml.NVMLError):
            temperature_c = int(nvml.nvmlDeviceGetTemperature(self._handle, nvml.NVML_TEMPERATURE_GPU))
        return power_w, temperature_c

    def process_bytes(self) -> dict[int, int]:
        """Bytes of GPU memory by process id, of all processes that compute on this GPU. Ids are the host's."""
        nvml = self._nvml
        with contextlib.suppress(nvml.NVMLError):
            return {int(p.pid): int(p.usedGpuMemory or 0) for p in nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)}
        return {}

    def working(self, since_s: float) -> set[int]:
        """Processes that kept multiprocessors busy since that time (seconds since 1970), as NVML samples it, some times a second."""
        nvml = self._nvml
        with contextlib.suppress(nvml.NVMLError):
            samples = nvml.nvmlDeviceGetProcessUtilization(self._handle, round(since_s * 1e6))
            return {int(sample.pid) for sample in samples if sample.smUtil > 0}
        return set()


def watch_of(gpu_index: int | None) -> Watch:
    """The watch of a GPU; one that sees nothing for a CPU and where NVML is missing."""
    if gpu_index is not None:
        with contextlib.suppress(Exception):  # NVML is a help, not a condition
            return GpuWatch(gpu_index)
    return NoWatch()


def alike(readings: Sequence[Reading | None]) -> bool:
    """Whether SM clocks lie within 2 % of each other, as far as is known."""
    clocks = [reading.sm_mhz for reading in readings if reading is not None]
    return not clocks or max(clocks) <= min(clocks) * (1 + SAME_CLOCKS)


def clock_stats(readings: Collection[Reading | None], redone: int) -> ClockStats | None:
    """The range of clocks in a case, and the slowdowns that at least a tenth of the commands met."""
    known = [reading for reading in readings if reading is not None]
    if not known:
        return None
    clocks = [reading.sm_mhz for reading in known]
    names = {name: sum(bool(reading.reasons & bit) for reading in known) / len(known) for bit, name in {**SLOWDOWNS, **POWER_CAP}.items()}
    return ClockStats(
        sm_low_mhz=min(clocks),
        sm_high_mhz=max(clocks),
        memory_mhz=max(reading.memory_mhz for reading in known),
        slowdowns=tuple(name for name, share in names.items() if share >= THROTTLED_SHARE),
        redone=redone,
        power_w=max((reading.power_w for reading in known if reading.power_w is not None), default=None),
        temperature_c=max((reading.temperature_c for reading in known if reading.temperature_c is not None), default=None),
    )


def throttled(stats: ClockStats | None) -> bool:
    """Whether heat or a fault slowed the GPU down. A met power limit alone is no throttling."""
    return stats is not None and any(name in SLOWDOWNS.values() for name in stats.slowdowns)


def strangers(working: Collection[int], present: Collection[int], me: int, mine: Collection[int]) -> set[int]:
    """Processes at work on the GPU that are neither `me` nor `mine`.

    None of them where I am not among those `present` on it myself: ids are then not this host's.
    """
    return set(working) - {me} - set(mine) if me in present else set()
