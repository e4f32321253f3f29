"""Turns the evaluator's events into rows without holding the evaluator up.

A thread of its own writes: stages and cases at once, log and timing events gathered into a few transactions a second. Writes are
fenced; while the database is away they wait.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping

import structlog
from django.db import connection, transaction

from evaluator.contract import JSON, Event, State
from submissions import events
from submissions.holding import Holding
from submissions.models import Evaluation
from submissions.patience import persistently
from submissions.states import MOVES, Fenced, hold, move

GATHER_S = 0.25
MAX_LOG_TOTAL = 256 * 1024
AT_ONCE = frozenset({"stage", "case"})

Row = tuple[str, dict[str, JSON]]
log = structlog.get_logger(__name__)


class Scribe(threading.Thread):
    """The writing thread of a worker process."""

    def __init__(self) -> None:
        super().__init__(name="scribe", daemon=True)
        self._inbox: queue.Queue[tuple[Holding, Event] | threading.Event | None] = queue.Queue()
        self._logged: dict[str, int] = {}

    def note(self, holding: Holding, event: Event) -> None:
        """Have `event` written. Returns at once."""
        self._inbox.put((holding, event))

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until all that was noted before is written (or dropped)."""
        reached = threading.Event()
        self._inbox.put(reached)
        return reached.wait(timeout_s)

    def end(self) -> None:
        self._inbox.put(None)

    def run(self) -> None:
        while (first := self._inbox.get()) is not None:
            batch: list[tuple[Holding, Event]] = []
            reached = self._gather(first, batch)
            try:
                self._write(batch)
            except Exception:
                log.exception("events_lost", count=len(batch))
                connection.close()
            for waiting in reached:
                waiting.set()
        connection.close()

    def _gather(self, first: tuple[Holding, Event] | threading.Event, batch: list[tuple[Holding, Event]]) -> list[threading.Event]:
        """Collect events into `batch` until one is urgent, someone waits for a flush, or the gathering time is over."""
        deadline, item = time.monotonic() + GATHER_S, first
        while not isinstance(item, threading.Event):
            batch.append(item)
            if item[1].kind in AT_ONCE and self._inbox.empty():
                return []
            try:
                following = self._inbox.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return []
            if following is None:
                self._inbox.put(None)
                return []
            item = following
        return [item]

    def _write(self, batch: list[tuple[Holding, Event]]) -> None:
        while batch:
            holding = batch[0][0]
            own = [event for held, event in batch if held is holding]
            batch = [(held, event) for held, event in batch if held is not holding]
            if holding.dropped:
                continue
            try:
                rows = self._rows(holding, own)
                persistently(lambda rows=rows, holding=holding: _store(holding, rows), give_up=holding.released.is_set)  # type: ignore[misc]
            except Fenced:
                holding.lost.set()

    def _rows(self, holding: Holding, own: list[Event]) -> list[Row]:
        """What to store: log texts joined and bounded in sum, of the timing events of one case only the newest."""
        rows: list[Row] = []
        for event in own:
            data = dict(event.data)
            previous = rows[-1] if rows else None
            if event.kind == "log":
                text = self._within_budget(holding, str(data.get("text", "")))
                if previous is not None and previous[0] == "log":
                    previous[1]["text"] = f"{previous[1]['text']}{text}"
                elif text:
                    rows.append(("log", {"text": text}))
            elif (
                event.kind == "timing" and previous is not None and previous[0] == "timing" and previous[1].get("case") == data.get("case")
            ):
                rows[-1] = ("timing", data)
            else:
                rows.append((event.kind, data))
        return rows

    def _within_budget(self, holding: Holding, text: str) -> str:
        key = f"{holding.evaluation_id}/{holding.attempt}"
        if key not in self._logged:
            self._logged.clear()
        used = self._logged.setdefault(key, 0)
        self._logged[key] = used + len(text)
        if used >= MAX_LOG_TOTAL:
            return ""
        return text if used + len(text) <= MAX_LOG_TOTAL else text[: MAX_LOG_TOTAL - used] + "\n… the live log ends here …\n"


def _store(holding: Holding, rows: list[Row]) -> None:
    with transaction.atomic():
        evaluation = hold(holding.evaluation_id, attempt=holding.attempt, worker=holding.worker)
        gathered: list[Row] = []
        for kind, data in rows:
            if kind == "stage":
                events.append_all(events.evaluation_stream(evaluation.pk), gathered)
                gathered = _enter(evaluation, data)
            else:
                gathered.append((kind, data))
        events.append_all(events.evaluation_stream(evaluation.pk), gathered)


def _enter(evaluation: Evaluation, data: Mapping[str, JSON]) -> list[Row]:
    """Move to the stage that the evaluator entered. A stage that is no state of ours is a note."""
    name = str(data.get("stage", ""))
    if name in set(State) and State(name) in MOVES[State(evaluation.state)]:
        move(evaluation, State(name))
        return []
    return [] if name == evaluation.state else [("note", {"text": name})]
