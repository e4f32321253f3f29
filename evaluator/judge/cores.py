"""Which cores time and which do the rest. On the `cpu` device both sides run on one core, the judge on the others."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_ALL = frozenset(os.sched_getaffinity(0))


def timing_core() -> int:
    """The last core that this process may use: interrupts tend to go to the first."""
    return max(_ALL)


def pin(pid: int) -> None:
    """Put every thread of a process on the timing core. Threads that it starts later inherit that."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(thread.name), {timing_core()})


def leave_timing_core() -> None:
    """Keep this process, and what it starts from now on, off the timing core when there is another."""
    others = _ALL - {timing_core()}
    if others:
        os.sched_setaffinity(0, others)
