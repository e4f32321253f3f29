"""One thread that starts every sandboxed process.

The kernel ties "die with parent" to the *thread* that started the child, not to its process. A spare started by a thread that ends would
die with it, so all are started by one thread that lives as long as the process.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

_guard = threading.Lock()
_spawner: tuple[int, ThreadPoolExecutor] | None = None


def popen(command: Sequence[str], *, env: Mapping[str, str], output: int, pass_fds: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own with stdin from /dev/null and both outputs to the descriptor `output`."""
    return _executor().submit(_popen, list(command), dict(env), output, tuple(pass_fds)).result()


def _executor() -> ThreadPoolExecutor:
    global _spawner
    with _guard:
        if _spawner is None or _spawner[0] != os.getpid():
            _spawner = (os.getpid(), ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox-spawner"))
        return _spawner[1]


def _popen(command: list[str], env: dict[str, str], output: int, pass_fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env, pass_fds=pass_fds, start_new_session=True, cwd="/"
    )
