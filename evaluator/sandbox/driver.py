"""Where the CUDA driver's library lies. Triton links against it and would ask `ldconfig`, which knows no LD_LIBRARY_PATH."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

LIBRARY = "libcuda.so.1"
_RTLD_DI_LINKMAP = 2


@cache
def directory() -> Path | None:
    """The directory in which the dynamic linker finds the driver's library; None where there is none. Starts no CUDA."""
    path = path_of(LIBRARY)
    return path.parent.resolve() if path else None


def path_of(library: str) -> Path | None:
    """The name under which the dynamic linker opened `library`, links not followed; None when it cannot be loaded."""
    try:
        handle = ctypes.CDLL(library)._handle
        entry = ctypes.POINTER(_LinkMap)()
        if ctypes.CDLL(None).dlinfo(ctypes.c_void_p(handle), _RTLD_DI_LINKMAP, ctypes.byref(entry)) != 0:
            return None
    except (OSError, AttributeError):
        return None
    path = Path(entry.contents.name.decode(errors="surrogateescape"))
    return path if path.is_absolute() else None


class _LinkMap(ctypes.Structure):
    """The public head of the linker's `struct link_map` (dlinfo(3))."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))
