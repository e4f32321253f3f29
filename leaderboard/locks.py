"""The lock under which a board changes."""

from __future__ import annotations

from django.db import connection


def lock_board(op: str, device: str) -> None:
    """Let one transaction at a time change this board. Held until commit; the next one then sees what this one wrote.

    An advisory lock and not a row's: the entry to lock may not exist yet. The next statement must be a new one, because READ
    COMMITTED takes its snapshot per statement.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.board'), hashtext(%s))", [f"{op}/{device}"])
