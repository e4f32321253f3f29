"""A child process: restarted with growing pauses, its output named, stopped within a bound, nothing of it left."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from kbweb.supervisor.process import Child

Lines = list[tuple[str, str]]


@pytest.fixture
def lines() -> Lines:
    return []


@pytest.fixture
def child(lines: Lines) -> Iterator[Callable[[str], Child]]:
    made: list[Child] = []

    def make(script: str) -> Child:
        made.append(Child("it", [sys.executable, "-u", "-c", script], lambda name, line: lines.append((name, line))))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.ask_to_stop()
        one.wait_stopped(time.monotonic())


def until(condition: Callable[[], bool], within_s: float = 15.0) -> None:
    deadline, pause = time.monotonic() + within_s, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        pause.wait(0.02)


def test_output_carries_the_name(child: Callable[[str], Child], lines: Lines) -> None:
    child("print('hello'); import sys; print('there', file=sys.stderr); sys.stdin.read(); import signal; signal.pause()")

    until(lambda: len(lines) == 2)
    assert set(lines) == {("it", "hello"), ("it", "there")}


def test_a_dead_child_starts_again_after_a_pause_that_grows(child: Callable[[str], Child], lines: Lines) -> None:
    one = child("print('up'); raise SystemExit(7)")

    def tended() -> bool:
        one.tend()
        return lines.count(("it", "up")) == 2 and sum("ended" in line for _, line in lines) == 2

    until(tended)
    ends = [line for _, line in lines if "ended" in line]
    assert "exit status 7" in ends[0]
    assert ends[0].endswith("in 0.5 s")
    assert ends[1].endswith("in 1 s")


def test_a_polite_child_stops_at_once(child: Callable[[str], Child], lines: Lines) -> None:
    one = child("import signal; print('up'); signal.sigwait([signal.SIGUSR1])")
    until(lambda: ("it", "up") in lines)

    one.ask_to_stop()
    started = time.monotonic()
    one.wait_stopped(time.monotonic() + 10)

    assert one.pid is None
    assert time.monotonic() - started < 5


def test_a_stubborn_child_is_killed_with_everything_it_started(child: Callable[[str], Child], lines: Lines) -> None:
    one = child(
        "import os, signal, subprocess, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']).pid)\n"
        "signal.pause()"
    )
    until(lambda: len(lines) == 1)
    grandchild = os.pidfd_open(int(lines[0][1]))

    one.ask_to_stop()
    one.wait_stopped(time.monotonic() + 0.2)

    assert one.pid is None
    assert select.select([grandchild], [], [], 10)[0], "what the child had started goes on"
    os.close(grandchild)


def test_stop_signals_are_not_blocked_in_the_child(child: Callable[[str], Child], lines: Lines) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    try:
        child("import signal; print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))); signal.pause()")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    until(lambda: len(lines) == 1)
    assert lines[0][1] == "[]"
