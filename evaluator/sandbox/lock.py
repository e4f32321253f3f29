"""Locks between processes of this host: one evaluation at a time per GPU (or `cpu`), whoever starts it.

A lock is a file in `lock_directory()` that is locked with `flock`: `<device>.lock`, where the device is a GPU's UUID (`GPU-…`) or
`cpu`. The directory is `/run/lock/kbweb`, or `<temporary directory>/kbweb-locks` where that cannot be made; it has mode 1777 and the
files 0666, owned by whoever came first, so that a worker under one user and `python -m evaluator` under another take the same
lock. `KB_LOCK_DIR` names another directory. Timed runs take a lock exclusively; builds on the same host take it shared.

Whoever waits for a lock holds `<device>.turn.lock` meanwhile, and nobody takes the lock without it. So a process that lets the device go
and wants it again at once comes after the one that waits; without that it would win every time, for a waiter looks only now and then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_POLL_S = 0.02


class LockBusy(TimeoutError):
    """Somebody else kept the lock for the whole waiting time; the message says who."""


def lock_directory() -> Path:
    """The directory of the locks, made when it is missing. Raises `OSError` when none can be made."""
    named = os.environ.get("KB_LOCK_DIR")
    candidates = [Path(named)] if named else [Path("/run/lock/kbweb"), Path(tempfile.gettempdir()) / "kbweb-locks"]
    failure: OSError | None = None
    for directory in candidates:
        try:
            directory.mkdir(parents=bool(named), exist_ok=True)
            if directory.is_symlink():
                raise NotADirectoryError(f"{directory} is a symbolic link")
            with contextlib.suppress(PermissionError):
                if stat.S_IMODE(directory.stat().st_mode) != 0o1777:
                    directory.chmod(0o1777)
            if os.access(directory, os.W_OK | os.X_OK):
                return directory
        except OSError as error:
            failure = error
    raise OSError(f"no directory for device locks: tried {', '.join(map(str, candidates))} ({failure}); set KB_LOCK_DIR")


def open_lock_file(name: str) -> int:
    """A descriptor of the lock file `name`, created 0666 when missing. Never follows a link."""
    path = lock_directory() / f"{name}.lock"
    while True:
        try:
            return os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL, 0o666)
                os.fchmod(handle, 0o666)
                return handle


@contextlib.contextmanager
def device_lock(device: str, *, shared: bool = False, timeout_s: float = 0.0, purpose: str = "") -> Iterator[None]:
    """Hold the lock of `device` (a GPU's UUID or `cpu`). Waits up to `timeout_s`, then raises `LockBusy`."""
    if not device or not all(c.isalnum() or c in "-_." for c in device) or device.startswith("."):
        raise ValueError(f"{device!r} does not name a device")
    handle = open_lock_file(device)
    try:
        _take(handle, device, shared, timeout_s)
        if not shared:
            _sign(handle, purpose)
        yield
    finally:
        os.close(handle)


def _take(handle: int, device: str, shared: bool, timeout_s: float) -> None:
    """First the turn, then the lock, then the turn is the next one's."""
    deadline = time.monotonic() + timeout_s
    turn = open_lock_file(f"{device}.turn")
    try:
        for each, kind in ((turn, fcntl.LOCK_EX), (handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)):
            while not _locked(each, kind):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise LockBusy(f"{device} is in use by {_holder(handle)}; waited {timeout_s:g} s")
                time.sleep(min(_POLL_S, left))
    finally:
        os.close(turn)


def _locked(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(handle: int, purpose: str) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"process {os.getpid()} of uid {os.getuid()}{': ' if purpose else ''}{purpose}".encode()[:500], 0)


def _holder(handle: int) -> str:
    text = os.pread(handle, 500, 0).decode(errors="replace")
    return "".join(c if c.isprintable() else "?" for c in text) or "builds, or a process that did not sign"
