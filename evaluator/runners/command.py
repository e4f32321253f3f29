"""A command that the administrator named: run without a shell, in a process group of its own that is killed whole, its output bounded.

It is trusted, and no sandbox confines it. Never run anything here that comes from a submission.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.sandbox.captured import CapturedOutput

STDOUT_BYTES = 1024 * 1024
STDERR_BYTES = 64 * 1024
_READ_S = 5.0


class CommandNotStarted(Exception):
    """There is no such program, or it may not be run. The text says which."""


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended. `status` None: it was killed at its time limit. Of each output the first and the last part is kept."""

    status: int | None
    stdout: str
    stderr: str
    seconds: float


def run_command(argv: Sequence[str], *, environ: Mapping[str, str], timeout_s: float) -> CommandEnd:
    """Run until it ends, or for `timeout_s`; then kill it and everything it started in its group. Raises `CommandNotStarted`."""
    out, err = CapturedOutput(STDOUT_BYTES), CapturedOutput(STDERR_BYTES)
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv), env=dict(environ), stdin=subprocess.DEVNULL, stdout=out.writer, stderr=err.writer, start_new_session=True
        )
    except OSError as error:
        raise CommandNotStarted(f"{argv[0]} cannot be run: {error.strerror}") from error
    except ValueError as error:
        raise CommandNotStarted(f"{argv[0]!r} cannot be run: {error}") from error
    finally:
        for captured in (out, err):
            captured.start()
    try:
        in_time = _ends_within(process.pid, timeout_s)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # before its status is collected: until then nobody else can have its number
        process.wait()
    seconds = time.monotonic() - started
    for captured in (out, err):
        captured.join(_READ_S)
    return CommandEnd(process.returncode if in_time else None, out.text()[0], err.text()[0], seconds)


def _ends_within(pid: int, timeout_s: float) -> bool:
    """Wait without collecting the status."""
    handle = os.pidfd_open(pid)
    try:
        watch = select.poll()
        watch.register(handle, select.POLLIN)
        return bool(watch.poll(timeout_s * 1000))
    finally:
        os.close(handle)
