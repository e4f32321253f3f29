"""How far an evaluation has come, read from its events: the stage rail, the cases so far, the log so far."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.utils import timezone

from evaluator.contract import CaseResult, Mode, State, Verdict, from_json
from submissions.models import Evaluation, Event
from submissions.pages.words import STATES
from submissions.states import RETURNS
from submissions.streams import evaluation_stream

RAIL = (State.QUEUED, State.BUILDING, State.WAITING, State.CHECKING, State.TIMING, State.PROFILING, State.DONE)
LOG_LINES = 400


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the rail. `status`: `todo`, `now`, `done`, `stopped` (the verdict fell here) or `skipped`.

    `typical_s`: how long it usually takes, None where that is not known or depends on who else waits.
    """

    state: State
    title: str
    meaning: str
    status: str
    since: dt.datetime | None = None
    elapsed_s: float | None = None
    typical_s: float | None = None


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
    """What events tell of an evaluation. `seq` is the last event that it knows; one that is done tells its cases in the outcome."""

    seq: int
    stages: tuple[Stage, ...]
    cases: tuple[CaseResult, ...] = ()
    timed: tuple[Timed, ...] = ()
    log: str = ""
    log_lines: int = 0
    """Lines of the whole log, of which `log` holds the last ones."""
    notes: tuple[str, ...] = ()


def progress(evaluation: Evaluation, usual_s: Mapping[State, float] = MappingProxyType({})) -> Progress:
    """Read the events of the current try (earlier ones were given back, or lost with their worker). One query."""
    events = Event.objects.filter(stream=evaluation_stream(evaluation.pk)).order_by("seq")
    done = evaluation.state == State.DONE
    seen = list(events.filter(kind__in=("state", "note")) if done else events)
    seq = seen[-1].seq if seen else 0
    current = _that_count(seen)
    cases = {(case.kind, case.name): case for event in current if event.kind == "case" and (case := _case(event)) is not None}
    timed = {str(e.data.get("case")): _timed(e) for e in current if e.kind == "timing"}
    text = "".join(str(e.data.get("text", "")) for e in current if e.kind == "log")
    notes = tuple(str(e.data.get("text", "")) for e in current if e.kind == "note")
    return Progress(
        seq,
        rail(evaluation, [e for e in seen if e.kind == "state"], usual_s),
        tuple(cases.values()),
        tuple(timed.values()),
        "\n".join(text.splitlines()[-LOG_LINES:]),
        len(text.splitlines()),
        notes,
    )


def rail(evaluation: Evaluation, moves: Iterable[Event], usual_s: Mapping[State, float] = MappingProxyType({})) -> tuple[Stage, ...]:
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
            usual_s.get(state),
        )
        for state in RAIL
        if state is not State.PROFILING or state in begun or evaluation.mode == Mode.PROFILE
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


def _that_count(events: Sequence[Event]) -> Sequence[Event]:
    """Without those of tries that were broken off: since it last went back to its queue, and why; before that what its build told.

    A build that is made again tells again.
    """
    state, start, building = State.QUEUED, 0, 0
    built: Sequence[Event] = ()
    for position, event in enumerate(events):
        if event.kind != "state":
            continue
        before, state = state, State(event.data["state"])
        if state is RETURNS.get(before):
            start = position - (events[position - 1].kind == "note")
        if state is State.BUILDING:
            building = position
        elif state is State.QUEUED:
            built = ()
        elif before is State.BUILDING and state is State.WAITING:
            built = events[building:position]
    return (*(built if building < start else ()), *events[start:])


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
