"""Calls that raise, crash, hang or eat memory get the verdict that says so."""

from __future__ import annotations

import pytest

from evaluator.contract import Flag, Limits, Mode, State, Verdict
from evaluator.judge import timing_stage
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import relu

pytestmark = pytest.mark.usefixtures("good_in_the_end")
SHORT = Limits(check_s=2)


def test_raising_in_the_call_shows_the_authors_lines_only(evaluate: Judged) -> None:
    outcome = evaluate(relu("raise IndexError('tile 7')"))

    assert (outcome.verdict, outcome.stage) == (Verdict.RUNTIME_ERROR, State.CHECKING)
    (reason,) = outcome.reasons
    assert "IndexError: tile 7" in reason.message
    assert 'submission.py", line 4' in reason.detail
    assert "harness.py" not in reason.detail
    assert outcome.correctness_score == 0


@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt()"])
def test_raising_what_is_not_an_error(evaluate: Judged, error: str) -> None:
    outcome = evaluate(relu(f"raise {error}"))

    assert outcome.verdict is Verdict.RUNTIME_ERROR
    assert error[:-1].partition("(")[0] in outcome.reasons[0].message


def test_exception_that_fights_being_shown(evaluate: Judged) -> None:
    hostile = """
        import torch
        class Sly(Exception):
            def __str__(self):
                raise SystemExit
            __repr__ = __str__
        Sly.__name__ = "x" * 100_000
    """
    outcome = evaluate(relu("raise Sly('a' * 5_000_000)", hostile))

    assert outcome.verdict is Verdict.RUNTIME_ERROR
    assert len(outcome.reasons[0].message) < 1000


def test_endless_message(evaluate: Judged) -> None:
    outcome = evaluate(relu("raise ValueError('long ' * 1_000_000 + '\\x00\\ud800')"))

    assert outcome.verdict is Verdict.RUNTIME_ERROR
    assert len(outcome.reasons[0].message) < 50_000
    assert "\x00" not in outcome.reasons[0].message


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("[torch.relu(x)]", "list"),
        ("None", "NoneType"),
        ("torch.nn.Parameter(torch.relu(x), requires_grad=False)", "Parameter"),
    ],
)
def test_returning_what_is_no_tensor(evaluate: Judged, value: str, found: str) -> None:
    outcome = evaluate(relu(f"return {value}"))

    assert (outcome.verdict, outcome.stage) == (Verdict.RUNTIME_ERROR, State.CHECKING)
    assert found in outcome.reasons[0].message


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os.abort()", "SIGABRT"),
        ("import os; os._exit(0)", "status 0"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    ],
    ids=["segfault", "abort", "exit", "kill"],
)
def test_process_that_ends_early_has_crashed(judged: Judged, body: str, how: str) -> None:
    outcome = judged(relu(body))

    assert (outcome.verdict, outcome.stage) == (Verdict.CRASHED, State.CHECKING)
    assert how in outcome.reasons[0].message


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(3600)",
        "import os, signal; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15)]; os.kill(os.getpid(), signal.SIGSTOP)",
    ],
    ids=["endless loop", "long sleep", "ignores signals and stops itself"],
)
def test_call_that_does_not_end(judged: Judged, body: str) -> None:
    outcome = judged(relu(body), limits=SHORT)

    assert (outcome.verdict, outcome.stage) == (Verdict.TIMEOUT, State.CHECKING)
    assert outcome.stage_seconds["checking"] < 30


def test_a_call_that_takes_a_quarter_of_a_commands_time_is_slow_and_no_timeout(evaluate: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing_stage, "COMMAND_S", 2.0)
    slow = relu("time.sleep(0.5 if x.shape == (256, 4096) else 0)\nreturn torch.relu(x)", "import time\nimport torch")

    outcome = evaluate(slow, mode=Mode.BENCHMARK)

    assert outcome.verdict in (Verdict.ACCEPTED, Verdict.SUSPECT), outcome.reasons  # a busy machine can make two clocks disagree
    timed = next(case for case in outcome.cases if case.name == "256x4096" and case.timing)
    assert timed.timing is not None
    assert timed.timing.calls == 1


@pytest.mark.parametrize(
    "body",
    ["return torch.empty(100 * 2**30, dtype=torch.uint8)", "x = bytearray(100 * 2**30)"],
    ids=["torch.empty", "bytearray"],
)
def test_asking_for_100_gigabytes(judged: Judged, body: str) -> None:
    outcome = judged(relu(body))

    assert (outcome.verdict, outcome.stage) == (Verdict.OUT_OF_MEMORY, State.CHECKING)


GROW = """
import os, time, torch
block = b"x" * (16 << 20)
def grow():
    files = []
    while True:
        files.append(os.memfd_create("more"))
        for _ in range(16):
            os.write(files[-1], block)
"""


def test_growing_in_memory_files_is_seen_from_outside(judged: Judged) -> None:
    outcome = judged(relu("grow()", GROW), limits=Limits(memory_bytes=1 << 30, check_s=60))

    assert (outcome.verdict, outcome.stage) == (Verdict.OUT_OF_MEMORY, State.CHECKING)
    assert "1.0 GiB are allowed" in outcome.reasons[0].message


def test_growing_in_a_child_process_is_seen_from_outside(judged: Judged) -> None:
    outcome = judged(relu("if os.fork() == 0:\n    grow()\ntime.sleep(3600)", GROW), limits=Limits(memory_bytes=1 << 30, check_s=60))

    assert outcome.verdict is Verdict.OUT_OF_MEMORY
    assert Flag.LEFT_PROCESSES in outcome.flags
