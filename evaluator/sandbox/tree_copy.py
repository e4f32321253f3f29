"""A copy of our few files for runs without a file system of their own, readable for every uid whatever the umask of the original.

One copy per process, removed when the process ends in order. Its owner holds a lock on the directory, so that what a killed process left
behind is known by its free lock and removed by the next one; tidying services leave a locked directory alone, too.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
import threading
from pathlib import Path

from evaluator.sandbox import view

_PREFIX = "kbweb-tree-"
_guard = threading.Lock()
_made: tuple[int, Path] | None = None


def tree_copy() -> Path:
    """The copy of this process, made when it is missing. Raises `OSError`."""
    global _made
    with _guard:
        if _made is None or _made[0] != os.getpid() or not _made[1].is_dir():
            _remove_abandoned()
            directory = _make_locked()
            atexit.register(_remove, os.getpid(), directory)
            _fill(directory)
            _made = (os.getpid(), directory)
        return _made[1]


def _make_locked() -> Path:
    """A new directory, locked for as long as this process lives."""
    while True:
        directory = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with contextlib.suppress(FileNotFoundError):
            handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Between its making and its lock another process may have taken it for abandoned.
            if directory.is_dir():
                return directory
            os.close(handle)


def _fill(directory: Path) -> None:
    directory.chmod(0o755)
    for name in view.our_files():
        target = directory / name
        for parent in reversed(target.relative_to(directory).parents[:-1]):
            (directory / parent).mkdir(exist_ok=True)
            (directory / parent).chmod(0o755)
        target.write_bytes((view.TREE / name).read_bytes())
        target.chmod(0o444)


def _remove_abandoned() -> None:
    for directory in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            handle = os.open(directory, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                if os.fstat(handle).st_uid == os.geteuid():
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(handle)


def _remove(owner: int, directory: Path) -> None:
    if owner == os.getpid():
        shutil.rmtree(directory, ignore_errors=True)
