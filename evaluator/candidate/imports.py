"""Large imports without a look for garbage."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collections() -> Iterator[None]:
    """While a process imports what it needs: torch makes a million objects, all to stay, and Python looks through them again and again.

    What is there afterwards is never looked at again (`gc.freeze`).
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
