"""A process in the sandbox, seen from outside."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from evaluator.sandbox import tree
from evaluator.sandbox.captured import CapturedOutput
from evaluator.sandbox.cgroup import Cgroup
from evaluator.sandbox.memory import MemoryMeter

_REAP_S = 10.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run holds now: memory with shared memory and its work directory, and its processes (threads not counted)."""

    memory_bytes: int
    processes: int


@dataclass(frozen=True, slots=True)
class Handle:
    """Everything that starting a process left in our hands.

    `pid` is the host pid of the run's main process, `root_pid` of the process whose death ends the whole tree: the PID namespace's
    init, or the supervisor.
    """

    popen: subprocess.Popen[bytes]
    pid: int
    root_pid: int
    root_is_init: bool
    output: CapturedOutput
    layers: dict[str, str]
    box: str
    host_box: str | None
    cgroup: Cgroup | None
    release: Callable[[], None]


class SandboxedProcess:
    """One hostile process and everything that it starts. `box` is its work directory as it sees it. Safe to use from several threads."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._guard = threading.Lock()
        self._root = os.pidfd_open(handle.root_pid)
        self._main = os.pidfd_open(handle.popen.pid)
        self._closing = threading.Lock()
        self._gone = False
        self._meter = MemoryMeter()
        self.pid = handle.pid
        self.box = handle.box
        self.layers = dict(handle.layers)
        self.left_processes = 0

    def poll(self) -> int | None:
        """Exit status as `subprocess` gives it (negative: killed by that signal), None while it runs."""
        code = self._handle.popen.poll()
        if code is None:
            return None
        # bubblewrap and the supervisor report a signal as a shell does.
        return 128 - code if 128 < code < 128 + signal.NSIG else code

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the main process. Raises `TimeoutError`."""
        # Not `Popen.wait`: with a timeout it sleeps up to 50 ms past the end.
        with self._closing:
            ended = None if self._gone else os.dup(self._main)
        if ended is not None:
            try:
                if not _ends(ended, timeout_s):
                    raise TimeoutError(f"still running after {timeout_s:g} s")
            finally:
                os.close(ended)
        self._handle.popen.wait()
        code = self.poll()
        assert code is not None
        return code

    def kill(self, timeout_s: float = _REAP_S) -> bool:
        """Kill the whole tree and wait until all of it is gone; True when it is. May be called again."""
        with self._guard:
            if self._gone:
                return True
            deadline = time.monotonic() + timeout_s
            self.left_processes = max(self.left_processes, len(self._others()))
            if self._handle.cgroup:
                self._handle.cgroup.kill()
            self._end_root()
            gone = _ends(self._root, deadline - time.monotonic()) and _ends(self._main, max(0.1, deadline - time.monotonic()))
            if gone:
                self._handle.popen.wait()
            else:
                self._handle.popen.kill()
            self._handle.output.join(max(0.1, min(2.0, deadline - time.monotonic())))
            if gone:
                self._finish()
            return gone

    def usage(self) -> Usage:
        """Memory and processes of the tree now; zeros when it is gone. Memory files that this process itself holds do not count."""
        members = self.pids()
        memory = self._handle.cgroup.memory_bytes() if self._handle.cgroup else None
        if memory is None:
            stored = _held_by_tmpfs(self._handle.root_pid, (self.box, "/dev/shm")) if self._handle.root_is_init else 0
            memory = self._meter.resident_bytes(members, stored_bytes=stored)
        return Usage(memory_bytes=memory, processes=len(members))

    def log(self) -> tuple[str, bool]:
        """What it printed (stdout and stderr together) and whether the middle was cut."""
        return self._handle.output.text()

    def printed(self, position: int) -> tuple[bytes, int]:
        """What it printed after `position` bytes, and the position now."""
        return self._handle.output.since(position)

    def exit_description(self) -> str:
        """How it ended, in words for a person."""
        code = self.poll()
        if code is None:
            return "still running"
        if code >= 0:
            return f"exited with status {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    def __enter__(self) -> SandboxedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def pids(self) -> list[int]:
        """Host pids of the run's living processes, those that left their parents included."""
        if self._gone:
            return []
        return tree.descendants(self._handle.root_pid)

    def _others(self) -> list[int]:
        return [pid for pid in self.pids() if pid != self.pid]

    def _end_root(self) -> None:
        # An init takes its whole namespace with it. A supervisor kills until nothing is left.
        send = signal.SIGKILL if self._handle.root_is_init else signal.SIGTERM
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._root, send)

    def _finish(self) -> None:
        with self._closing:
            self._gone = True
            os.close(self._root)
            os.close(self._main)
        if self._handle.cgroup:
            self._handle.cgroup.remove()
        if self._handle.host_box:
            shutil.rmtree(self._handle.host_box, ignore_errors=True)
        self._handle.release()


def _ends(pidfd: int, timeout_s: float | None) -> bool:
    """Whether the process behind `pidfd` ends within `timeout_s` (None: wait for it)."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(None if timeout_s is None else max(0.0, timeout_s) * 1000))


def _held_by_tmpfs(pid: int, directories: Collection[str]) -> int:
    total = 0
    for directory in directories:
        try:
            about = os.statvfs(f"/proc/{pid}/root{directory}")
        except OSError:
            continue
        total += (about.f_blocks - about.f_bfree) * about.f_frsize
    return total
