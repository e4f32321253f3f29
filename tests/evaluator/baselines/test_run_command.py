"""A trusted command as a real process: ended in time, with all that it started, and bounded in what it says."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from evaluator.runners.command import STDOUT_BYTES, CommandEnd, CommandNotStarted, run_command

STARTS_ANOTHER = """
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
time.sleep({rest})
"""


def run(code: str, *, timeout_s: float = 30.0, **variables: str) -> CommandEnd:
    return run_command([sys.executable, "-I", "-S", "-c", code], environ={"PATH": os.environ["PATH"], **variables}, timeout_s=timeout_s)


def is_gone(pid: int) -> bool:
    """Whether it ended. Its orphan's status is for init to collect: a zombie is gone."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        os.sched_yield()
    return False


def test_status_and_both_outputs_come_back() -> None:
    end = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")

    assert (end.status, end.stdout, end.stderr) == (3, "out\n", "err\n")


def test_it_gets_the_environment_that_was_given_and_no_other() -> None:
    end = run("import os; print(sorted(os.environ))", KB_BENCH_OP="softmax")

    assert "KB_BENCH_OP" in end.stdout
    assert "HOME" not in end.stdout


def test_past_its_time_the_whole_group_is_killed() -> None:
    end = run(STARTS_ANOTHER.format(rest=60), timeout_s=1.0)

    assert end.status is None
    assert end.seconds < 20
    assert is_gone(int(end.stdout))


def test_what_it_leaves_behind_is_killed_too() -> None:
    end = run(STARTS_ANOTHER.format(rest=0))

    assert end.status == 0
    assert end.seconds < 20
    assert is_gone(int(end.stdout))


def test_endless_output_is_kept_at_both_ends() -> None:
    end = run("print('first'); print('x' * (4 << 20)); print('last')")

    assert end.status == 0
    assert len(end.stdout) < STDOUT_BYTES + 100
    assert end.stdout.startswith("first\n")
    assert end.stdout.endswith("last\n")


@pytest.mark.parametrize("program", ["/nowhere/tvm_bench", "a\0b"])
def test_a_program_that_is_not_there_is_named(program: str) -> None:
    with pytest.raises(CommandNotStarted, match="cannot be run"):
        run_command([program], environ={}, timeout_s=1)
