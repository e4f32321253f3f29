"""Where NVIDIA's tools lie on this host. Paths only; nothing is run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

_PLACES = {
    "ncu": ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda-*/bin/ncu"),
    "nsys": ("/usr/local/cuda/bin/nsys", "/opt/nvidia/nsight-systems*/*/bin/nsys", "/usr/local/cuda-*/bin/nsys"),
    "ptxas": ("/usr/local/cuda/bin/ptxas",),
    "ptxas-blackwell": (),
    "nvdisasm": ("/usr/local/cuda/bin/nvdisasm",),
    "cuobjdump": ("/usr/local/cuda/bin/cuobjdump",),
}
BUNDLED = frozenset({"ptxas", "ptxas-blackwell", "nvdisasm", "cuobjdump"})
"""Triton's wheel brings these, of the version that compiled its kernels."""
_PARAMETERS = Path("/proc/driver/nvidia/params")


def find(program: str) -> Path | None:
    """Triton's own first where it has one, then the path's, then the newest of the usual places."""
    own = [folder / program for folder in _triton_tools()] if program in BUNDLED else []
    on_path = shutil.which(program)
    usual = (path for pattern in _PLACES[program] for path in _newest_first(pattern))
    found = (path for path in (*own, *([Path(on_path)] if on_path else []), *usual) if os.access(path, os.X_OK))
    return next(found, None)


def counters_are_restricted(parameters: Path = _PARAMETERS) -> bool:
    """Whether the driver lets only administrators read performance counters, as its parameters say; False where they say nothing."""
    try:
        return re.search(r"^RmProfilingAdminOnly:\s*1\s*$", parameters.read_text(errors="replace"), re.MULTILINE) is not None
    except OSError:
        return False


def _newest_first(pattern: str) -> Iterable[Path]:
    return sorted(Path("/").glob(pattern.lstrip("/")), key=_version, reverse=True)


def _version(path: Path) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", str(path))]


def _triton_tools() -> list[Path]:
    spec = importlib.util.find_spec("triton")
    places = spec.submodule_search_locations if spec else None
    return [Path(place) / "backends" / "nvidia" / "bin" for place in places or ()]
