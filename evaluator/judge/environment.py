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


def clocks(gpu_index: int) -> dict[str, JSON]:
    """SM and memory clock (MHz), temperature (°C), power (W) and NVML's throttle reasons (bit mask) now."""
    import pynvml

    handle = pynvml.nvmlDeviceGetHandleByIndex(gpu_index)
    return {
        "sm_mhz": pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
        "memory_mhz": pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
        "temperature_c": pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
        "power_w": pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
        "throttle_reasons": int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)),
    }


def _nvml(index: int) -> dict[str, JSON]:
    with contextlib.suppress(Exception):  # NVML is a help, not a condition: without it the outcome just says less
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        uuid = str(pynvml.nvmlDeviceGetUUID(handle))
        return {
            "driver": str(pynvml.nvmlSystemGetDriverVersion()),
            "gpu_uuid_hash": hashlib.sha256(uuid.encode()).hexdigest()[:16],
            "clocks": clocks(index),
        }
    return {}


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
