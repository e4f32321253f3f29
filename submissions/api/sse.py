"""Server-sent events of one stream: replay after a sequence number, then live, until the verdict."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from channels.db import database_sync_to_async

from submissions import events
from submissions.live.messages import message
from submissions.live.waiting import async_news_of
from submissions.patience import AWAY

PAGE = 200
KEEP_ALIVE_S = 10.0


async def stream_events(stream: str, after: int, *, source_readable: bool) -> AsyncIterator[bytes]:
    """Each event as `id:` and `data:` (`{seq, at, kind, data}`); a comment every ten seconds keeps proxies from closing."""
    yield b"retry: 1000\n\n"
    async with async_news_of(stream) as news:
        while True:
            news.clear()
            try:
                page = await database_sync_to_async(events.read)(stream, after, PAGE)
            except AWAY:
                await asyncio.sleep(1.0)
                continue
            for event in page:
                after = event.seq
                yield f"id: {event.seq}\ndata: {json.dumps(message(event, source_readable=source_readable))}\n\n".encode()
                if event.kind == "verdict":
                    return
            if len(page) == PAGE:
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), KEEP_ALIVE_S)
            if not news.is_set():
                yield b": still here\n\n"
