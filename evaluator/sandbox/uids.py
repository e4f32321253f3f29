"""Host uids for sandboxed runs: a different one for every run that is alive, never 0 and never anyone else's.

The pool is a range that systemd's list of uids leaves unused and that lies below 65536, so that it also exists in containers whose
user namespace maps 16 bits. A uid is held by an exclusive lock on a file beside the device locks.
"""

from __future__ import annotations

import fcntl
import os
import secrets

from evaluator.sandbox.errors import SandboxError
from evaluator.sandbox.lock import open_lock_file
from evaluator.sandbox.tree import processes_of

FIRST, LAST = 60578, 61183


class LeasedUid:
    """A uid that no other run on this host uses until `release()`."""

    def __init__(self) -> None:
        count = LAST - FIRST + 1
        start = secrets.randbelow(count)
        for offset in range(count):
            uid = FIRST + (start + offset) % count
            handle = open_lock_file(f"uid-{uid}")
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            if processes_of(uid):
                os.close(handle)
                continue
            self.uid = uid
            self._handle: int | None = handle
            return
        raise SandboxError(f"all uids from {FIRST} to {LAST} are in use by sandboxed runs")

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
