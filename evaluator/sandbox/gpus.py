"""NVIDIA GPUs of this host as the kernel driver lists them: the device node and UUID of an index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_LIST = Path("/proc/driver/nvidia/gpus")
SHARED_NODES = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools")


@dataclass(frozen=True, slots=True)
class Gpu:
    """`index` counts in PCI order, as NVML does; `node` is its own device file; `uuid` is `GPU-…`, "" when not known."""

    index: int
    node: str
    uuid: str


def gpus() -> tuple[Gpu, ...]:
    """All GPUs, in PCI order. Where the driver's list is hidden, the device nodes are counted instead."""
    found: list[Gpu] = []
    if _LIST.is_dir():
        for index, entry in enumerate(sorted(_LIST.iterdir(), key=lambda path: path.name)):
            try:
                text = (entry / "information").read_text(errors="replace")
            except OSError:
                continue
            facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}
            uuid = facts.get("GPU UUID", "")
            found.append(Gpu(index, f"/dev/nvidia{facts.get('Device Minor', index)}", uuid if "?" not in uuid else ""))
    if found:
        return tuple(found)
    nodes = sorted((int(path.name[6:]), str(path)) for path in Path("/dev").glob("nvidia[0-9]*") if path.name[6:].isdigit())
    return tuple(Gpu(index, node, "") for index, (_, node) in enumerate(nodes))


def gpu(index: int) -> Gpu:
    """Raises `LookupError` when this host has no such GPU."""
    for found in gpus():
        if found.index == index:
            return found
    raise LookupError(f"this host has no GPU {index}; it has {len(gpus())}")
