"""Processes of this host as /proc shows them: descendants, owners, memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")

Identity = tuple[int, int]  # device and inode of a file


@dataclass(frozen=True, slots=True)
class Status:
    """The lines of /proc/<pid>/status that isolation is judged by. `uids` are real, effective, saved and file system uid."""

    uids: tuple[int, ...]
    gids: tuple[int, ...]
    groups: tuple[int, ...]
    capabilities: int
    no_new_privs: bool
    seccomp_mode: int


def status(pid: int) -> Status:
    """Raises `OSError` when the process is gone."""
    fields = _fields(pid)
    capabilities = 0
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        capabilities |= int(fields.get(name, "0"), 16)
    return Status(
        uids=tuple(int(part) for part in fields["Uid"].split()),
        gids=tuple(int(part) for part in fields["Gid"].split()),
        groups=tuple(int(part) for part in fields.get("Groups", "").split()),
        capabilities=capabilities,
        no_new_privs=fields.get("NoNewPrivs", "0") == "1",
        seccomp_mode=int(fields.get("Seccomp", "0")),
    )


def pids() -> list[int]:
    return [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]


def processes_of(uid: int) -> list[int]:
    """Living processes whose real uid is `uid`."""
    found = []
    for pid in pids():
        try:
            fields = _fields(pid)
        except OSError:
            continue
        if int(fields["Uid"].split()[0]) == uid and not fields["State"].startswith(("Z", "X")):
            found.append(pid)
    return found


def descendants(ancestor: int) -> list[int]:
    """Living processes that descend from `ancestor`, without itself."""
    children: dict[int, list[int]] = {}
    for pid in pids():
        parent = _parent(pid)
        if parent is not None:
            children.setdefault(parent, []).append(pid)
    found: list[int] = []
    frontier = [ancestor]
    while frontier:
        frontier = [child for parent in frontier for child in children.pop(parent, [])]
        found += frontier
    return found


def resident_bytes(members: Iterable[int], *, ours: Collection[Identity], stored_bytes: int = 0) -> int:
    """Memory that `members` hold: private pages, plus shared memory of their own making, mapped or not.

    `ours` are memory files that we gave them and that do not count; `stored_bytes` is what they keep in file systems in memory. Pages that
    several members share count for each: an upper bound, exact for a single process.
    """
    private = mapped = 0
    files: dict[Identity, int] = {}
    for pid in members:
        try:
            fields = _fields(pid)
        except OSError:
            continue
        private += _kib(fields, "RssAnon")
        mapped += max(0, _kib(fields, "RssShmem") - sum(size for key, size in _mapped_memory_files(pid) if key in ours))
        files |= {key: size for key, size in _open_memory_files(pid) if key not in ours}
    return private + max(sum(files.values()) + stored_bytes, mapped)


def memory_files_of_this_process() -> frozenset[Identity]:
    """Memory files that this process has open or mapped."""
    own = os.getpid()
    return frozenset(key for key, _ in (*_open_memory_files(own), *_mapped_memory_files(own)))


def _open_memory_files(pid: int) -> list[tuple[Identity, int]]:
    found = []
    try:
        paths = list((_PROC / str(pid) / "fd").iterdir())
    except OSError:
        return []
    for path in paths:
        try:
            if not str(path.readlink()).startswith("/memfd:"):
                continue
            about = path.stat()
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            found.append(((about.st_dev, about.st_ino), about.st_blocks * 512))
    return found


def _mapped_memory_files(pid: int) -> list[tuple[Identity, int]]:
    """Memory files and the length of each mapping: at least what is resident of it."""
    try:
        text = (_PROC / str(pid) / "maps").read_text(errors="replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        if "/memfd:" in line:
            span, _, _, device, inode = line.split()[:5]
            first, _, end = span.partition("-")
            major, _, minor = device.partition(":")
            found.append(((os.makedev(int(major, 16), int(minor, 16)), int(inode)), int(end, 16) - int(first, 16)))
    return found


def _fields(pid: int) -> dict[str, str]:
    text = (_PROC / str(pid) / "status").read_text(errors="replace")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def _kib(fields: dict[str, str], name: str) -> int:
    return int(fields.get(name, "0 kB").split()[0]) * 1024


def _parent(pid: int) -> int | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
        state, parent = text.rpartition(")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return None if state in ("Z", "X") else int(parent)
