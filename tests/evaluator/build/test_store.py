"""The directory of build results: whole entries or none, for several processes at once."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.build import DirectoryStore

WRITER = """
import hashlib, sys
from pathlib import Path
from evaluator.build import DirectoryStore
store = DirectoryStore(Path(sys.argv[1]), cap_bytes=300_000)
for i in range(60):
    key = hashlib.sha256(str(i % 20).encode()).hexdigest()
    found = store.get(key)
    if found is not None:
        assert set(found) == {"a", "b"} and found["a"] == b"x" * 5000, found
    store.put(key, {"a": b"x" * 5000, "b": str(i % 20).encode()})
"""


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def entry(root: Path, number: int) -> Path:
    return root / "objects" / key(number)[:2] / key(number)


def test_what_was_put_is_there_and_nothing_else(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)

    store.put(key(1), {"report.json": b"{}", "kernel.so": b"\x7fELF"})

    assert store.get(key(1)) == {"report.json": b"{}", "kernel.so": b"\x7fELF"}
    assert store.get(key(2)) is None
    assert list((tmp_path / "incoming").iterdir()) == []


def test_the_first_of_two_stays(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    store.put(key(1), {"a": b"first"})

    store.put(key(1), {"a": b"second"})

    assert store.get(key(1)) == {"a": b"first"}


@pytest.mark.parametrize("damage", ["change", "truncate", "remove", "manifest", "no manifest", "foreign name"])
def test_a_damaged_entry_is_dropped(tmp_path: Path, damage: str) -> None:
    store = DirectoryStore(tmp_path)
    store.put(key(1), {"a": b"right"})
    place = entry(tmp_path, 1)
    match damage:
        case "change":
            (place / "a").write_bytes(b"wrong")
        case "truncate":
            (place / "a").write_bytes(b"")
        case "remove":
            (place / "a").unlink()
        case "manifest":
            (place / "manifest.json").write_text("[1, 2")
        case "no manifest":
            (place / "manifest.json").unlink()
        case "foreign name":
            (place / "manifest.json").write_text('{"../../x": "00"}')

    assert store.get(key(1)) is None
    assert not place.exists()
    store.put(key(1), {"a": b"again"})
    assert store.get(key(1)) == {"a": b"again"}


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path, cap_bytes=150_000)
    for number in range(5):
        store.put(key(number), {"a": b"x" * 10_000})
        os.utime(entry(tmp_path, number), (number, number))
    store.get(key(0))

    for number in range(5, 8):
        store.put(key(number), {"a": b"x" * 10_000})

    assert store.get(key(0)) is not None
    assert store.get(key(1)) is None
    assert sum(f.stat().st_size for f in tmp_path.rglob("*") if f.is_file()) <= 150_000


def test_several_processes_write_and_evict_at_once(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stderr=subprocess.PIPE, text=True) for _ in range(3)]

    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "", "manifest.json", "a" * 200])
def test_names_that_are_not_plain_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError):
        DirectoryStore(tmp_path).put(key(1), {name: b""})
    assert list((tmp_path / "incoming").iterdir()) == []


@pytest.mark.parametrize("bad", ["", "../" * 20, "A" * 64, "0" * 63])
def test_keys_that_are_not_hashes_are_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError):
        DirectoryStore(tmp_path).get(bad)


def test_the_directory_is_private(tmp_path: Path) -> None:
    DirectoryStore(tmp_path / "store").put(key(1), {"a": b"x"})

    assert (tmp_path / "store").stat().st_mode & 0o077 == 0
    assert (entry(tmp_path / "store", 1) / "a").stat().st_mode & 0o077 == 0
