"""Run a few lines of Python inside a sandbox."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.contract import Limits
from evaluator.sandbox import Sandbox, SandboxedProcess

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
