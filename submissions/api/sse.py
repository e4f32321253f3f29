"""Server-sent events of one evaluation: replay after a sequence number, then live, until the verdict."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import weakref
from collections.abc import AsyncIterator, Callable

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse

from evaluator.contract import State
from submissions import events
from submissions.live.messages import message
from submissions.live.waiting import async_news_of
from submissions.models import Evaluation, Event
from submissions.patience import AWAY

PAGE = 200
KEEP_ALIVE_S = 10.0
MOST_OPEN = 32
"""So many streams a client may have open at once in one web process: a user, or who is not signed in by address."""


async def stream_events(evaluation_id: str, after: int, *, source_readable: bool, allowed: Callable[[], bool]) -> AsyncIterator[bytes]:
    """Each event as `id:` and `data:` (`{seq, at, kind, data}`); a comment every ten seconds keeps proxies from closing.

    Ends when the evaluation is done and all that has happened to it was sent, or the reader is not `allowed` to hear it any more.
    """
    yield b"retry: 1000\n\n"
    stream = events.evaluation_stream(evaluation_id)
    async with async_news_of(stream) as news:
        while True:
            news.clear()
            try:
                if not await database_sync_to_async(allowed)():
                    return
                done, page = await database_sync_to_async(_look)(evaluation_id, stream, after)
            except AWAY:
                await asyncio.sleep(1.0)
                continue
            for event in page:
                after = event.seq
                yield f"id: {event.seq}\ndata: {json.dumps(message(event, source_readable=source_readable))}\n\n".encode()
            if len(page) == PAGE:
                continue
            if done or any(event.kind == "verdict" for event in page):
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), KEEP_ALIVE_S)
            if not news.is_set():
                yield b": still here\n\n"


def _look(evaluation_id: str, stream: str, after: int) -> tuple[bool, list[Event]]:
    """Whether the evaluation is done, asked first so that its verdict is among the events then; and a page of these."""
    done = not Evaluation.objects.filter(pk=evaluation_id).exclude(state=State.DONE).exists()
    return done, events.read(stream, after, PAGE)


class EventStream(StreamingHttpResponse):
    """A response that counts as open until it is closed, or thrown away because its client had gone before it began."""

    def __init__(self, content: AsyncIterator[bytes]) -> None:
        super().__init__(content, content_type="text/event-stream")
        self.headers["Cache-Control"] = "no-store"
        self.headers["X-Accel-Buffering"] = "no"

    def close(self) -> None:
        super().close()
        open_streams.leave(self)


class OpenStreams:
    """Which event streams each client of this process has open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, weakref.WeakSet[EventStream]] = {}

    def enter(self, client: str, stream: EventStream) -> bool:
        """Count it, unless the client has as many open as it may."""
        with self._lock:
            self._of = {name: kept for name, kept in self._of.items() if len(kept)}
            own = self._of.setdefault(client, weakref.WeakSet())
            if len(own) >= MOST_OPEN:
                return False
            own.add(stream)
            return True

    def leave(self, stream: EventStream) -> None:
        with self._lock:
            for own in self._of.values():
                own.discard(stream)


open_streams = OpenStreams()
