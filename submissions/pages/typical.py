"""How long each stage usually takes: the median over what was accepted lately, as the stage rail counts it."""

from __future__ import annotations

import datetime as dt
import hashlib
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.core.cache import cache
from django.db.models import QuerySet

from evaluator.contract import State, Verdict
from submissions.models import Evaluation, Event
from submissions.streams import evaluation_stream

SAMPLE = 20
LEAST = 3
"""Fewer evaluations than this are no habit."""
KEPT_S = 60
WORK = (State.BUILDING, State.CHECKING, State.TIMING, State.PROFILING)
"""Stages whose length is the kernel's and the op's own. How long one waits depends on who else waits."""


def typical(evaluation: Evaluation) -> Mapping[State, float]:
    """Seconds by stage: of the same op, device, mode and kernel type, else of the same device, mode and kernel type; {} without enough.

    Needs the evaluation's submission. Two to three queries, of which a process keeps the answer for a minute.
    """
    kernel_type = evaluation.submission.kernel_type
    asked = f"{evaluation.op} {evaluation.device} {evaluation.mode} {kernel_type}"
    key = f"typical-{hashlib.sha256(asked.encode()).hexdigest()}"
    found: dict[State, float] | None = cache.get(key)
    if found is None:
        alike = Evaluation.objects.filter(
            device=evaluation.device, mode=evaluation.mode, verdict=Verdict.ACCEPTED, submission__kernel_type=kernel_type
        )
        found = _medians(alike.filter(op=evaluation.op)) or _medians(alike)
        cache.set(key, found, KEPT_S)
    return found


def _medians(alike: QuerySet[Evaluation]) -> dict[State, float]:
    newest = list(alike.order_by("-finished_at").values_list("pk", flat=True)[:SAMPLE])
    if len(newest) < LEAST:
        return {}
    moves = Event.objects.filter(stream__in=[evaluation_stream(pk) for pk in newest], kind="state").order_by("stream", "seq")
    took: dict[State, list[float]] = defaultdict(list)
    for state, seconds in _lengths(moves.values_list("stream", "data__state", "at")):
        if state in WORK:
            took[state].append(seconds)
    return {state: statistics.median(lengths) for state, lengths in took.items() if len(lengths) >= LEAST}


def _lengths(moves: Iterable[tuple[str, str, dt.datetime]]) -> Iterable[tuple[State, float]]:
    """Each visit of a stage with its length, from moves in order of stream and time."""
    before: tuple[str, str, dt.datetime] | None = None
    for move in moves:
        if before is not None and before[0] == move[0]:
            yield State(before[1]), (move[2] - before[2]).total_seconds()
        before = move
