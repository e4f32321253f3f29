"""A private directory for the server's socket whose path is short enough for the kernel."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from kbweb.embedded.account import Account

LONGEST_PATH = 107
SOCKET_NAME = ".s.PGSQL.5432"


def socket_dir(account: Account, home: Path, stored: str | None) -> Path:
    """`home/socket` where that is short enough, else the directory used last time, else a new one below the temporary directory.

    Always mode 0700 and owned by the server's user, so that nobody else can reach the socket, nor put one in its place.
    """
    inside = home / "socket"
    if usable(inside):
        if not inside.exists():
            inside.mkdir(mode=0o700)
            account.own(inside)
        inside.chmod(0o700)
        return inside
    if stored is not None and usable(Path(stored)) and Path(stored).parent != home:
        folder = Path(stored)
        if not folder.exists() and folder.parent.is_dir():
            folder.mkdir(mode=0o700)
            account.own(folder)
        if _private(folder, account):
            return folder
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    parent = base if base and not account.switch and usable(Path(base) / "kb-12345678") and os.access(base, os.W_OK) else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="kb-", dir=parent))
    account.own(folder)
    return folder


def usable(folder: Path) -> bool:
    """Whether a socket in `folder` can be bound and named: the kernel's length limit, and the list separators of PostgreSQL."""
    return len(os.fsencode(folder / SOCKET_NAME)) <= LONGEST_PATH and not set(str(folder)) & set(',"')


def _private(folder: Path, account: Account) -> bool:
    try:
        info = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == account.uid and stat.S_IMODE(info.st_mode) == 0o700
