"""Give up a root uid and every capability, for good."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct

from evaluator.sandbox.inside import kernel

_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_SECUREBITS, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 1, 4, 24, 28, 38, 47
_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
# "noroot" and "no ambient raise" on, "no setuid fixup" and "keep caps" off, all four locked.
_SECUREBITS = 0b1110_1011


def drop_to(uid: int, gid: int) -> None:
    """Become `uid`:`gid` without groups or capabilities. Must be called as root. Raises `OSError`."""
    capability = 0
    while True:
        try:
            kernel.prctl(_CAPBSET_DROP, capability)
        except OSError:
            break
        capability += 1
    with contextlib.suppress(OSError):  # a container's root may lack CAP_SETPCAP; the uid change still ends its rights
        kernel.prctl(_SET_SECUREBITS, _SECUREBITS)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def clear_capabilities() -> None:
    """Empty the permitted, effective, inheritable and ambient sets."""
    kernel.prctl(_CAP_AMBIENT, _AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), 8)
    empty = ctypes.create_string_buffer(24)
    kernel.syscall(_SYS_CAPSET[kernel.MACHINE], header, empty)


def no_new_privileges() -> None:
    """Make setuid files and file capabilities harmless for this process and its children."""
    kernel.prctl(_SET_NO_NEW_PRIVS, 1)


def own_proc() -> None:
    """Make /proc/self ours again: changing uid leaves it to root, and CUDA must write its threads' names there."""
    kernel.prctl(_SET_DUMPABLE, 1)


def die_with_parent() -> None:
    """Be killed when the supervisor ends. Must come after the uid change, which clears it."""
    kernel.prctl(_SET_PDEATHSIG, signal.SIGKILL)
