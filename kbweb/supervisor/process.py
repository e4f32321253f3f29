"""One child process that is started again when it dies, its output prefixed with its name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kbweb import launch

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0


@dataclass
class Child:
    """A command to keep running. `say(name, line)` gets its output, line by line, and what happens to it."""

    name: str
    command: list[str]
    say: Callable[[str, str], None]
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause_s = FIRST_PAUSE_S
        self._again_at: float | None = None
        self._reader: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start it in a session of its own, so that a terminal's Ctrl-C reaches the supervisor alone."""
        self._started_at = time.monotonic()
        self._again_at = None
        self._process = subprocess.Popen(
            launch.command(self.command, on_parent_death=signal.SIGTERM),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self.environment, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=[self._process], name=f"output of {self.name}", daemon=True)
        self._reader.start()

    def tend(self) -> None:
        """Note a death and start again when its pause is over: 0.5 s, doubling to 30 s while it keeps dying within a minute."""
        now = time.monotonic()
        if self._process is not None and (status := self._process.poll()) is not None:
            self._end_group(self._process.pid)
            self._process = None
            if now - self._started_at > STEADY_S:
                self._pause_s = FIRST_PAUSE_S
            self._again_at = now + self._pause_s
            self.say(self.name, f"ended ({describe(status)}); starting again in {self._pause_s:g} s")
            self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)
        if self._again_at is not None and now >= self._again_at:
            self.start()

    def ask_to_stop(self) -> None:
        self._again_at = None
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def wait_stopped(self, deadline: float) -> None:
        """Wait until `deadline` (monotonic); then SIGKILL to whatever of its process group is left."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.say(self.name, "did not stop in time; killed")
        self._end_group(self._process.pid)
        self._process.wait()
        if self._reader is not None:
            self._reader.join(1.0)
        self._process = None

    def _end_group(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as output:
            for line in output:
                self.say(self.name, line.decode(errors="replace").rstrip("\r\n")[:4000])


def describe(status: int) -> str:
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
