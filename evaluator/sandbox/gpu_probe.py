"""Whether a GPU still works: asked after a run was killed, before the next one is let near the device."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from evaluator.sandbox.gpus import Gpu, gpu

_PROGRAM = Path(__file__).parent / "inside" / "cuda.py"
_DEADLINE_S = 30.0


def gpu_healthy(gpu_index: int, *, deadline_s: float = _DEADLINE_S) -> tuple[bool, str]:
    """Run a kernel in a fresh process and read the driver's error counters.

    Returns (healthy, one sentence). A process that does not end within `deadline_s` seconds means a hung GPU: it is killed and not waited
    for, because the kernel may hold it until the device is reset.
    """
    try:
        device = gpu(gpu_index)
    except LookupError as error:
        return False, str(error)
    healthy, detail = _run_kernel(device, deadline_s)
    if not healthy:
        return False, detail
    fault = _driver_fault(device)
    return (False, fault) if fault else (True, detail)


def _run_kernel(device: Gpu, deadline_s: float) -> tuple[bool, str]:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR")}
    environment |= {"CUDA_VISIBLE_DEVICES": device.uuid or str(device.index), "CUDA_CACHE_DISABLE": "1"}
    command = [sys.executable, "-I", "-B", "-S", str(_PROGRAM)]
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        process.kill()
        return False, f"GPU {device.index} did not finish a trivial kernel within {deadline_s:g} s"
    text = output.decode(errors="replace").strip()[-500:]
    if process.returncode == 0:
        return True, text
    return False, f"GPU {device.index}: {text or f'the probe ended with status {process.returncode}'}"


def _driver_fault(device: Gpu) -> str:
    """What NVML holds against the GPU, "" when nothing or when NVML is not there: uncorrectable ECC errors that wait for a reset."""
    try:
        import pynvml
    except ImportError:
        return ""
    with contextlib.suppress(pynvml.NVMLError):
        pynvml.nvmlInit()
        try:
            handle = pynvml.nvmlDeviceGetHandleByUUID(device.uuid) if device.uuid else pynvml.nvmlDeviceGetHandleByIndex(device.index)
            with contextlib.suppress(pynvml.NVMLError):
                _, _, pending, failed = pynvml.nvmlDeviceGetRemappedRows(handle)
                if failed:
                    return f"GPU {device.index}: a memory row could not be remapped; replace the card"
                if pending:
                    return f"GPU {device.index}: a memory row waits to be remapped; reset the GPU"
            with contextlib.suppress(pynvml.NVMLError):
                if pynvml.nvmlDeviceGetRetiredPagesPendingStatus(handle) == pynvml.NVML_FEATURE_ENABLED:
                    return f"GPU {device.index}: memory pages wait to be retired; reset the GPU"
        finally:
            with contextlib.suppress(pynvml.NVMLError):
                pynvml.nvmlShutdown()
    return ""
