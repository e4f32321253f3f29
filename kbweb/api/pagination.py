"""Pages that stay put while rows arrive: a cursor instead of a number."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class CursorPages(CursorPagination):
    """`{next, previous, results}`; `?limit=` up to 200. A view sets `ordering` when its rows have no `created_at`."""

    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = "-created_at"
