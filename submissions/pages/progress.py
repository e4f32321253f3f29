"""How far an evaluation has come, read from its events: the stage rail, the cases so far, the log so far."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils import timezone

from evaluator.contract import CaseResult, State, Verdict, from_json
from submissions.models import Evaluation, Event
from submissions.pages.words import STATES
from submissions.streams import evaluation_stream

RAIL = (State.QUEUED, State.BUILDING, State.WAITING, State.CHECKING, State.TIMING, State.PROFILING, State.DONE)
LOG_LINES = 400


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the rail. `status`: `todo`, `now`, `done`, `stopped` (the verdict fell here) or `skipped`."""

    state: State
    title: str
    meaning: str
    status: str
    since: dt.datetime | None = None
    elapsed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """A performance case while it is measured."""

    case: str
    quads: int
    speedup: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Progress:
    """What a page shows of an evaluation that is not done. `seq` is the last event that it knows."""

    seq: int
    stages: tuple[Stage, ...]
    cases: tuple[CaseResult, ...] = ()
    timed: tuple[Timed, ...] = ()
    log: str = ""
    notes: tuple[str, ...] = ()


def progress(evaluation: Evaluation) -> Progress:
    """Read the events of the current attempt (earlier attempts were lost with their worker). Two queries at most."""
    events = Event.objects.filter(stream=evaluation_stream(evaluation.pk)).order_by("seq")
    if evaluation.state == State.DONE:
        moves = list(events.filter(kind="state"))
        return Progress(moves[-1].seq if moves else 0, rail(evaluation, moves))
    seen = list(events)
    seq = seen[-1].seq if seen else 0
    current = _since_last_claim(seen)
    cases = {case.name: case for event in current if event.kind == "case" and (case := _case(event)) is not None}
    timed = {str(e.data.get("case")): _timed(e) for e in current if e.kind == "timing"}
    text = "".join(str(e.data.get("text", "")) for e in current if e.kind == "log")
    notes = tuple(str(e.data.get("text", "")) for e in current if e.kind == "note")
    return Progress(
        seq,
        rail(evaluation, [e for e in seen if e.kind == "state"]),
        tuple(cases.values()),
        tuple(timed.values()),
        "\n".join(text.splitlines()[-LOG_LINES:]),
        notes,
    )


def rail(evaluation: Evaluation, moves: Iterable[Event]) -> tuple[Stage, ...]:
    """Each stage with the time it took; the newest visit counts where an attempt was repeated."""
    visits: list[tuple[State, dt.datetime]] = [(State.QUEUED, evaluation.queued_at)]
    for event in moves:
        state = State(event.data["state"])
        if state is not State.QUEUED or len(visits) > 1:
            visits.append((state, event.at))
    if visits[-1][0] != evaluation.state:
        visits.append((State(evaluation.state), evaluation.state_at))
    begun = dict(visits)
    ends = [at for _, at in visits[1:]] + [evaluation.finished_at or timezone.now()]
    took = {state: (end - at).total_seconds() for (state, at), end in zip(visits, ends, strict=True)}
    last_before_done = next((state for state, _ in reversed(visits) if state is not State.DONE), State.QUEUED)
    return tuple(
        Stage(
            state,
            STATES[state].title,
            STATES[state].meaning,
            _status(state, evaluation, begun, last_before_done),
            begun.get(state),
            took.get(state) if state is not State.DONE else None,
        )
        for state in RAIL
        if state is not State.PROFILING or state in begun
    )


def _status(state: State, evaluation: Evaluation, begun: dict[State, dt.datetime], last: State) -> str:
    now = State(evaluation.state)
    if now is State.DONE:
        if state is State.DONE or state not in begun:
            return "done" if state is State.DONE else "skipped"
        return "stopped" if state is last and evaluation.verdict != Verdict.ACCEPTED else "done"
    if state is now:
        return "now"
    return "done" if RAIL.index(state) < RAIL.index(now) else "todo"


def _since_last_claim(events: Sequence[Event]) -> Sequence[Event]:
    """Events of the newest attempt: those after the last `state` event that raised the attempt number."""
    start, attempt = 0, 1
    for position, event in enumerate(events):
        if event.kind == "state" and isinstance(event.data.get("attempt"), int) and event.data["attempt"] > attempt:
            start, attempt = position, event.data["attempt"]
    return events[start:]


def _case(event: Event) -> CaseResult | None:
    try:
        return from_json(CaseResult, event.data)
    except (TypeError, ValueError):
        return None  # written by a worker of another version: the final page shows it


def _timed(event: Event) -> Timed:
    def number(name: str) -> float | None:
        value = event.data.get(name)
        return float(value) if isinstance(value, (int, float)) else None

    return Timed(str(event.data.get("case")), int(number("quads") or 0), number("speedup"), number("low"), number("high"))
