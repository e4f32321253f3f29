"""Run a few lines of Python inside a sandbox."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluator.contract import Limits
from evaluator.sandbox import Sandbox, SandboxedProcess

TREE = Path(__file__).parents[3]
LIMITS = Limits(memory_bytes=1 << 30, processes=64, scratch_bytes=64 << 20, log_bytes=64 << 10)


def start(
    code: str, sandbox: Sandbox | None = None, *, fds: Sequence[int] = (), limits: Limits = LIMITS, packages: bool = False
) -> SandboxedProcess:
    """`timeit` is a module of the standard library that runs the code that it is given."""
    sandbox = sandbox or Sandbox("best-effort")
    return sandbox.start("timeit", ["-n1", "-r1", code], fds=fds, limits=limits, packages=packages)


def output(code: str, sandbox: Sandbox | None = None, *, limits: Limits = LIMITS, packages: bool = False, timeout_s: float = 60) -> str:
    """What the code prints; fails when it does not end well."""
    with start(code, sandbox, limits=limits, packages=packages) as process:
        code_of_exit = process.wait(timeout_s)
        process.kill()
        text = process.log()[0]
    assert code_of_exit == 0, text
    return text


def wait_until(condition: Callable[[], object], timeout_s: float = 20.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "condition did not come true"
        time.sleep(0.01)


def system_python() -> str | None:
    """An interpreter that every user can read, in a place without our packages."""
    for name in ("python3.13", "python3.12", "python3.11"):
        if path := shutil.which(name, path="/usr/bin:/usr/local/bin"):
            return path
    return None
