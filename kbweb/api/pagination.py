"""Pages that stay put while rows arrive: a cursor instead of a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination

if TYPE_CHECKING:
    from rest_framework.pagination import Cursor
    from rest_framework.request import Request


class CursorPages(CursorPagination):
    """`{next, previous, results}`; `?limit=` up to 200. A view sets `ordering`, a moment, when its rows have no `created_at`."""

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering: str | tuple[str, ...] = "-created_at"

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Raises `NotFound` also for one whose place is no moment."""
        found = super().decode_cursor(request)
        if found is not None and found.position is not None and not _is_moment(str(found.position)):
            raise NotFound(self.invalid_cursor_message)
        return found


def _is_moment(text: str) -> bool:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return False
    return moment is not None and moment.tzinfo is not None and 1970 < moment.year < 9999
