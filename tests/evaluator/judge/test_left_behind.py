"""Submissions that start things or print without end are judged by their result, and nothing of them stays."""

from __future__ import annotations

import pytest

from evaluator.contract import Flag, Limits, Verdict
from tests.evaluator.judge.conftest import LIMITS, Judged
from tests.evaluator.judge.kernels import relu

FORK = """
    import os, time, torch
    if os.fork() == 0:
        time.sleep(3600)
"""
SETSID = """
    import os, time, torch
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    os.wait()
"""
THREADS = """
    import threading, time, torch
    for daemon in (True, False):
        for _ in range(20):
            threading.Thread(target=time.sleep, args=(3600,), daemon=daemon).start()
"""


@pytest.mark.parametrize(
    ("before", "flags"),
    [(FORK, (Flag.LEFT_PROCESSES,)), (SETSID, (Flag.LEFT_PROCESSES,)), (THREADS, ())],
    ids=["fork", "double fork with setsid", "threads"],
)
def test_what_it_starts_ends_with_it(judged: Judged, before: str, flags: tuple[Flag, ...]) -> None:
    outcome = judged(relu("return torch.relu(x)", before))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert outcome.flags == flags


def test_multiprocessing(judged: Judged) -> None:
    before = """
        import multiprocessing, torch
        def double(n):
            return 2 * n
        child = multiprocessing.get_context("fork").Process(target=double, args=(1,))
        child.start()
        child.join()
        print("child ended with", child.exitcode)
    """
    outcome = judged(relu("return torch.relu(x)", before))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert "child ended with 0" in outcome.log


def test_fork_that_goes_on_as_if_it_were_the_candidate(judged: Judged) -> None:
    """The child returns from the call, too; its answer has no channel to go through."""
    before = """
        import os, torch
        forked = []
    """
    outcome = judged(relu("if not forked:\n    forked.append(os.fork())\nreturn torch.relu(x)", before))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons


def test_prints_100_megabytes(judged: Judged) -> None:
    before = """
        import os, torch
        print("first line", flush=True)
        for _ in range(100):
            os.write(1, b"y" * 999_999 + b"\\n")
        print("last line", flush=True)
    """
    outcome = judged(relu("return torch.relu(x)", before), limits=Limits(import_s=60, log_bytes=64 * 1024))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert Flag.LOG_CUT in outcome.flags
    assert len(outcome.log) < 70 * 1024
    assert outcome.log.startswith("first line")
    assert outcome.log.rstrip().endswith("last line")
    assert "bytes cut" in outcome.log


def test_prints_what_is_no_text(judged: Judged) -> None:
    outcome = judged(relu("return torch.relu(x)", "import os, torch\nos.write(2, b'\\x00\\xff\\xfe\\x1b[31m' * 10)"))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert "\x00" not in outcome.log
    outcome.log.encode()


def test_files_do_not_outlive_their_run(judged: Judged) -> None:
    places = '[os.path.expanduser("~/left"), "/tmp/left", "/dev/shm/left", "left"]'
    write = f"""
        import os, torch
        for place in {places}:
            try:
                open(place, "w").write("still here")
                print("wrote", place)
            except OSError as error:
                print(error)
    """
    look = f"""
        import os, torch
        print("found", [place for place in {places} if os.path.exists(place)])
    """
    first = judged(relu("return torch.relu(x)", write))
    second = judged(relu("return torch.relu(x)", look), limits=LIMITS)

    assert "wrote left" in first.log
    assert "found []" in second.log
