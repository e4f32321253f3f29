"""Whether an error means that the database is away: then the answer is "come back in a moment", not "our fault"."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError

RETRY_AFTER_S = 10
AWAY_STATES = ("08", "53", "57P")
"""SQLSTATE classes of a connection that broke, a server without room for one more, and one that stops or starts."""


def database_is_away(error: BaseException | None) -> bool:
    """True for errors of the connection itself; a query that was wrong, cancelled or deadlocked is an error like any other."""
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or str(state).startswith(AWAY_STATES)
