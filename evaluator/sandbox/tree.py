"""Processes of this host as /proc shows them: descendants, owners, rights."""

# pathlib costs more here than the kernel does.
# ruff: noqa: PTH110, PTH208

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_CHUNK_BYTES = 1 << 18


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
    found = fields(f"/proc/{pid}")
    capabilities = 0
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        capabilities |= int(found.get(name, "0"), 16)
    return Status(
        uids=tuple(int(part) for part in found["Uid"].split()),
        gids=tuple(int(part) for part in found["Gid"].split()),
        groups=tuple(int(part) for part in found.get("Groups", "").split()),
        capabilities=capabilities,
        no_new_privs=found.get("NoNewPrivs", "0") == "1",
        seccomp_mode=int(found.get("Seccomp", "0")),
    )


def pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def processes_of(uid: int) -> list[int]:
    """Living processes whose real uid is `uid`."""
    found = []
    line = f"\nUid:\t{uid}\t".encode()
    for pid in pids():
        try:
            if line in read(f"/proc/{pid}/status") and _living(pid):
                found.append(pid)
        except OSError:
            continue
    return found


def descendants(ancestor: int) -> list[int]:
    """Living processes that descend from `ancestor`, without itself."""
    children_of = _listed_children if _kernel_lists_children() else _searched_children()
    found: list[int] = []
    frontier = [ancestor]
    while frontier:
        frontier = [child for parent in frontier for child in children_of(parent)]
        found += frontier
    return [pid for pid in found if _living(pid)]


def fields(place: str) -> dict[str, str]:
    """The lines of `<place>/status`, where `place` is /proc/<pid> or /proc/<pid>/task/<thread>. Raises `OSError`."""
    text = read(f"{place}/status").decode(errors="replace")
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def read(path: str) -> bytes:
    """All of a file of /proc. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


@cache
def _kernel_lists_children() -> bool:
    return os.path.exists("/proc/thread-self/children")


def _listed_children(pid: int) -> list[int]:
    """Children of every thread, as CONFIG_PROC_CHILDREN lists them."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        return found
    return found


def _searched_children() -> Callable[[int], list[int]]:
    """The same from a look at all processes."""
    children: dict[int, list[int]] = {}
    for pid in pids():
        about = _stat(pid)
        if about is not None:
            children.setdefault(int(about[1]), []).append(pid)
    return lambda parent: children.pop(parent, [])


def _living(pid: int) -> bool:
    """Whether anything of it still runs: a process is a zombie as soon as its first thread has ended, whatever its others do."""
    about = _stat(pid)
    return about is not None and (about[0] not in (b"Z", b"X") or int(about[17]) > 1)


def _stat(pid: int) -> list[bytes] | None:
    """The fields of /proc/<pid>/stat behind the name: state, parent, …, number of threads at 17."""
    try:
        return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return None
