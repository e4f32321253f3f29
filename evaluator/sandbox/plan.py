"""What one start asks for, and what follows from it for the process inside."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.contract import Limits
from evaluator.sandbox import bubblewrap, view
from evaluator.sandbox.gpus import Gpu
from evaluator.sandbox.layers import Layer

_OPEN_FILES = 4096
_INODES = 50_000
_CPU_ADDRESS_BYTES = 64 << 30


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run and how. `namespaces`: bubblewrap makes them; without, the work directory is a plain directory of the host."""

    module: str
    args: tuple[str, ...]
    fds: tuple[int, ...]
    limits: Limits
    env: Mapping[str, str]
    readable: tuple[Path, ...]
    packages: bool
    gpu: Gpu | None
    off: bool
    without: frozenset[str]
    namespaces: bool

    @property
    def own_view(self) -> bool:
        """Whether the process sees a file system of its own."""
        return self.namespaces and Layer.MOUNT_NAMESPACE not in self.without

    @property
    def tree(self) -> str:
        """Where our own files are, as the process sees them."""
        return bubblewrap.INSIDE_TREE if self.own_view else str(view.TREE)

    def rlimits(self) -> dict[str, int]:
        """No limit on address space beside a GPU: CUDA reserves far more than it uses."""
        if Layer.RLIMITS in self.without:
            return {}
        limits = {
            "core_bytes": 0,
            "file_bytes": self.limits.scratch_bytes,
            "open_files": _OPEN_FILES,
            "processes": self.limits.processes,
            "data_bytes": self.limits.memory_bytes,
        }
        if self.gpu is None:
            limits["address_bytes"] = max(_CPU_ADDRESS_BYTES, 2 * self.limits.memory_bytes)
        return limits

    def config(self, box: str, uid: int | None) -> dict[str, object]:
        """The bootstrap's configuration; `uid` None keeps the one it is started with."""
        readable = [*view.SYSTEM, *view.SYSTEM_FILES, *map(str, view.readable_directories(self.readable)), "/sys"]
        readable += [bubblewrap.INSIDE_TREE] if self.own_view else [str(view.TREE / name) for name in view.OURS]
        devices = ["/dev"] if self.own_view or self.gpu else ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/shm"]
        return {
            "module": self.module,
            "args": self.args,
            "fds": self.fds,
            "root": self.tree,
            "box": box,
            "box_bytes": self.limits.scratch_bytes,
            "inodes": _INODES if self.own_view else 0,
            "uid": uid,
            "rlimits": self.rlimits(),
            "readable": readable,
            "writable": [box, "/proc", *devices],
            "packages": self.packages,
            "supervise": not self.namespaces,
            "off": self.off,
            "without": sorted(self.without),
        }

    def environment(self, box: str) -> dict[str, str]:
        """All of the process's environment: ours first, then what the caller wants."""
        cache = f"{box}/cache"
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": box,
            "TMPDIR": f"{box}/tmp",
            "USER": "kernel",
            "LOGNAME": "kernel",
            "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": cache,
            "XDG_CONFIG_HOME": f"{box}/config",
            "TRITON_HOME": box,
            "TRITON_CACHE_DIR": f"{cache}/triton",
            "TORCHINDUCTOR_CACHE_DIR": f"{cache}/inductor",
            "TORCH_EXTENSIONS_DIR": f"{cache}/extensions",
            "CUDA_CACHE_PATH": f"{cache}/cuda",
            "CUDA_VISIBLE_DEVICES": "",
        }
        if libraries := view.library_path():
            environment["LD_LIBRARY_PATH"] = ":".join(libraries)
        if self.gpu:
            # By UUID, because an index means something else where the other GPUs' nodes are not visible.
            environment["CUDA_VISIBLE_DEVICES"] = self.gpu.uuid or ("0" if self.own_view else str(self.gpu.index))
        return environment | dict(self.env)
