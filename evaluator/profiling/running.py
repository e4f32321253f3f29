"""Run one program in a fresh sandbox: a question goes in, files come out, both in memory files of fixed size."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.contract import Limits
from evaluator.judge.peer import Cancelled
from evaluator.profiling.bounded import text
from evaluator.profiling.inside.archive import ArchiveError, pack, unpack
from evaluator.sandbox import Sandbox, SandboxedProcess, SandboxError

if typing.TYPE_CHECKING:
    from evaluator.profiling.job import Job

LEAST_S = 2.0
"""Nothing is begun for less."""
_SLICE_S = 0.1
_MEMORY_SLACK_BYTES = 256 * 1024 * 1024
_WORDS = 300


class ToolFailed(Exception):
    """A tool gave nothing; the text says why. `hard`: its process was killed or died, which can leave a GPU in a bad state."""

    def __init__(self, why: str, *, hard: bool = False) -> None:
        super().__init__(text(why, _WORDS) or "it gave no answer")
        self.hard = hard


@dataclass(frozen=True)
class Means:
    """What tools work with. `plain` shows no GPU; `gpu_index` is NVML's number, None on a CPU."""

    sandbox: Sandbox
    plain: Sandbox
    gpu_index: int | None
    limits: Limits
    cancelled: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Answer:
    """The files that a program handed back, any of which may be a lie, and the layers that it ran in."""

    files: Mapping[str, bytes]
    layers: Mapping[str, str]


def ask(
    means: Means,
    module: str,
    files: Sequence[tuple[str, bytes]],
    *,
    timeout_s: float,
    answer_bytes: int,
    job: Job | None = None,
    sandbox: Sandbox | None = None,
    env: Mapping[str, str] | None = None,
    packages: bool = True,
    readable: Sequence[Path] = (),
) -> Answer:
    """Run `module` with the descriptors of its question, of the job's files (where given) and of its answer, until it ends.

    Raises `ToolFailed` when it does not end well within `timeout_s`, and `Cancelled`.
    """
    deadline = time.monotonic() + timeout_s
    with contextlib.ExitStack() as opened:
        question = memory_file("question", sum(len(data) for _, data in files) + (1 << 20), opened)
        answer = memory_file("answer", answer_bytes, opened)
        pack(question, files)
        fds = [question, *(job.files if job else ()), answer]
        process = start(sandbox or means.sandbox, module, fds, means.limits, env=env, packages=packages, readable=readable)
        opened.enter_context(process)
        try:
            _await(process, means, deadline, job.block.length if job else 0)
        except TimeoutError:
            raise ToolFailed(f"it took longer than {timeout_s:.0f} s", hard=True) from None
        process.kill()
        try:
            return Answer(unpack(answer), dict(process.layers))
        except ArchiveError as error:
            raise ToolFailed(f"its answer cannot be read: {error}") from error


def start(
    sandbox: Sandbox,
    module: str,
    fds: Sequence[int],
    limits: Limits,
    *,
    env: Mapping[str, str] | None = None,
    packages: bool = True,
    readable: Sequence[Path] = (),
) -> SandboxedProcess:
    """A fresh process that is told the numbers of `fds`. Raises `ToolFailed` when the sandbox cannot be had."""
    try:
        arguments = [str(number) for number in fds]
        return sandbox.start(module, arguments, fds=fds, limits=limits, env=env, packages=packages, readable=readable)
    except SandboxError as error:
        raise ToolFailed(f"its sandbox does not start: {error}") from error


def memory_file(name: str, size: int, opened: contextlib.ExitStack) -> int:
    """A memory file whose size nobody can change: what is written to it is bounded, and what is read of it is there."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    opened.callback(os.close, descriptor)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor


def last_words(log: str) -> str:
    """The last line that says something: for a Python program that failed, its exception."""
    return next((line.strip() for line in reversed(log.splitlines()) if line.strip()), "")


def _await(process: SandboxedProcess, means: Means, deadline: float, allowance_bytes: int) -> None:
    """Wait until it has ended well. Raises `ToolFailed`, `TimeoutError` and `Cancelled`."""
    while True:
        try:
            code = process.wait(max(0.0, min(_SLICE_S, deadline - time.monotonic())))
            break
        except TimeoutError:
            if means.cancelled():
                raise Cancelled from None
            memory = process.usage().memory_bytes
            if memory > means.limits.memory_bytes + allowance_bytes + _MEMORY_SLACK_BYTES:
                raise ToolFailed(f"it took {memory / 2**30:.1f} GiB of memory", hard=True) from None
            if time.monotonic() >= deadline:
                raise
    if code != 0:
        said = last_words(process.log()[0])
        raise ToolFailed(f"its process {process.exit_description()}{f': {said}' if said else ''}", hard=code < 0)
