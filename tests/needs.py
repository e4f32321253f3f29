"""What a test needs from the machine: absent, it is skipped with the reason, and fails where CI=true."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def need(present: object, what: str) -> None:
    """Go on when `present` is true; else skip locally, fail in CI. `what` completes "needs …"."""
    if present:
        return
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(f"needs {what}, and CI must have it", pytrace=False)
    pytest.skip(f"needs {what}")


def has_gpu() -> bool:
    """Whether a CUDA GPU can be used here, found without starting CUDA."""
    try:
        import pynvml
    except ImportError:
        return Path("/dev/nvidiactl").exists()
    try:
        pynvml.nvmlInit()
        return bool(pynvml.nvmlDeviceGetCount() > 0)
    except pynvml.NVMLError:
        return False
