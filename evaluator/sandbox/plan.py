"""What one start asks for, and what follows from it for the process inside."""

from __future__ import annotations

import site
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.contract import Limits
from evaluator.sandbox import view
from evaluator.sandbox.environment import environment
from evaluator.sandbox.gpus import Gpu
from evaluator.sandbox.layers import Layer

_OPEN_FILES = 4096
_INODES = 50_000
_CPU_ADDRESS_BYTES = 64 << 30


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run finds its work directory and our files, as it sees them."""

    box: str
    tree: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run and how. `namespaces`: bubblewrap makes them; without, the work directory is a plain directory of the host.

    `loopback`: TCP passes, within a network namespace of its own.
    """

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
    loopback: bool = False

    @property
    def own_view(self) -> bool:
        """Whether the process sees a file system of its own."""
        return self.namespaces and Layer.MOUNT_NAMESPACE not in self.without

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

    def config(self, place: Place, uid: int | None) -> dict[str, object]:
        """The bootstrap's configuration; `uid` None keeps the one it is started with."""
        readable = [*view.SYSTEM, *view.SYSTEM_FILES, *map(str, view.readable_directories(self.readable)), "/sys", place.tree]
        devices = ["/dev"] if self.own_view or self.gpu else ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/shm"]
        return {
            "module": self.module,
            "args": self.args,
            "fds": self.fds,
            "root": place.tree,
            "box": place.box,
            "box_bytes": self.limits.scratch_bytes,
            "inodes": _INODES if self.own_view else 0,
            "uid": uid,
            "rlimits": self.rlimits(),
            "readable": readable,
            "writable": [place.box, "/proc", *devices],
            "packages": self.packages,
            "package_directories": [path for path in site.getsitepackages() if Path(path).is_dir()] if self.packages else [],
            "supervise": not self.namespaces,
            "off": self.off,
            "loopback": self.loopback,
            "without": sorted(self.without),
        }

    def environment(self, place: Place) -> dict[str, str]:
        """All of the process's environment."""
        return environment(place.box, self.env, gpu=self.gpu, others_hidden=self.own_view)
