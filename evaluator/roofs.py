"""How near a timed case came to what its device can do: part of the contract (`docs/speed-of-light.md` explains the figures)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Roof:
    """One set of ceilings over a case, those of the table or those measured on the machine.

    `flops_per_s` is the peak of the case's precision class. `floor_us` is the least time that the three allow, `bound` the one that it
    comes from (`bytes`, `flops`, `launch`). `share`, `baseline_share`: floor / median time, so 1 is at the limit and more is beyond it.
    """

    bytes_per_s: float | None
    flops_per_s: float | None
    launch_us: float | None
    floor_us: float
    bound: str
    share: float | None
    baseline_share: float | None


@dataclass(frozen=True, slots=True)
class CaseLimit:
    """The work of one call and the ceilings over it.

    `bytes`: each input and output once. `memory_bytes`: what of them must cross device memory, outputs that the L2 cache can keep left out.
    `intensity`: FLOPs a byte that crosses memory. `calibration` says when the calibrated ceilings were measured, or why there are none.
    `least_us`: no right kernel can be faster, whatever its method; None where the table has no ceilings. `least_from` says why.
    `uncapped_speedup`: what was measured, where the speedup was capped at the baseline's time over `least_us`.
    """

    bytes: int
    memory_bytes: int
    flops: int
    precision: str
    intensity: float | None
    table: Roof | None = None
    calibrated: Roof | None = None
    calibration: str = ""
    least_us: float | None = None
    least_from: str = ""
    uncapped_speedup: float | None = None
