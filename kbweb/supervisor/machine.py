"""What this machine can judge on, found without importing torch: which GPUs, which device class each is, which torch is installed."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

from evaluator.host_gpus import host_gpus
from kbweb.env import EnvError, env_str


@dataclass(frozen=True, slots=True)
class DeviceWorker:
    """A device worker to run: its queue, and the GPU that is its own."""

    queue: str
    gpu_index: int | None = None


@dataclass(frozen=True, slots=True)
class Torch:
    """The installed torch: its version, and the CUDA version that it was built for (None: a CPU build)."""

    version: str
    cuda: str | None


def installed_torch() -> Torch | None:
    """Read from torch's version file, because importing torch costs seconds and hundreds of megabytes."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    text = (Path(spec.origin).parent / "version.py").read_text()
    version = re.search(r"^__version__ = '([^']+)'", text, re.MULTILINE)
    cuda = re.search(r"^cuda[^=]*= '([^']+)'", text, re.MULTILINE)
    return Torch(version.group(1) if version else "unknown", cuda.group(1) if cuda else None)


def device_workers() -> tuple[list[DeviceWorker], str]:
    """The device workers for this machine and, in one sentence, why these. `KB_DEVICES`: `auto`, `cpu` or `none`."""
    wanted = env_str("KB_DEVICES", "auto")
    if wanted not in ("auto", "cpu", "none"):
        raise EnvError(f"KB_DEVICES={wanted!r} is not one of auto, cpu, none")
    torch = installed_torch()
    if wanted == "none" or torch is None:
        return [], "Nothing is judged here: " + (
            "KB_DEVICES=none." if wanted == "none" else "torch is not installed (make run installs it)."
        )
    found = host_gpus() if wanted == "auto" else []
    if found and torch.cuda is None:
        return [
            DeviceWorker("device.cpu")
        ], f"Judging on the CPU: there is a GPU ({found[0].name}), but torch {torch.version} is a CPU build."
    if not found:
        return [DeviceWorker("device.cpu")], "Judging on the CPU: " + ("KB_DEVICES=cpu." if wanted == "cpu" else "no NVIDIA GPU was found.")
    from evaluator.devices import class_of_gpu

    workers = [DeviceWorker(f"device.{class_of_gpu(gpu.name)}", gpu.index) for gpu in found]
    return workers, f"Judging on {len(found)} GPU(s): {', '.join(gpu.name for gpu in found)}."
