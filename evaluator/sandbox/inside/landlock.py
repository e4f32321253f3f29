"""Landlock: files may be read only where the run needs it and written only in its own places; no TCP.

Rights and scopes are asked for by the kernel's ABI: an older kernel enforces what it knows. A path that does not exist is left out of
the rules and switches nothing off.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Sequence

from evaluator.sandbox.inside import kernel

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READ = EXECUTE | READ_FILE | READ_DIR
BIND_TCP, CONNECT_TCP = 1, 2
SCOPE_ABSTRACT_UNIX, SCOPE_SIGNAL = 1, 2


def abi() -> int:
    """Version of the kernel's Landlock. Raises `OSError` where it is missing or switched off."""
    return kernel.syscall(_CREATE, None, 0, _VERSION)


def rights(version: int) -> int:
    """All file rights that ABI `version` can handle."""
    handled = READ | WRITE_FILE | _REMOVE_AND_MAKE
    if version >= 2:
        handled |= REFER
    if version >= 3:
        handled |= TRUNCATE
    if version >= 5:
        handled |= IOCTL_DEV
    return handled


def apply(readable: Sequence[str], writable: Sequence[str], *, loopback: bool = False) -> str:
    """Confine this process for good; returns what the kernel's ABI could not cover, "" when nothing. Needs no_new_privs.

    `loopback`: leave TCP alone, for a run in a network namespace that holds nothing but its own loopback.
    """
    version = abi()
    handled = rights(version)
    tcp = BIND_TCP | CONNECT_TCP if version >= 4 and not loopback else 0
    scope = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL if version >= 6 else 0
    attributes = struct.pack("=QQQ", handled, tcp, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = kernel.syscall(_CREATE, ctypes.create_string_buffer(attributes, len(attributes)), len(attributes), 0)
    try:
        for path in readable:
            _allow(ruleset, path, READ & handled)
        for path in writable:
            _allow(ruleset, path, handled)
        kernel.syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    missing = [
        name
        for since, name in ((3, "truncation"), (4, "TCP"), (5, "device ioctls"), (6, "signals and abstract sockets"))
        if version < since
    ]
    return f"ABI {version} does not cover {', '.join(missing)}" if missing else ""


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            access &= _FILE_RIGHTS
        rule = struct.pack("=Qi", access, handle)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0)
    finally:
        os.close(handle)
