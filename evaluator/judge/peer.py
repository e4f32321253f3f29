"""A harness process (candidate or baseline) as the judge sees it: commands out, answers in, both under a deadline."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import evaluator
from evaluator.contract import Limits
from evaluator.devices import environment_of
from evaluator.protocol import FROM_CANDIDATE_BYTES, Channel, ChannelClosed, ChannelTimeout, ProtocolError, pair

if typing.TYPE_CHECKING:
    from evaluator.sandbox import Sandbox, Usage

START_S = 120.0
_SLICE_S = 0.1
_PROCESS_CPU_CLOCK = 2
"""CPUCLOCK_SCHED: a clock id made of this and a process id reads that process's CPU time (clock_getcpuclockid(3) makes such ids)."""
_MEMORY_SLACK_BYTES = 256 * 1024 * 1024


class InfrastructureError(RuntimeError):
    """Something of ours failed: not the submission's fault; the evaluation is tried again."""


class DeviceInUseError(InfrastructureError):
    """Somebody else kept the device for longer than the judge waits. Nothing was begun."""


class Cancelled(Exception):
    """Somebody cancelled the evaluation while it ran."""


class PeerFailure(Exception):
    """The process did not answer a command as it must. The text is for a person."""


class PeerDied(PeerFailure):
    """The process ended before it had answered."""


class PeerTimedOut(PeerFailure):
    """The process did not answer in time."""


class PeerBrokeProtocol(PeerFailure):
    """The process answered with something that the harness never sends."""


class PeerOverMemory(PeerFailure):
    """The process held more memory than it may."""


class Process(typing.Protocol):
    """What a peer needs of a process; `SandboxedProcess` has it, and `TrustedProcess`."""

    pid: int
    layers: dict[str, str]
    left_processes: int

    def poll(self) -> int | None: ...
    def wait(self, timeout_s: float | None = None) -> int: ...
    def kill(self) -> bool: ...
    def usage(self) -> Usage: ...
    def pids(self) -> list[int]: ...
    def log(self) -> tuple[str, bool]: ...
    def printed(self, position: int) -> tuple[bytes, int]: ...
    def exit_description(self) -> str: ...


class TrustedProcess:
    """A process of our own code without a sandbox, such as the baseline."""

    layers: dict[str, str] = {}
    left_processes = 0

    def __init__(self, module: str, args: Sequence[str], fds: Sequence[int], env: Mapping[str, str]) -> None:
        root = str(Path(evaluator.__file__).parent.parent)
        environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", **env}
        self._popen = subprocess.Popen(
            [sys.executable, "-m", module, *args], env=environment, pass_fds=tuple(fds), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        self.pid = self._popen.pid

    def poll(self) -> int | None:
        return self._popen.poll()

    def wait(self, timeout_s: float | None = None) -> int:
        return self._popen.wait(timeout_s)

    def kill(self) -> bool:
        self._popen.kill()
        self._popen.wait()
        return True

    def usage(self) -> Usage:
        from evaluator.sandbox import Usage

        return Usage(0, 1)

    def pids(self) -> list[int]:
        return [self.pid]

    def log(self) -> tuple[str, bool]:
        return "", False

    def printed(self, position: int) -> tuple[bytes, int]:
        return b"", 0

    def exit_description(self) -> str:
        return f"exited with status {self.poll()}"


class Peer:
    """A process and the channel to it. `allowance_bytes` is judge-owned memory that it maps and that does not count as its own."""

    def __init__(self, process: Process, channel: Channel, limits: Limits) -> None:
        self.process = process
        self.channel = channel
        self.limits = limits
        self.allowance_bytes = 0
        self.cancelled: Callable[[], bool] = lambda: False
        self._number = 0
        self._asked = 0.0
        self._ready = False

    def await_ready(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Wait until the harness has imported all that it needs.

        Raises `InfrastructureError` (nothing of a submission runs yet), and `Cancelled`: the process is then as good as before.
        """
        if self._ready:
            return
        patience = time.monotonic() + START_S
        while not self.channel.ready(_SLICE_S) and time.monotonic() < patience:
            if cancelled():
                raise Cancelled
        try:
            hello = self.channel.receive(deadline=time.monotonic() + START_S)
        except (ChannelClosed, ChannelTimeout, ProtocolError) as error:
            code = self._exit()
            self.close()
            log = self.process.log()[0][-2000:]
            raise InfrastructureError(f"a harness process did not start ({type(error).__name__}, it {code}): {log}") from error
        if hello.get("ready") is not True:
            raise InfrastructureError("a harness process did not say that it is ready")
        self._ready = True

    def command(self, message: Mapping[str, object], *, timeout_s: float, fds: Sequence[int] = ()) -> dict[str, object]:
        """Send one command and return its answer. Raises a `PeerFailure` or `Cancelled`; the process is dead afterwards."""
        self._number += 1
        deadline = time.monotonic() + timeout_s
        try:
            self._ask_whether_cancelled()
            self.channel.send({"id": self._number, **message}, fds, deadline=deadline)
            answer = self._answer(deadline)
        except ChannelClosed:
            failure: PeerFailure = PeerDied(self._exit())
        except ChannelTimeout:
            failure = PeerTimedOut(f"no answer within {timeout_s:.3g} s")
        except ProtocolError as error:
            failure = PeerBrokeProtocol(str(error))
        except (PeerFailure, Cancelled):
            self.close()
            raise
        else:
            if answer.get("id") == self._number:
                return answer
            failure = PeerBrokeProtocol("an answer to a command that was not given")
        self.close()
        raise failure

    def cpu_reading(self) -> tuple[int, frozenset[int]]:
        """CPU time (ns) so far of the process and all that it started and that lives, as the kernel counts it; and who that is."""
        total = 0
        members = frozenset(self.process.pids())
        for pid in members:
            with contextlib.suppress(OSError):
                total += time.clock_gettime_ns((~pid << 3) | _PROCESS_CPU_CLOCK)
        return total, members

    def close(self) -> None:
        """Kill the process and all that it started."""
        self.process.kill()
        with contextlib.suppress(OSError):
            self.channel.close()

    def _answer(self, deadline: float) -> dict[str, object]:
        """Wait for a whole frame; every 0.1 s, also behind half a frame, look whether somebody cancelled or memory ran over."""
        while True:
            try:
                return self.channel.receive(deadline=min(deadline, time.monotonic() + _SLICE_S))
            except ChannelTimeout:
                self._ask_whether_cancelled()
                memory = self.process.usage().memory_bytes
                if memory > self.limits.memory_bytes + self.allowance_bytes + _MEMORY_SLACK_BYTES:
                    text = f"{memory / 2**30:.1f} GiB in use, {self.limits.memory_bytes / 2**30:.1f} GiB are allowed"
                    raise PeerOverMemory(text) from None
                if time.monotonic() >= deadline:
                    raise

    def _ask_whether_cancelled(self) -> None:
        """At most every 0.1 s: short commands follow each other faster, and none of them may pay for the question twice."""
        now = time.monotonic()
        if now - self._asked < _SLICE_S:
            return
        self._asked = now
        if self.cancelled():
            raise Cancelled

    def _exit(self) -> str:
        with contextlib.suppress(TimeoutError, subprocess.TimeoutExpired):
            self.process.wait(2.0)
        return self.process.exit_description()


def start_candidate(sandbox: Sandbox, device: str, limits: Limits) -> Peer:
    """A spare: a fresh sandbox that imports torch and Triton and then waits. `device` is torch's: `cpu` or `cuda`."""
    ours, theirs = pair()
    with theirs:
        args = (str(theirs.fileno()), device)
        process = sandbox.start("evaluator.candidate", args, fds=(theirs.fileno(),), limits=limits, env=environment_of(device))
    return Peer(process, Channel(ours, max_frame_bytes=FROM_CANDIDATE_BYTES), limits)


def start_trusted(module: str, device: str) -> Peer:
    """A process of our own code under the same harness, without a sandbox: `module` runs with a socket's number and `device`."""
    ours, theirs = pair()
    with theirs:
        process = TrustedProcess(module, (str(theirs.fileno()), device), (theirs.fileno(),), environment_of(device))
    return Peer(process, Channel(ours, max_frame_bytes=FROM_CANDIDATE_BYTES), Limits())


def start_baseline(device: str) -> Peer:
    """The process that runs torch eager."""
    return start_trusted("evaluator.judge.baseline", device)
