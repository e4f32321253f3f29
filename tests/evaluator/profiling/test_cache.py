"""What Triton compiled in one tool's process is there for the next one's."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from evaluator.ops.registry import get
from evaluator.profiling import job as outside
from evaluator.profiling.inside import cache
from evaluator.profiling.inside.archive import MAGIC, is_empty, pack, unpack
from evaluator.profiling.inside.job import Job
from evaluator.profiling.running import memory_file

ROOM = 4 << 20
COMPILES = """
import os
from pathlib import Path

COMPILED = Path(os.environ["TRITON_CACHE_DIR"]) / "KEY" / "kernel.ptx"
THERE = COMPILED.exists()

def relu_kernel_impl(x):
    if not THERE:
        COMPILED.parent.mkdir(parents=True, exist_ok=True)
        COMPILED.write_text("compiled once")
    return x.clamp(min=0)
"""


@pytest.fixture
def file() -> Iterator[int]:
    with contextlib.ExitStack() as opened:
        yield memory_file("compiled", ROOM, opened)


def compiled(folder: Path) -> Path:
    """A cache as Triton leaves it."""
    made = {
        "KEY/kernel.cubin": b"\x7fELF",
        "KEY/kernel.json": b"{}",
        "KEY/kernel.ttir": b"module",
        "KEY/__grp__kernel.json": json.dumps({"child_paths": {"kernel.cubin": str(folder / "KEY" / "kernel.cubin")}}).encode(),
        "LAUNCHER/launcher.so": b"\x7fELF so",
    }
    for name, data in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_the_next_process_begins_with_it_in_a_place_of_its_own(file: int, tmp_path: Path) -> None:
    cache.keep(compiled(tmp_path / "first"), file)
    cache.fill(tmp_path / "second", file)

    found = {str(path.relative_to(tmp_path / "second")): path.read_bytes() for path in (tmp_path / "second").rglob("*") if path.is_file()}
    assert set(found) == {"KEY/kernel.cubin", "KEY/kernel.json", "KEY/__grp__kernel.json", "LAUNCHER/launcher.so"}
    assert found["LAUNCHER/launcher.so"] == b"\x7fELF so"
    assert json.loads(found["KEY/__grp__kernel.json"])["child_paths"] == {"kernel.cubin": str(tmp_path / "second" / "KEY" / "kernel.cubin")}


def test_only_the_first_process_fills_it(file: int, tmp_path: Path) -> None:
    cache.keep(tmp_path / "none", file)
    cache.keep(compiled(tmp_path / "later"), file)

    assert set(unpack(file)) == {"place"}


def test_what_has_no_room_is_compiled_again(file: int, tmp_path: Path) -> None:
    folder = compiled(tmp_path / "first")
    (folder / "KEY" / "large.cubin").write_bytes(bytes(ROOM))

    cache.keep(folder, file)

    assert "KEY/kernel.cubin" in unpack(file)
    assert "KEY/large.cubin" not in unpack(file)


@pytest.mark.parametrize("data", [b"garbage" * 100, MAGIC + b"\x00\x00\x00\x04null"])
def test_a_file_that_somebody_spoilt_is_no_fault(file: int, tmp_path: Path, data: bytes) -> None:
    os.pwrite(file, data, 0)

    cache.fill(tmp_path / "second", file)
    cache.keep(compiled(tmp_path / "first"), file)

    assert not (tmp_path / "second").exists()


def test_a_name_that_leads_out_of_the_cache_stops_there(file: int, tmp_path: Path) -> None:
    pack(file, [("place", b"/first"), ("/dev/null/x", b"y"), ("KEY/kernel.json", b"{}")])

    cache.fill(tmp_path / "second", file)

    assert not is_empty(file)


def test_a_job_takes_from_it_and_gives_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    op = get("relu")
    job = outside.prepare(op, op.correctness_cases("cpu")[0], COMPILES, "relu.py", "cpu", interpreted=False)
    monkeypatch.setattr(torch, "set_num_threads", lambda _count: None)
    monkeypatch.setattr(torch, "set_num_interop_threads", lambda _count: None)
    seen = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / name / "cache"))
        inside = Job(json.loads(job.question()), os.dup(job.block.fileno()), job.compiled)
        inside.load()
        seen.append((tmp_path / name / "cache" / "KEY" / "kernel.ptx").exists())
        inside.warm_up()
    found = unpack(job.compiled)
    del inside
    job.close()

    assert seen == [False, True]
    assert found["KEY/kernel.ptx"] == b"compiled once"
