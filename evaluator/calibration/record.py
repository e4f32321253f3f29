"""What a calibration found, and when it still holds."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.contract import JSON
from evaluator.devices import DeviceClass, Precision
from evaluator.timing.sol import Ceilings

VERSION = 1
"""Raised when a calibration measures otherwise, so that older figures are not compared with newer ones."""
MATTERS = ("device_name", "gpu_uuid_hash", "driver", "cuda", "cpu", "cores", "torch")
"""Facts of the environment's snapshot (`evaluator/judge/environment.py`) without which a figure would be another."""
HOW = "kb doctor --calibrate"


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured `n` times: the median, the 5 % and the 95 % quantile. `on` says on what (`copy of 512 MiB`)."""

    on: str
    median: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """One machine's device, measured. `made_at` is UTC in ISO 8601.

    `bytes_per_s` is by kind of stream (`copy`, `read`, `write`, `triad`), `flops_per_s` by precision class, `launch_us` by way (`graph`,
    `event`, `call`). `absent` names what was not measured, and why.
    """

    device: str
    made_at: str
    seconds: float
    fingerprint: dict[str, str]
    bytes_per_s: dict[str, tuple[Figure, ...]] = field(default_factory=dict)
    flops_per_s: dict[str, tuple[Figure, ...]] = field(default_factory=dict)
    launch_us: dict[str, tuple[Figure, ...]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    l2_bytes: int = 0
    version: int = VERSION

    @property
    def bandwidth(self) -> float | None:
        """The fastest stream's bytes a second."""
        return _best(figure for figures in self.bytes_per_s.values() for figure in figures)

    @property
    def peaks(self) -> dict[str, float]:
        """The fastest product of each precision class."""
        found = {name: _best(figures) for name, figures in self.flops_per_s.items()}
        return {name: peak for name, peak in found.items() if peak is not None}

    @property
    def launch_floor_us(self) -> float | None:
        usable = [f.median for figures in self.launch_us.values() for f in figures if _usable(f.median)]
        return min(usable, default=None)


def fingerprint(snapshot: Mapping[str, JSON]) -> dict[str, str]:
    """What of an environment a calibration depends on."""
    return {name: str(snapshot[name]) for name in MATTERS if snapshot.get(name) not in (None, "")}


def differences(made_with: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Facts that are not what they were, in words. What is not known on both sides says nothing."""
    return [
        f"{name} was {made_with[name]}, is {now[name]}"
        for name in MATTERS
        if name in made_with and name in now and made_with[name] != now[name]
    ]


def ceilings(table: DeviceClass, found: Calibration | str, now: Mapping[str, str]) -> Ceilings:
    """The table's ceilings and, where they still hold, the measured ones. `found` is a calibration, or why there is none."""
    if isinstance(found, str):
        return Ceilings(table, None, found)
    stale = why_stale(table.slug, found, now)
    if stale:
        return Ceilings(table, None, f"stale since {stale}: measured {found.made_at[:10]}; {HOW} measures again")
    measured = dataclasses.replace(
        table,
        dram_bytes_per_s=found.bandwidth,
        flops_per_s=typing.cast("dict[Precision, float]", found.peaks),
        launch_us=found.launch_floor_us or 0.0,
        l2_bytes=max(table.l2_bytes, found.l2_bytes),
    )
    return Ceilings(table, measured, f"measured {found.made_at[:10]}")


def facts(found: Ceilings) -> dict[str, JSON]:
    """The measured ceilings as a worker reports them: `note` alone where there are none."""
    measured = found.calibrated
    if measured is None:
        return {"note": found.note}
    return {
        "note": found.note,
        "bytes_per_s": measured.dram_bytes_per_s,
        "flops_per_s": {str(name): peak for name, peak in measured.flops_per_s.items()},
        "launch_us": measured.launch_us,
    }


def why_stale(device: str, found: Calibration, now: Mapping[str, str]) -> str:
    """What changed since the calibration, "" when it holds."""
    if found.version != VERSION:
        return f"the way of measuring was version {found.version}, is {VERSION}"
    if found.device != device:
        return f"the device was {found.device}, is {device}"
    return "; ".join(differences(found.fingerprint, now))


def _best(figures: typing.Iterable[Figure]) -> float | None:
    return max((figure.median for figure in figures if _usable(figure.median)), default=None)


def _usable(value: float) -> bool:
    return 0 < value < math.inf
