"""Triton's cache of one tool's process, handed on to the next one in a memory file, so that a kernel is compiled once and not by each tool.

Only processes of one submission share the file: what a hostile kernel leaves there it leaves for itself. The first process that is warm
fills it, later ones begin with what it holds.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from evaluator.profiling.inside.archive import is_empty, pack, unpack

MOST_FILES = 250
_WANTED = (".json", ".ptx", ".cubin", ".so")
"""What Triton needs to launch without compiling, and what is shown: not its own forms of a kernel in between."""
_HEADER_BYTES = 128 * 1024
_PLACE = "place"


def keep(folder: Path, descriptor: int) -> None:
    """Put the cache's files into an empty memory file as far as there is room."""
    if not is_empty(descriptor):
        return
    room = os.fstat(descriptor).st_size - _HEADER_BYTES
    files = [(_PLACE, os.fsencode(folder))]
    for path in sorted(folder.glob("*/*"))[: 4 * MOST_FILES]:
        with contextlib.suppress(OSError):
            if path.suffix in _WANTED and len(files) <= MOST_FILES and path.stat().st_size <= room:
                data = path.read_bytes()
                room -= len(data)
                files.append((f"{path.parent.name}/{path.name}", data))
    with contextlib.suppress(OSError, ValueError):
        pack(descriptor, files)


def fill(folder: Path, descriptor: int) -> None:
    """Begin with what an earlier process kept. Whatever cannot be used is compiled again."""
    with contextlib.suppress(OSError, ValueError):
        files = unpack(descriptor, most_files=MOST_FILES + 1)
        earlier = files.pop(_PLACE, b"")
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            # A group lists its files by their whole paths.
            path.write_bytes(data.replace(earlier, os.fsencode(folder)) if path.name.startswith("__grp__") and earlier else data)
