"""How much memory processes hold, read from /proc. Fast: it is asked ten times a second while a kernel runs."""

# pathlib costs more here than the kernel does.
# ruff: noqa: PTH115, PTH116, PTH208

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable

from evaluator.sandbox import tree

_STALE_S = 1.0

Identity = tuple[int, int]  # device and inode of a file


class MemoryMeter:
    """Measures one run. Memory files that this process itself holds do not count: we gave them. Remembers for a second which those are."""

    def __init__(self) -> None:
        self._ours: frozenset[Identity] = frozenset()
        self._known: frozenset[Identity] = frozenset()
        self._read_at = 0.0

    def resident_bytes(self, members: Iterable[int], *, stored_bytes: int = 0) -> int:
        """Memory that `members` hold: private pages, plus shared memory of their own making, mapped or not.

        `stored_bytes` is what they keep in file systems in memory. Pages that several members share count for each: an upper bound, exact
        for a single process.
        """
        private = 0
        shared: list[tuple[int, list[tuple[Identity, int]]]] = []
        files: dict[Identity, int] = {}
        for pid in members:
            try:
                place, fields = _with_memory(pid)
            except OSError:
                continue
            private += _kib(fields, "RssAnon")
            files.update(_open_memory_files(place))
            if in_shared := _kib(fields, "RssShmem"):
                shared.append((in_shared, _mapped_memory_files(place)))
        ours = self._ours_among(frozenset(files).union(key for _, mapped in shared for key, _ in mapped))
        mapped_bytes = sum(max(0, total - sum(size for key, size in mapped if key in ours)) for total, mapped in shared)
        return private + max(sum(size for key, size in files.items() if key not in ours) + stored_bytes, mapped_bytes)

    def _ours_among(self, seen: frozenset[Identity]) -> frozenset[Identity]:
        """Ours, read again when something unknown is seen, or when we may have let go of something."""
        now = time.monotonic()
        if seen and (now - self._read_at > _STALE_S or not seen <= self._known):
            place = "/proc/self"
            self._ours = frozenset(key for key, _ in (*_open_memory_files(place), *_mapped_memory_files(place)))
            self._known = self._ours | seen
            self._read_at = now
        return self._ours


def _with_memory(pid: int) -> tuple[str, dict[str, str]]:
    """Where in /proc a process shows its memory: where its first thread has ended, that is another thread. Raises `OSError`."""
    place = f"/proc/{pid}"
    fields = tree.fields(place)
    if "RssAnon" not in fields:
        for thread in os.listdir(f"/proc/{pid}/task"):
            other = f"/proc/{pid}/task/{thread}"
            found = tree.fields(other)
            if "RssAnon" in found:
                return other, found
    return place, fields


def _open_memory_files(place: str) -> list[tuple[Identity, int]]:
    found = []
    try:
        names = os.listdir(f"{place}/fd")
    except OSError:
        return []
    for name in names:
        path = f"{place}/fd/{name}"
        try:
            if not os.readlink(path).startswith("/memfd:"):
                continue
            about = os.stat(path)
        except OSError:
            continue
        if stat.S_ISREG(about.st_mode):
            found.append(((about.st_dev, about.st_ino), about.st_blocks * 512))
    return found


def _mapped_memory_files(place: str) -> list[tuple[Identity, int]]:
    """Memory files and the length of each mapping: at least what is resident of it."""
    try:
        data = tree.read(f"{place}/maps")
    except OSError:
        return []
    found = []
    at = data.find(b"/memfd:")
    while at >= 0:
        span, _, _, device, inode = data[data.rfind(b"\n", 0, at) + 1 : at].split()[:5]
        first, _, end = span.partition(b"-")
        major, _, minor = device.partition(b":")
        found.append(((os.makedev(int(major, 16), int(minor, 16)), int(inode)), int(end, 16) - int(first, 16)))
        following = data.find(b"\n", at)
        at = data.find(b"/memfd:", following) if following >= 0 else -1
    return found


def _kib(fields: dict[str, str], name: str) -> int:
    return int(fields.get(name, "0 kB").split()[0]) * 1024
