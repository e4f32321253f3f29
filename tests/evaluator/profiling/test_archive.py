"""Questions and answers in memory files: what goes in comes out, and whatever else a process writes is refused."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from collections.abc import Iterator

import pytest

from evaluator.profiling.inside.archive import MAGIC, MAX_HEADER_BYTES, ArchiveError, pack, unpack
from evaluator.profiling.running import memory_file

SIZE = 1 << 20


@pytest.fixture
def file() -> Iterator[int]:
    with contextlib.ExitStack() as opened:
        yield memory_file("test", SIZE, opened)


def header(file: int, entries: object) -> None:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    os.pwrite(file, MAGIC + struct.pack(">I", len(text)) + text, 0)


def test_what_goes_in_comes_out(file: int) -> None:
    files = {"question.json": b"{}", "empty": b"", "bytes": bytes(range(256)) * 100}

    pack(file, files.items())

    assert unpack(file) == files


def test_nothing_was_written(file: int) -> None:
    assert unpack(file) == {}


def test_more_than_fits_is_not_written(file: int) -> None:
    with pytest.raises(OSError, match="not permitted"):
        pack(file, [("large", bytes(SIZE))])


def test_its_size_cannot_be_changed(file: int) -> None:
    for size in (0, 2 * SIZE):
        with pytest.raises(PermissionError):
            os.ftruncate(file, size)


@pytest.mark.parametrize(
    "entries",
    [
        b"not json",
        b"[" * 60_000,
        {"name": 1},
        [["name"]],
        [[1, 1]],
        [["name", -1]],
        [["name", True]],
        [["name", 1.5]],
        [["name", 10**30]],
        [["name", SIZE]],
        [["twice", 1], ["twice", 1]],
        [[str(number), 0] for number in range(300)],
    ],
    ids=lambda entries: str(entries)[:24],
)
def test_a_hostile_header_is_refused(file: int, entries: object) -> None:
    header(file, entries)

    with pytest.raises(ArchiveError):
        unpack(file)


def test_a_header_that_claims_to_be_long_is_refused(file: int) -> None:
    os.pwrite(file, MAGIC + struct.pack(">I", MAX_HEADER_BYTES + 1), 0)

    with pytest.raises(ArchiveError):
        unpack(file)


def test_other_bytes_are_refused(file: int) -> None:
    os.pwrite(file, b"\x7fELF....", 0)

    with pytest.raises(ArchiveError, match="not an archive"):
        unpack(file)
