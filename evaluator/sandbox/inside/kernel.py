"""Raw system calls that Python does not wrap."""

from __future__ import annotations

import ctypes
import os
import platform

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long

MACHINE = platform.machine()


def syscall(number: int, *args: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """Call the kernel; a negative result is raised as `OSError`."""
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    ctypes.set_errno(0)
    result = int(_LIBC.syscall(ctypes.c_long(number), *converted))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def prctl(option: int, *args: int) -> int:
    """`prctl(2)` with its four further arguments, 0 where not given."""
    padded = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    ctypes.set_errno(0)
    result = int(_LIBC.prctl(ctypes.c_int(option), *padded))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def mount(target: str, flags: int, options: str) -> None:
    """Change the options of an existing tmpfs mount (`mount(2)` with MS_REMOUNT in `flags`)."""
    ctypes.set_errno(0)
    if int(_LIBC.mount(b"tmpfs", target.encode(), b"tmpfs", ctypes.c_ulong(flags), options.encode())) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), target)
