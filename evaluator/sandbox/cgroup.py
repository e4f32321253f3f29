"""A cgroup (version 2) of one run: memory and processes bounded by the kernel, where this process may make one."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")


class Unavailable(OSError):
    """No cgroup can be made here; the text says why."""


class Cgroup:
    """A fresh group below our own one. Raises `Unavailable`."""

    def __init__(self, *, memory_bytes: int, processes: int) -> None:
        parent = _own_group()
        controllers = set(_read(parent / "cgroup.subtree_control").split())
        if not {"memory", "pids"} <= controllers:
            raise Unavailable("the memory and pids controllers are not delegated to this process's cgroup (version 2)")
        self.path = parent / f"kbweb-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            self.path.mkdir()
            self._write("memory.max", str(memory_bytes))
            self._write("pids.max", str(processes))
            with contextlib.suppress(OSError):
                self._write("memory.swap.max", "0")
        except OSError as error:
            with contextlib.suppress(OSError):
                self.path.rmdir()
            raise Unavailable(f"cannot make a cgroup: {error.strerror}") from None

    def add(self, pid: int) -> None:
        self._write("cgroup.procs", str(pid))

    def memory_bytes(self) -> int | None:
        """Anonymous and shared memory; file cache, which the kernel takes back by itself, is not counted."""
        try:
            fields = dict(line.split() for line in (self.path / "memory.stat").read_text().splitlines())
            return int(fields["anon"]) + int(fields["shmem"])
        except (OSError, ValueError, KeyError):
            return None

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self._write("cgroup.kill", "1")

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            self.path.rmdir()

    def _write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)


def _own_group() -> Path:
    """The group in which new ones can be made: our parent's, since a group with processes cannot hand out controllers."""
    if not (_MOUNT / "cgroup.controllers").exists():
        raise Unavailable("cgroup version 2 is not mounted at /sys/fs/cgroup")
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        number, _, path = line.partition("::")
        if number == "0":
            own = _MOUNT / path.lstrip("/")
            for candidate in (own, own.parent):
                if candidate.is_relative_to(_MOUNT) and os.access(candidate, os.W_OK):
                    return candidate
            raise Unavailable("this process's cgroup is not writable")
    raise Unavailable("this process is in no cgroup of version 2")


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        raise Unavailable(f"cannot read {path}: {error.strerror}") from None
