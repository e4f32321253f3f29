"""The NVIDIA GPUs of this host by the name that their driver reports, found without torch: what decides which board a GPU belongs to."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

_QUERY = ("nvidia-smi", "--query-gpu=index,name", "--format=csv,noheader")


@dataclass(frozen=True, slots=True)
class HostGpu:
    """`index` is NVML's: in PCI order."""

    index: int
    name: str


def host_gpus() -> list[HostGpu]:
    """By NVML; where its Python package is missing, as `nvidia-smi` lists them. Empty where there is no driver."""
    try:
        import pynvml
    except ImportError:
        return _by_nvidia_smi()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return []
    try:
        found = []
        for index in range(pynvml.nvmlDeviceGetCount()):
            name = pynvml.nvmlDeviceGetName(pynvml.nvmlDeviceGetHandleByIndex(index))
            found.append(HostGpu(index, name.decode() if isinstance(name, bytes) else str(name)))
        return found
    finally:
        pynvml.nvmlShutdown()


def listed(text: str) -> list[HostGpu]:
    """What `nvidia-smi --query-gpu=index,name --format=csv,noheader` printed. Lines of another form are left out."""
    pairs = (line.partition(",") for line in text.splitlines())
    return [HostGpu(int(index), name.strip()) for index, comma, name in pairs if comma and index.strip().isdecimal() and name.strip()]


def _by_nvidia_smi() -> list[HostGpu]:
    try:
        done = subprocess.run(_QUERY, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return listed(done.stdout)
