"""The one shape in which an event leaves the house: sockets, server-sent events and JSON alike."""

from __future__ import annotations

from evaluator.contract import JSON
from submissions.models import Event
from submissions.redact import redact_event


def message(event: Event, *, source_readable: bool = True) -> dict[str, JSON]:
    """`{seq, at, kind, data}`; `at` in ISO 8601. Whoever may not read the source gets no log and no tracebacks."""
    data: dict[str, JSON] = event.data if source_readable else redact_event(event.kind, event.data)
    return {"seq": event.seq, "at": event.at.isoformat(), "kind": event.kind, "data": data}
