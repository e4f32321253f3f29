"""An evaluation has ended: bring its author's entry, and the record of that board, up to date.

Everything is derived from the evaluation rows, so a refresh may run any number of times and in any order.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Aggregate, Count, F, FloatField, Min, QuerySet
from django.db.models.functions import Abs
from django.utils import timezone

from leaderboard import catalogue, records
from leaderboard.eligibility import eligible_evaluations, interpreted
from leaderboard.measured import measured
from leaderboard.models import Entry, Op
from submissions.models import Evaluation

CONFIRMING_RUNS = 3
"""Fresh processes with new seeds that must repeat a result before it counts as confirmed."""


class Change(enum.StrEnum):
    """What a refresh did to an entry."""

    NONE = "none"
    NEW = "new"
    IMPROVED = "improved"
    CHANGED = "changed"
    REMOVED = "removed"


class Median(Aggregate):
    """PostgreSQL's continuous median."""

    function = "PERCENTILE_CONT"
    name = "Median"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class Best:
    """An author's best source on one board: medians over its runs, and the run nearest to the median speedup."""

    evaluation_id: str
    normalised_sha256: str
    speedup: float
    low: float
    high: float
    time_us: float
    runs: int
    achieved_at: datetime


def lock_board(op: str, device: str) -> None:
    """Let one transaction at a time change this board. Held until commit; the next one then sees what this one wrote.

    An advisory lock and not a row's: the entry to lock may not exist yet. The next statement must be a new one, because READ
    COMMITTED takes its snapshot per statement.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.board'), hashtext(%s))", [f"{op}/{device}"])


def best_source(op: str, device: str, author_id: int, *, in_interpreter: bool) -> Best | None:
    """The author's best eligible source here, by the median over all runs of the same normalised source (best-of-many mines noise)."""
    runs = _runs(op, device, author_id, in_interpreter)
    best = (
        runs.values("submission__normalised_sha256")
        .annotate(
            median_speedup=Median("speedup"),
            median_low=Median("speedup_low"),
            median_high=Median("speedup_high"),
            median_time_us=Median("time_us"),
            count=Count("pk"),
            first=Min("finished_at"),
        )
        .order_by("-median_speedup", "first")
        .first()
    )
    if best is None:
        return None
    sha = best["submission__normalised_sha256"]
    nearest = (
        runs.filter(submission__normalised_sha256=sha)
        .annotate(distance=Abs(F("speedup") - best["median_speedup"]))
        .order_by("distance", "finished_at", "pk")
        .values_list("pk", flat=True)[0]
    )
    return Best(
        evaluation_id=nearest,
        normalised_sha256=sha,
        speedup=best["median_speedup"],
        low=best["median_low"],
        high=best["median_high"],
        time_us=best["median_time_us"],
        runs=best["count"],
        achieved_at=best["first"],
    )


def _runs(op: str, device: str, author_id: int, in_interpreter: bool) -> QuerySet[Evaluation]:
    runs = eligible_evaluations().filter(op=op, device=device, author_id=author_id, finished_at__isnull=False).order_by()
    return runs.filter(interpreted()) if in_interpreter else runs.exclude(interpreted())


def refresh(op: str, device: str, author_id: int, *, in_interpreter: bool) -> tuple[Entry | None, Change]:
    """Make the author's entry on this board what the evaluations say, under the board's lock, which the outer transaction keeps.

    An op that is not in the catalogue has no board. A device that is new gets its row here.
    """
    if not Op.objects.filter(pk=op).exists():
        return None, Change.NONE
    catalogue.ensure_device(device)
    with transaction.atomic():
        lock_board(op, device)
        entry, change = _refresh_locked(op, device, author_id, in_interpreter)
        if change is not Change.NONE and not in_interpreter:
            records.refresh(op, device)
    return entry, change


def _refresh_locked(op: str, device: str, author_id: int, in_interpreter: bool) -> tuple[Entry | None, Change]:
    before = Entry.objects.on(op, device).filter(author_id=author_id, interpreted=in_interpreter).first()
    best = best_source(op, device, author_id, in_interpreter=in_interpreter)
    if best is None:
        if before is None:
            return None, Change.NONE
        before.delete()
        return None, Change.REMOVED
    if before is not None and _same(before, best):
        return before, Change.NONE
    entry = before or Entry(op_id=op, device_id=device, author_id=author_id, interpreted=in_interpreter)
    change = _change(before, best)
    _fill(entry, best)
    entry.save()
    return entry, change


def _same(entry: Entry, best: Best) -> bool:
    return (entry.evaluation_id, entry.runs, entry.speedup) == (best.evaluation_id, best.runs, best.speedup)


def _change(before: Entry | None, best: Best) -> Change:
    if before is None:
        return Change.NEW
    if best.normalised_sha256 != before.normalised_sha256 and best.speedup > before.speedup:
        return Change.IMPROVED
    return Change.CHANGED


def _fill(entry: Entry, best: Best) -> None:
    extra = measured(Evaluation.objects.values_list("outcome", flat=True).get(pk=best.evaluation_id))
    entry.evaluation_id = best.evaluation_id
    entry.normalised_sha256 = best.normalised_sha256
    entry.speedup = best.speedup
    entry.speedup_low = best.low
    entry.speedup_high = best.high
    entry.time_us = best.time_us
    entry.time_error_us = extra.time_error_us
    entry.baseline_us = extra.baseline_us
    entry.cases = extra.cases
    entry.cases_won = extra.cases_won
    entry.sol_share = extra.sol_share
    entry.audited = extra.audited
    entry.runs = best.runs
    entry.confirmed = best.runs > CONFIRMING_RUNS
    entry.achieved_at = best.achieved_at
    entry.updated_at = timezone.now()
