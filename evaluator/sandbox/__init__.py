"""Run hostile Python so that it can do nothing: `Sandbox` starts it, `probe` proves that the layers hold."""

from evaluator.sandbox.errors import SandboxError, SandboxUnavailable
from evaluator.sandbox.gpu_probe import gpu_healthy
from evaluator.sandbox.lock import LockBusy, device_lock
from evaluator.sandbox.probe import ProbeRow, ProbeTable, probe
from evaluator.sandbox.process import SandboxedProcess, Usage
from evaluator.sandbox.sandbox import Mode, Sandbox

__all__ = [
    "LockBusy",
    "Mode",
    "ProbeRow",
    "ProbeTable",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "SandboxedProcess",
    "Usage",
    "device_lock",
    "gpu_healthy",
    "probe",
]
