"""Which system user runs the server. PostgreSQL refuses to run as root, so root hands it to an unprivileged user of its own.

That user must reach the data directory and the programs even below a closed home directory (mode 0700). It gets passage (x, not
r) through each closed folder on the way by an access control entry for itself alone, or, where the file system has no such
entries, by passage for everyone.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import stat
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from kbweb.embedded.errors import StartError

USER = "pgserver"
ACL = "system.posix_acl_access"
ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ, ACL_MASK, ACL_OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
NOBODY_IN_PARTICULAR = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Account:
    """The user that the server runs as. `switch` says that root must change to it."""

    uid: int
    gid: int
    switch: bool

    def own(self, path: Path) -> None:
        if self.switch:
            os.chown(path, self.uid, self.gid)


def server_account() -> Account:
    """Ourselves, or when we are root the user `pgserver`, made when missing (the wheel uses the same name)."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    try:
        entry = pwd.getpwnam(USER)
    except KeyError:
        _add_user()
        entry = pwd.getpwnam(USER)
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def _add_user() -> None:
    program = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        raise StartError(
            f"Started as root, and PostgreSQL refuses to run as root; the user {USER} does not exist and there is no useradd to make it.",
            f"Make a user named {USER}, start as an ordinary user, or set DATABASE_URL.",
        )
    made = subprocess.run(
        [program, "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", USER], capture_output=True, text=True
    )
    if made.returncode != 0:
        raise StartError(
            f"Started as root, and the user {USER} for PostgreSQL could not be made: {made.stderr.strip()}",
            "Start as an ordinary user, or set DATABASE_URL.",
        )


def open_passage(account: Account, target: Path) -> list[Path]:
    """Let `account` pass through every folder above `target`. Returns the folders that were changed."""
    if not account.switch:
        return []
    changed = []
    for folder in target.resolve().parents:
        info = folder.stat()
        if info.st_mode & stat.S_IXOTH or info.st_uid == account.uid or _may_pass(folder, account.uid):
            continue
        try:
            _grant(folder, account.uid, info.st_mode)
        except OSError:
            folder.chmod(stat.S_IMODE(info.st_mode) | stat.S_IXOTH)
        changed.append(folder)
    return changed


def open_programs(account: Account, wheel: Path) -> None:
    """Make the wheel's programs readable for `account` when they were installed under a strict umask."""
    if not account.switch or wheel.stat().st_mode & stat.S_IROTH:
        return
    for top in (wheel, wheel.with_name(wheel.name + ".libs")):
        for path in [top, *top.rglob("*")] if top.exists() else []:
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))


def _entries(folder: Path) -> list[tuple[int, int, int]]:
    with contextlib.suppress(OSError):
        raw = os.getxattr(folder, ACL)
        return [struct.unpack_from("<HHI", raw, at) for at in range(4, len(raw), 8)]
    return []


def _may_pass(folder: Path, uid: int) -> bool:
    entries = _entries(folder)
    mask = next((perm for tag, perm, _ in entries if tag == ACL_MASK), 7)
    return any(tag == ACL_USER and who == uid and perm & mask & 1 for tag, perm, who in entries)


def _grant(folder: Path, uid: int, mode: int) -> None:
    """Add `user:uid:--x` to the folder's access control list (Linux's `posix_acl_xattr` format: version 2, then tag, perm, id)."""
    entries = _entries(folder) or [
        (ACL_USER_OBJ, mode >> 6 & 7, NOBODY_IN_PARTICULAR),
        (ACL_GROUP_OBJ, mode >> 3 & 7, NOBODY_IN_PARTICULAR),
        (ACL_OTHER, mode & 7, NOBODY_IN_PARTICULAR),
    ]
    group = next(perm for tag, perm, _ in entries if tag == ACL_GROUP_OBJ)
    mask = next((perm for tag, perm, _ in entries if tag == ACL_MASK), group)
    kept = [e for e in entries if e[0] != ACL_MASK and not (e[0] == ACL_USER and e[2] == uid)]
    wanted = sorted([*kept, (ACL_USER, 1, uid), (ACL_MASK, mask | 1, NOBODY_IN_PARTICULAR)], key=lambda e: (e[0], e[2]))
    os.setxattr(folder, ACL, struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in wanted))
