"""A few named files in one memory file: how questions go into the sandbox and answers come out. Standard library only.

Layout: 4 bytes `KBA1`, the header's length (4 bytes, big-endian), a header of JSON (`[[name, length], …]`), then the files' bytes.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable

MAGIC = b"KBA1"
MAX_HEADER_BYTES = 64 * 1024
_PREFIX = struct.Struct(">4sI")


class ArchiveError(ValueError):
    """The bytes are no archive, or hold more than is allowed."""


def pack(descriptor: int, files: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive to the start of `descriptor`. Raises `OSError` when it does not fit."""
    kept = list(files)
    header = json.dumps([[name, len(data)] for name, data in kept]).encode()
    position = _write(descriptor, header, _PREFIX.size)
    for _, data in kept:
        position = _write(descriptor, data, position)
    _write(descriptor, _PREFIX.pack(MAGIC, len(header)), 0)


def is_empty(descriptor: int) -> bool:
    """Whether nothing was packed here yet."""
    return os.pread(descriptor, len(MAGIC), 0) == bytes(len(MAGIC))


def unpack(descriptor: int, *, most_files: int = 256) -> dict[str, bytes]:
    """The files in `descriptor` by name; {} when nothing was written. Raises `ArchiveError`.

    What is read is bounded by the size of the memory file, which whoever made it fixed.
    """
    size = os.fstat(descriptor).st_size
    magic, length = _PREFIX.unpack(_read(descriptor, _PREFIX.size, 0, size))
    if magic == bytes(4):
        return {}
    if magic != MAGIC or length > MAX_HEADER_BYTES:
        raise ArchiveError("not an archive")
    try:
        entries = json.loads(_read(descriptor, length, _PREFIX.size, size))
    except (ValueError, RecursionError) as error:
        raise ArchiveError("the header is not JSON") from error
    if not isinstance(entries, list) or len(entries) > most_files:
        raise ArchiveError(f"the header is no list of at most {most_files} files")
    found: dict[str, bytes] = {}
    position = _PREFIX.size + length
    for entry in entries:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str) or type(entry[1]) is not int or entry[1] < 0:
            raise ArchiveError("a file has no name or no length")
        if entry[0] in found:
            raise ArchiveError(f"two files of the name {entry[0][:80]!r}")
        found[entry[0]] = _read(descriptor, entry[1], position, size)
        position += entry[1]
    return found


def _read(descriptor: int, length: int, position: int, size: int) -> bytes:
    if position + length > size:
        raise ArchiveError("cut short")
    chunks = []
    while length:
        chunk = os.pread(descriptor, min(length, 1 << 24), position)
        if not chunk:
            raise ArchiveError("cut short")
        chunks.append(chunk)
        position += len(chunk)
        length -= len(chunk)
    return b"".join(chunks)


def _write(descriptor: int, data: bytes, position: int) -> int:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, position)
        view = view[written:]
        position += written
    return position
