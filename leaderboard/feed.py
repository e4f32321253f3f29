"""Recent evaluations that a reader may see, newest first, in pages that stay put while new ones come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q, QuerySet

from evaluator.contract import KernelType, Mode, State, Verdict
from submissions.access import Reader, visible_evaluations
from submissions.models import HOUSE, Evaluation

PAGE = 50
RUNNING = "running"
FILTERS = ("op", "device", "verdict", "kernel_type", "mode", "author", "agent", "by")
COLUMNS = {"kernel_type": "submission__kernel_type", "author": "author__username", "agent": "submission__agent"}
"""Where a filter's name is not the column's."""
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
KNOWN: Mapping[str, tuple[str, ...]] = {
    "verdict": (RUNNING, *Verdict),
    "kernel_type": tuple(KernelType),
    "mode": tuple(Mode),
    "by": ("human", "bot"),
}
"""What a filter may say, where that is known beforehand."""


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Some evaluations. `older` is the cursor of the next page, "" on the last."""

    evaluations: tuple[Evaluation, ...]
    older: str


def feed(reader: Reader, wanted: Mapping[str, str], before: str = "", limit: int = PAGE) -> FeedPage:
    """A page of the evaluations that authors asked for, in one query and without the large columns.

    `wanted` holds filters by the names of `FILTERS`; an empty one means any. `before` is a cursor; one that is none means the first page.
    """
    found = recent(reader).filter(_wanted(wanted))
    if at := cursor(before):
        moment, pk = at
        found = found.filter(Q(queued_at__lt=moment) | Q(queued_at=moment, pk__lt=pk))
    rows = list(found.order_by("-queued_at", "-pk")[: limit + 1])
    older = _cursor_of(rows[limit - 1]) if len(rows) > limit else ""
    return FeedPage(tuple(rows[:limit]), older)


def recent(reader: Reader) -> QuerySet[Evaluation]:
    """What authors asked for and the reader may see, for rows: without outcome, log, build and source."""
    return visible_evaluations(reader).exclude(purpose__in=HOUSE).light()


def cursor(text: str) -> tuple[datetime, str] | None:
    """Moment and id out of `<microseconds>-<id>`."""
    micros, _, pk = text.partition("-")
    if not micros.isdecimal() or len(micros) > 17 or not pk.isalnum():
        return None
    return BEGINNING + timedelta(microseconds=int(micros)), pk[:12]


def _cursor_of(evaluation: Evaluation) -> str:
    return f"{(evaluation.queued_at - BEGINNING) // timedelta(microseconds=1)}-{evaluation.pk}"


def _wanted(filters: Mapping[str, str]) -> Q:
    found = Q()
    for name, value in filters.items():
        if not value:
            continue
        if name == "verdict":
            found &= ~Q(state=State.DONE) if value == RUNNING else Q(verdict=value)
        elif name == "by":
            found &= Q(submission__agent="") if value == "human" else ~Q(submission__agent="")
        else:
            found &= Q(**{COLUMNS.get(name, name): value})
    return found
