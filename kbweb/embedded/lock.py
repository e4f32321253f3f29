"""A lock file that names its holder, so that a second start can say who is in the way."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from kbweb.embedded.errors import StartError, out_of_space


class FileLock:
    """An exclusive `flock` on `path`, freed by the kernel when the holder ends in any way."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises `StartError` with the holder's pid when it is taken."""
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise out_of_space(self.path.parent) from error
            raise StartError(f"Cannot write {self.path}: {error.strerror}.", "Choose another place with KB_DATA_DIR.") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(fd, 32).decode(errors="replace").strip() or "unknown"
            os.close(fd)
            raise StartError(
                f"The data directory {self.path.parent} is in use by process {holder}.",
                f"Stop that one first (kill {holder}), or choose another directory with KB_DATA_DIR.",
            ) from None
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            os.close(fd)
            raise out_of_space(self.path.parent) from error
        self._fd = fd

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
