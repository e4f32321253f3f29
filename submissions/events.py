"""Events of a stream: appended in order, read after a sequence number, announced by NOTIFY in the same transaction.

The next `seq` is taken under the lock of the stream's row, which is held until the transaction ends. So a reader that has seen
`seq` n has been able to see every event before it. (A plain sequence becomes visible out of order, and readers would skip rows.)
Transactions that append to several streams do so in the order evaluation, board, feed, so that they cannot deadlock.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping

from django.db import connection, transaction

from evaluator.contract import JSON
from submissions.models import Event, Stream
from submissions.storable import storable, storable_text
from submissions.streams import CHANNEL, FEED, board_stream, evaluation_stream

__all__ = ["CHANNEL", "FEED", "append", "append_all", "board_stream", "evaluation_stream", "last_seq", "read"]

MAX_TEXT = 16 * 1024
BEHIND = 2000
"""Whoever has more unread events of a stream than this is told to read elsewhere what became of them."""
KEPT = 2 * BEHIND
"""So many events the streams keep that many things write to: nobody reads further back. What happened to an evaluation is kept whole."""
AT_ONCE = 20_000

_APPEND = """
WITH stream AS (
    INSERT INTO submissions_stream AS s (name, last_seq) VALUES (%s, %s)
    ON CONFLICT (name) DO UPDATE SET last_seq = s.last_seq + EXCLUDED.last_seq
    RETURNING name, last_seq
), event AS (
    INSERT INTO submissions_event (stream, seq, at, kind, data)
    SELECT stream.name, stream.last_seq - %s + item.n, clock_timestamp(), item.kind, item.data
    FROM stream, unnest(%s::text[], %s::text[]::jsonb[]) WITH ORDINALITY AS item (kind, data, n)
    RETURNING id, stream, seq, at, kind, data
), wake AS (
    SELECT pg_notify(%s, name || ' ' || last_seq) FROM stream
)
SELECT event.id, event.seq, event.at FROM event, wake ORDER BY event.seq
"""


_FORGET = """
DELETE FROM submissions_event WHERE id IN (
    SELECT event.id FROM submissions_stream AS stream
    JOIN submissions_event AS event ON event.stream = stream.name AND event.seq <= stream.last_seq - %(kept)s
    WHERE stream.name = 'feed' OR stream.name LIKE 'board:%%' OR stream.name LIKE 'competition:%%'
    LIMIT %(at_once)s
)
"""


def append(stream: str, kind: str, data: Mapping[str, JSON]) -> Event:
    """Append one event to `stream` inside the caller's transaction (or one of its own)."""
    return append_all(stream, [(kind, data)])[0]


def append_all(stream: str, items: Iterable[tuple[str, Mapping[str, JSON]]]) -> list[Event]:
    """Append several events, in order, in one round trip. Texts longer than 16 KiB lose their middle."""
    prepared = [(kind, storable(_bounded(data))) for kind, data in items]
    if not prepared:
        return []
    count = len(prepared)
    kinds = [kind for kind, _ in prepared]
    payloads = [json.dumps(data, allow_nan=False) for _, data in prepared]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_APPEND, [stream, count, count, kinds, payloads, CHANNEL])
        rows: list[tuple[int, int, dt.datetime]] = cursor.fetchall()
    return [
        Event(id=pk, stream=stream, seq=seq, at=at, kind=kind, data=data)
        for (pk, seq, at), (kind, data) in zip(rows, prepared, strict=True)
    ]


def read(stream: str, after: int, limit: int = 500) -> list[Event]:
    """At most `limit` events of `stream` with `seq` > `after`, in order."""
    return list(Event.objects.filter(stream=stream, seq__gt=after).order_by("seq")[:limit])


def last_seq(stream: str) -> int:
    """Sequence number of the newest event that is visible, 0 when there is none."""
    return Stream.objects.filter(name=stream).values_list("last_seq", flat=True).first() or 0


def forget_old(sender: object, **kwargs: object) -> None:
    """For the sweeper's signal. A long backlog goes in several rounds: the thread that keeps house has other things to do."""
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, {"kept": KEPT, "at_once": AT_ONCE})


def _bounded(data: Mapping[str, JSON]) -> dict[str, JSON]:
    return {key: storable_text(value, MAX_TEXT) if isinstance(value, str) else value for key, value in data.items()}
