"""From the listener to sockets through Channels groups. Messages say only "look": they carry no data and are coalesced."""

from __future__ import annotations

import asyncio
import hashlib

from channels.layers import get_channel_layer

from submissions.live.listener import Listener

EVERYONE = "kb.everyone"


def group_of(stream: str) -> str:
    """Channels' group names are short and plain; streams hold op slugs of any kind."""
    return f"kb.{hashlib.sha256(stream.encode()).hexdigest()[:40]}"


class Waker:
    """Passes the listener's hints on to the groups, from the event loop of the web process. Streams that repeat meanwhile are sent once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._due: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def connect(self, listener: Listener) -> None:
        def wake(stream: str | None) -> None:
            self._loop.call_soon_threadsafe(self._add, stream)

        listener.subscribe(None, wake)

    def _add(self, stream: str | None) -> None:
        self._due.add(EVERYONE if stream is None else group_of(stream))
        if self._task is None or self._task.done():
            self._task = self._loop.create_task(self._send())

    async def _send(self) -> None:
        layer = get_channel_layer()
        while self._due:
            group = self._due.pop()
            await layer.group_send(group, {"type": "look"})
