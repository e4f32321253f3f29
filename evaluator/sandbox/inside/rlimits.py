"""Resource limits of one process and of its uid."""

from __future__ import annotations

import resource
from collections.abc import Mapping

NAMES = {
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "core_bytes": resource.RLIMIT_CORE,
    "data_bytes": resource.RLIMIT_DATA,
    "address_bytes": resource.RLIMIT_AS,
}


def apply(limits: Mapping[str, int]) -> None:
    """Set soft and hard limits; a limit above the present hard one is lowered to it. Raises `OSError`, `ValueError`."""
    for name, wanted in limits.items():
        kind = NAMES[name]
        _, hard = resource.getrlimit(kind)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (value, value))
