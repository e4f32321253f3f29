"""Keeps hold of every descendant where there is no PID namespace: an orphan comes back here instead of getting away.

The supervisor keeps the uid that it was started with. It ends with its child's status, after everything that the child left behind is dead.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time

from evaluator.sandbox.inside import kernel

# Part of the bootstrap, which does without pathlib.
# ruff: noqa: PTH123, PTH208

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 4, 36


def split(box: str) -> None:
    """Fork: the child returns and becomes the run; the parent stays here as its supervisor and never returns.

    Told to end, or left alone by a worker that died, it also removes the work directory `box`.
    """
    kernel.prctl(_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        return
    kernel.prctl(_SET_PDEATHSIG, signal.SIGTERM)
    kernel.prctl(_SET_DUMPABLE, 0)
    for descriptor in os.listdir("/proc/self/fd"):
        if int(descriptor) > 2:
            try:
                os.close(int(descriptor))
            except OSError:
                continue
    signal.signal(signal.SIGTERM, lambda *_: _end(child, None, box))
    while True:
        try:
            pid, status = os.wait()
        except InterruptedError:
            continue
        if pid == child:
            _end(child, status, "")


def _end(child: int, status: int | None, box: str) -> None:
    """Kill until no descendant is left, then leave as the child did. Orphans come here, so without a child of our own nothing is left."""
    with contextlib.suppress(ChildProcessError):
        while True:
            while (reaped := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                if reaped[0] == child:
                    status = reaped[1]
            for pid in _descendants(os.getpid()):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
    if box:
        shutil.rmtree(box, ignore_errors=True)
    code = 1 if status is None else os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _descendants(ancestor: int) -> list[int]:
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
    return [pid for pid in parents if _descends(pid, ancestor, parents)]


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    while pid in parents and pid not in seen:
        seen.add(pid)
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False
