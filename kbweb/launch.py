"""Start a command that dies with its parent: `python -I launch.py PARENT_PID SIGNAL UID:GID|- COMMAND…`.

A process started so gets SIGNAL when the process that started it is gone, whatever ended that (SIGKILL too), so no server is left
behind. Runs before anything else of ours and replaces itself by COMMAND; the standard library is all that it needs. The user
is changed here and not by `Popen(user=…)`, because changing it clears the death signal. Signals that the parent blocks are let through.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1


def command(argv: list[str], *, on_parent_death: signal.Signals, uid: int | None = None, gid: int | None = None) -> list[str]:
    """The command line that runs `argv` through this file, as `uid`:`gid` when given (needs root)."""
    user = "-" if uid is None else f"{uid}:{gid}"
    return [sys.executable, "-I", str(Path(__file__).resolve()), str(os.getpid()), str(int(on_parent_death)), user, *argv]


def main() -> None:
    parent, death_signal, user, *argv = sys.argv[1:]
    if user != "-":
        uid, gid = (int(part) for part in user.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if os.getppid() != int(parent):
        sys.exit(1)
    os.execv(argv[0], argv)


if __name__ == "__main__":
    main()
