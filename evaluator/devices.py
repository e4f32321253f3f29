"""Hardware classes that have boards of their own, and what bounds them.

Peaks are the vendor's figures for dense products (no sparsity), bandwidths the vendor's for the fastest variant of the class, so
that a kernel beyond them is suspect on every card of the class. The sources, all by NVIDIA unless named: T4 (Turing) datasheet 2019;
L4 datasheet 2023; A100 80GB datasheet 2021; H100 (SXM5) datasheet and Hopper whitepaper 2023; H200 datasheet 2024; Blackwell
architecture technical brief 2024 (HGX B200). L2 sizes: the Turing, Ada, Ampere and Hopper whitepapers; for B200 what the driver
reports. float64: the same datasheets (tensor cores where there are some); for T4 and L4, whose datasheets are silent, 1/32 and 1/64 of
float32, as the Turing and Ada whitepapers say. Variants with other memory or clocks (PCIe, NVL, A100 40GB, MIG slices) are no part of
these classes.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Precision = typing.Literal["ieee_fp32", "tf32", "fp16", "bf16", "fp8", "int8"]
MIB = 1024 * 1024
LAUNCH_US = 1.0
"""No kernel ends sooner after its start than this, whatever it does; below the 2 µs that events show for an empty kernel."""


ON_A_CPU: Mapping[str, str] = MappingProxyType(
    {"TRITON_INTERPRET": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(8 * 1024**3)}
)
"""Environment of a process that runs kernels on a CPU, the baseline's too, before it starts.

Triton is interpreted, and numpy, in which the interpreter computes, has one thread like torch: OpenBLAS would start one for each core
and let them spin between products of small tiles. The allocator keeps the pages that it got. Without that, glibc gives back what it
finds large, by thresholds that follow what a process has freed before (`mallopt(3)`): of two processes that run the same code one
faults its outputs in anew in every call and the other never.
"""


def environment_of(torch_device: str) -> Mapping[str, str]:
    """What a process starts with that runs kernels on this device (torch's: `cpu`, `cuda`), beside what its starter gives it."""
    return ON_A_CPU if torch_device == "cpu" else {}


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """One hardware class. A ceiling that is not known is None (bandwidth), 0 (L2, launch) or absent (peaks)."""

    slug: str
    title: str
    kind: typing.Literal["cpu", "cuda"]
    dram_bytes_per_s: float | None = None
    flops_per_s: Mapping[Precision, float] = field(default_factory=dict)
    l2_bytes: int = 0
    launch_us: float = 0.0
    float64_flops_per_s: float | None = None
    gpu_names: str = ""
    """Regular expression that the driver's name of such a GPU contains."""


def _gpu(slug: str, title: str, gb_per_s: float, l2_mib: int, names: str, float64: float, **tflops: float) -> DeviceClass:
    peaks = typing.cast("dict[Precision, float]", {name: value * 1e12 for name, value in tflops.items()})
    return DeviceClass(slug, title, "cuda", gb_per_s * 1e9, MappingProxyType(peaks), l2_mib * MIB, LAUNCH_US, float64 * 1e12, names)


HOPPER = {"ieee_fp32": 67, "tf32": 494.7, "fp16": 989.4, "bf16": 989.4, "fp8": 1978.9, "int8": 1978.9}
"""TFLOP/s of H100 and H200, which differ in memory only. int8 counts integer operations, here as everywhere."""

DEVICES: Mapping[str, DeviceClass] = MappingProxyType(
    {
        device.slug: device
        for device in (
            DeviceClass("cpu", "CPU", "cpu"),
            _gpu("t4", "NVIDIA T4", 320, 4, r"\bT4\b", 0.253, ieee_fp32=8.1, fp16=65, int8=130),
            _gpu("l4", "NVIDIA L4", 300, 48, r"\bL4\b", 0.473, ieee_fp32=30.3, tf32=60.5, fp16=121, bf16=121, fp8=242.5, int8=242.5),
            _gpu("a100", "NVIDIA A100 80GB", 2039, 40, r"\bA100\b.*80GB", 19.5, ieee_fp32=19.5, tf32=156, fp16=312, bf16=312, int8=624),
            _gpu("h100", "NVIDIA H100", 3350, 50, r"\bH100\b", 67, **HOPPER),
            _gpu("h200", "NVIDIA H200", 4800, 50, r"\bH200\b", 67, **HOPPER),
            _gpu("b200", "NVIDIA B200", 8000, 126, r"\bB200\b", 40, ieee_fp32=80, tf32=1100, fp16=2250, bf16=2250, fp8=4500, int8=4500),
        )
    }
)
OTHER_VARIANT = re.compile(r"\b(MIG|NVL|T4G)\b|\bH100.*\bPCIe\b", re.IGNORECASE)
"""Names of variants whose ceilings differ from those of the class that they sound like."""


def class_of_gpu(name: str) -> str:
    """Slug of the class that a GPU belongs to, by the name that its driver reports.

    A GPU of no class gets a slug made from its name, so that it has a board of its own: `NVIDIA L40S` gives `l40s`.
    """
    if not OTHER_VARIANT.search(name):
        for device in DEVICES.values():
            if device.gpu_names and re.search(device.gpu_names, name, re.IGNORECASE):
                return device.slug
    words = re.findall(r"[a-z0-9]+", name.lower())
    slug = "-".join(word for word in words if word not in ("nvidia", "tesla", "geforce"))[:50].strip("-")
    return slug if slug and slug not in DEVICES else f"{slug or 'unknown'}-gpu"


def device_class(slug: str) -> DeviceClass:
    """The class of a slug; for a GPU of no class, one without ceilings."""
    return DEVICES.get(slug) or DeviceClass(slug, slug.upper(), "cuda")
