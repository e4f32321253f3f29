"""What the machine was when a kernel was judged: stored with every outcome."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import subprocess
from pathlib import Path

import evaluator
from evaluator.contract import JSON
from evaluator.epoch import EPOCH
from evaluator.timing.watch import Reading, watch_of


def snapshot(device: str, gpu_index: int | None) -> dict[str, JSON]:
    """Versions, host and hardware. `device` is torch's. Costs some milliseconds; clocks are those of now."""
    import torch

    found: dict[str, JSON] = {
        "evaluator": evaluator.__version__,
        "epoch": EPOCH,
        "runner": "local",
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "triton": _version("triton"),
        "os": f"{platform.system()} {platform.release()}",
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
    }
    if device == "cuda":
        found |= {"cuda": torch.version.cuda, "device_name": torch.cuda.get_device_name(0), **_nvml(gpu_index or 0)}
    else:
        found["device_name"] = found["cpu"]
    return found


def gpu_name(index: int) -> str:
    """The driver's name of a GPU without torch; "" where there is none."""
    try:
        listed = subprocess.run(
            ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", f"--id={index}"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return listed.stdout.strip()


def _nvml(index: int) -> dict[str, JSON]:
    with contextlib.suppress(Exception):  # NVML is a help, not a condition: without it the outcome just says less
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        uuid = str(pynvml.nvmlDeviceGetUUID(handle))
        return {
            "driver": str(pynvml.nvmlSystemGetDriverVersion()),
            "gpu_uuid_hash": hashlib.sha256(uuid.encode()).hexdigest()[:16],
            "clocks": _told(watch_of(index).read()),
        }
    return {}


def _told(reading: Reading | None) -> dict[str, JSON]:
    """Clocks (MHz), temperature (°C), power (W) and NVML's throttle reasons (bit mask), as far as there are sensors."""
    if reading is None:
        return {}
    found: dict[str, JSON] = {
        "sm_mhz": reading.sm_mhz,
        "memory_mhz": reading.memory_mhz,
        "temperature_c": reading.temperature_c,
        "power_w": reading.power_w,
        "throttle_reasons": reading.reasons,
    }
    return {name: value for name, value in found.items() if value is not None}


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_name() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown CPU"
