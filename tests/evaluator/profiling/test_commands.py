"""Programs run one after the other in the sandbox: what they are given, how they end, what is taken of what they leave."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from evaluator.contract import Limits
from evaluator.ops.registry import get
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.job import Job, prepare
from evaluator.profiling.running import Means, ToolFailed
from evaluator.profiling.steps import End, Ran, Step, read_ends, run
from evaluator.sandbox import Sandbox

LIMITS = Limits(memory_bytes=1 << 30, processes=64, scratch_bytes=32 << 20, log_bytes=64 << 10)


@pytest.fixture
def job() -> Iterator[Job]:
    op = get("relu")
    job = prepare(op, op.correctness_cases("cpu")[0], "", "relu.py", "cpu", interpreted=False)
    yield job
    job.close()


def ran(
    steps: list[Step], *take: str, most_bytes: int = 1000, room: int | None = None, job: Job | None = None, timeout_s: float = 30.0
) -> Ran:
    sandbox = Sandbox("best-effort")
    means = Means(sandbox, sandbox, None, LIMITS, lambda: False)
    wanted = dict.fromkeys(take, most_bytes)
    return run(means, steps, wanted, timeout_s=timeout_s, files=[("note.txt", b"a note")], room_bytes=room, job=job)


def step(program: str, *arguments: str, timeout_s: float = 20.0, may_fail: bool = False) -> Step:
    return Step(("{python}", "-c", program, *arguments), timeout_s, "out.txt", may_fail)


def test_a_program_reads_files_inputs_and_our_packages(job: Job) -> None:
    program = (
        "import sys; from evaluator.profiling.inside.archive import MAGIC;"
        "print(open('note.txt').read(), [len(open(path, 'rb').read(8)) for path in sys.argv[1:]], MAGIC)"
    )

    found = ran([step(program, "{inputs}", "{compiled}")], "out.txt", job=job)

    assert found.files["out.txt"] == b"a note [8, 8] b'KBA1'\n"
    assert found.ends == (End(0),)
    assert found.layers
    found.check()


def test_only_regular_files_of_bounded_size_are_taken_and_large_ones_are_named() -> None:
    program = "import os; os.symlink('note.txt', 'link'); os.mkdir('folder'); os.mkfifo('pipe'); open('large', 'wb').write(bytes(2000))"

    found = ran([step(program)], "link", "folder", "pipe", "large", "absent", "note.txt")

    assert set(found.files) == {"ends.json", "note.txt"}
    assert found.too_large == {"large"}
    assert (found.text("note.txt"), found.text("absent")) == ("a note", "")
    with pytest.raises(Unreadable, match="large has more than 1000 bytes"):
        found.text("large")


def test_room_goes_by_what_files_have_and_not_by_what_they_might_have() -> None:
    program = "for name, size in (('a', 10), ('b', 800), ('c', 10)): open(name, 'wb').write(bytes(size))"

    found = ran([step(program)], "a", "b", "c", room=500)

    assert set(found.files) == {"ends.json", "a", "c"}
    assert found.too_large == {"b"}


def test_a_step_that_fails_ends_them_unless_it_may() -> None:
    fails, writes = "raise SystemExit(3)", step("open('done', 'w').write('x')")

    stopped = ran([step(fails), writes], "done")
    went_on = ran([step(fails, may_fail=True), writes], "done")

    assert (stopped.ends, "done" in stopped.files) == ((End(3),), False)
    assert (went_on.ends, "done" in went_on.files) == ((End(3), End(0)), True)
    stopped.check()


def test_a_step_that_hangs_is_killed_with_what_it_started() -> None:
    hangs = step("import subprocess; subprocess.Popen(['sleep', '60']); import time; time.sleep(60)", timeout_s=1.0, may_fail=True)
    started = time.monotonic()

    found = ran([hangs, Step(["/nowhere/tool"], 1.0, "out.txt")])

    assert found.ends == (End(None), End(127, "/nowhere/tool: No such file or directory"))
    assert time.monotonic() - started < 15
    with pytest.raises(ToolFailed, match="longer than 1 s") as failed:
        found.check()
    assert failed.value.hard


def test_what_comes_after_the_time_of_all_is_not_lost_with_it() -> None:
    sleeps = step("import time; time.sleep(60)", timeout_s=60, may_fail=True)

    found = ran([step("open('done', 'w').write('x')"), sleeps, sleeps], "done", timeout_s=3.5)

    assert found.ends == (End(0), End(None), End(None))
    assert "done" in found.files


@pytest.mark.parametrize(
    ("end", "why", "hard"),
    [
        (End(-11), "ncu was killed by SIGSEGV", True),
        (End(-63), "ncu was killed by ", True),
        (End(None), "it took longer than 20 s", True),
        (End(127), "ncu cannot be started", False),
    ],
)
def test_how_a_program_ended_in_words(end: End, why: str, hard: bool) -> None:
    of_tool = Ran([Step(["/opt/tools/ncu"], 20.0, "log")], {}, (end,), {}, frozenset(), {})

    with pytest.raises(ToolFailed) as failed:
        of_tool.check()

    assert str(failed.value).startswith(why)
    assert failed.value.hard is hard


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        {"ends": []},
        {"ends": 3, "too_large": []},
        {"ends": [{}], "too_large": []},
        {"ends": [{"status": True}], "too_large": []},
        {"ends": [{"status": -500}], "too_large": []},
        {"ends": [{"status": "late"}], "too_large": []},
        {"ends": [{"status": 0}] * 100, "too_large": []},
        {"ends": [], "too_large": "x" * 100_000},
    ],
    ids=lambda said: str(said)[:40],
)
def test_ends_that_a_kernel_has_forged(said: object) -> None:
    with pytest.raises(Unreadable):
        read_ends(json.dumps(said).encode())


def test_words_of_ends_are_bounded() -> None:
    ends, too_large = read_ends(json.dumps({"ends": [{"status": 127, "error": "\x1b" * 10_000}], "too_large": ["a", 3]}).encode())

    assert len(ends[0].error) <= 300
    assert ends[0].error.isprintable()
    assert too_large == {"a"}
