"""Wait for news of streams: in a thread (a REST request with `?wait=`) or in a coroutine (server-sent events)."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator

from django.db import connection

from submissions.live import listener

POLL_S = 2.0
"""Look again after this long even without a notification."""


@contextlib.contextmanager
def news_of(streams: Iterable[str]) -> Iterator[threading.Event]:
    """An event that is set whenever one of the streams has news."""
    news = threading.Event()
    undo = [listener.shared().subscribe(stream, lambda _: news.set()) for stream in streams]
    try:
        yield news
    finally:
        for step in undo:
            step()


def wait_until(reached: Callable[[], bool], streams: Iterable[str], timeout_s: float) -> bool:
    """Block until `reached()` says true or time is up; it is asked at once and after news of `streams`. Frees the database connection."""
    deadline = time.monotonic() + timeout_s
    with news_of(streams) as news:
        while True:
            news.clear()
            if reached():
                return True
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            if not connection.in_atomic_block:
                connection.close()
            news.wait(min(left_s, POLL_S))


@contextlib.asynccontextmanager
async def async_news_of(stream: str) -> AsyncIterator[asyncio.Event]:
    """`news_of` for coroutines: the event is set in the running loop."""
    news, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake(_: str | None) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(news.set)

    undo = listener.shared().subscribe(stream, wake)
    try:
        yield news
    finally:
        undo()
