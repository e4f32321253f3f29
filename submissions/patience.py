"""Do a database write until it is done: a restart of the database in the middle must lose nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import structlog
from django.db import InterfaceError, OperationalError, connection

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0
GIVE_UP_S = 600.0
AWAY = (OperationalError, InterfaceError)
"""What the database raises when it has gone away, is starting, or undid a transaction for another's sake."""

T = TypeVar("T")
log = structlog.get_logger(__name__)


def persistently(write: Callable[[], T], *, give_up: Callable[[], bool] = lambda: False) -> T:
    """Call `write`, again and again with growing pauses while the database is away, for at most ten minutes.

    `write` must be safe to repeat: a commit may have happened although its answer was lost. Every other error is raised.
    """
    pause_s, deadline = FIRST_PAUSE_S, time.monotonic() + GIVE_UP_S
    while True:
        try:
            return write()
        except AWAY as error:
            connection.close()
            if give_up() or time.monotonic() > deadline:
                raise
            log.warning("database_away", error=str(error).strip().split("\n")[0], again_in_s=pause_s)
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
