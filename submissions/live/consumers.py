"""Sockets: `{seq, at, kind, data}` for every event of a stream after `?after=<seq>`, without gaps or doubles.

A consumer joins its group before it first reads rows, so nothing falls between. What it sends is what it reads from the rows;
wake-ups only tell it to look, and several at once are one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db.models import QuerySet
from django.http import Http404

from evaluator.contract import JSON
from evaluator.devices import DEVICES
from submissions import events
from submissions.access import Reader, access_evaluation, may_read_source, visible_evaluations
from submissions.events import BEHIND
from submissions.known_ops import is_known
from submissions.live.authentication import NOT_FOUND, Refusal, reader_of
from submissions.live.groups import EVERYONE, group_of
from submissions.live.messages import message
from submissions.models import Visibility
from submissions.patience import AWAY

PAGE = 200
LOOK_ANYWAY_S = 15.0
"""Look at the rows even without a wake-up, and tell the client that the line still holds: it cannot see pings."""
BAD_REQUEST = 4400


class StreamConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # channels has no types
    """One socket of one stream. A subclass says which stream, and whether the reader may see it."""

    from_start = False
    """Whether a client that gives no `after` gets everything, or only what is new."""
    source_readable = True
    """Whether the reader gets log texts and tracebacks."""
    asks_again = False
    """Whether who may hear it changes: then the reader is looked at again as often as the rows without a wake-up."""
    seen: QuerySet[Any] | None = None
    """Rows of which the reader must still see one whenever something is sent. None: everybody may."""

    async def stream_for(self, reader: Reader) -> str:
        """The stream's name. Raises `Refusal` or `Http404`."""
        raise NotImplementedError

    async def connect(self) -> None:
        self._news = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._groups: list[str] = []
        await self.accept()
        try:
            after = self._after()
            await self._enter()
        except (Refusal, Http404) as refused:
            await self._refuse(refused)
            return
        for group in (group_of(self.stream), EVERYONE):
            await self.channel_layer.group_add(group, self.channel_name)
            self._groups.append(group)
        self._pump = asyncio.create_task(self._run(after))

    async def _enter(self) -> None:
        """Raises `Refusal` or `Http404`."""
        self.stream = await self.stream_for(await reader_of(self.scope))
        self._entered_at = asyncio.get_running_loop().time()

    async def _enter_again(self) -> None:
        """A token may have been revoked, a member removed, a submission hidden. Raises `Refusal` or `Http404`."""
        if self.asks_again and asyncio.get_running_loop().time() - self._entered_at >= LOOK_ANYWAY_S:
            await self._enter()
        elif self.seen is not None and not await database_sync_to_async(self.seen.all().exists)():
            raise Http404("You may not see this any more.")

    async def _refuse(self, why: Refusal | Http404) -> None:
        code, reason = (why.code, why.reason) if isinstance(why, Refusal) else (NOT_FOUND, str(why))
        await self.close(code=code, reason=reason[:120])

    async def disconnect(self, code: int) -> None:
        for group in self._groups:
            await self.channel_layer.group_discard(group, self.channel_name)
        if self._pump is not None:
            self._pump.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pump

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Clients have nothing to say."""

    async def look(self, _: object) -> None:
        """A wake-up from the group."""
        self._news.set()

    async def _run(self, after: int | None) -> None:
        pause_s = 0.2
        while True:
            self._news.clear()
            try:
                await self._enter_again()
                after = await self._send_new(after)
                pause_s = 0.2
            except (Refusal, Http404) as refused:
                await self._refuse(refused)
                return
            except AWAY:
                await asyncio.sleep(pause_s)
                pause_s = min(pause_s * 2, 5.0)
                continue
            try:
                await asyncio.wait_for(self._news.wait(), LOOK_ANYWAY_S)
            except TimeoutError:
                await self._say({"kind": "beat", "seq": after})

    async def _send_new(self, after: int | None) -> int:
        """Send what came after `after`; returns the last sequence number the client has or was told to fetch."""
        if after is None:
            newest: int = await database_sync_to_async(events.last_seq)(self.stream)
            after = 0 if self.from_start else newest
            await self._say({"kind": "hello", "seq": after})
        last: int = await database_sync_to_async(events.last_seq)(self.stream)
        if last < after or last - after > BEHIND:
            await self._say({"kind": "resync", "seq": last, "after": after})
            return last
        while last > after:
            page = await database_sync_to_async(events.read)(self.stream, after, PAGE)
            for event in page:
                await self._say(message(event, source_readable=self.source_readable))
                after = event.seq
            if len(page) < PAGE:
                break
        return after

    async def _say(self, document: dict[str, JSON]) -> None:
        await self.send(text_data=json.dumps(document, allow_nan=False))

    def _after(self) -> int | None:
        given = parse_qs(self.scope["query_string"].decode("latin-1")).get("after")
        if given is None:
            return None
        if not given[0].isdecimal() or len(given[0]) > 18:
            raise Refusal(BAD_REQUEST, "after must be a sequence number.")
        return int(given[0])


class EvaluationConsumer(StreamConsumer):
    """`/ws/evaluations/<id>/`: for whoever may see the evaluation."""

    from_start = True
    asks_again = True

    async def stream_for(self, reader: Reader) -> str:
        evaluation_id = str(self.scope["url_route"]["kwargs"]["evaluation_id"])
        evaluation = await database_sync_to_async(access_evaluation)(reader, evaluation_id)
        self.source_readable = await database_sync_to_async(may_read_source)(reader, evaluation.submission)
        private = evaluation.submission.visibility == Visibility.PRIVATE
        self.seen = visible_evaluations(reader).filter(pk=evaluation_id) if private else None
        return events.evaluation_stream(evaluation_id)


class BoardConsumer(StreamConsumer):
    """`/ws/boards/<op>/<device>/`: boards are public."""

    async def stream_for(self, reader: Reader) -> str:
        kwargs = self.scope["url_route"]["kwargs"]
        op, device = str(kwargs["op"]), str(kwargs["device"])
        if not await database_sync_to_async(is_known)(op):
            raise Refusal(NOT_FOUND, f"There is no op {op[:80]!r}.")
        if device not in DEVICES:
            raise Refusal(NOT_FOUND, f"There is no device {device[:40]!r}.")
        return events.board_stream(op, device)


class FeedConsumer(StreamConsumer):
    """`/ws/feed/`: what happens on the site. Nothing private is ever written to it."""

    async def stream_for(self, reader: Reader) -> str:
        return events.FEED
