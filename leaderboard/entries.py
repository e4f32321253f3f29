"""An evaluation has ended: bring its author's entry, and the record of that board, up to date.

Everything is derived from the evaluation rows, so a refresh may run any number of times and in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from evaluator.contract import EPOCH
from leaderboard import catalogue, challengers, records
from leaderboard.eligibility import eligible_evaluations, interpreted
from leaderboard.locks import lock_board
from leaderboard.measured import measured
from leaderboard.medians import CONFIRMING, fresh, median, nearest
from leaderboard.models import Entry, Op
from leaderboard.news import Change, tell
from submissions.confirming import CONFIRMING_RUNS, Confirmation, ConfirmingRuns, confirming_runs, on_board
from submissions.models import Evaluation


@dataclass(frozen=True, slots=True)
class Best:
    """An author's best source on one board: medians over its runs, and the run nearest to the median speedup.

    Once it has its confirming runs, the medians are over these alone. `runs` counts all.
    """

    evaluation_id: str
    normalised_sha256: str
    speedup: float
    low: float
    high: float
    time_us: float
    runs: int
    achieved_at: datetime


def best_source(
    op: str, device: str, author_id: int, *, in_interpreter: bool, epoch: int = EPOCH, competition_id: int | None = None
) -> Best | None:
    """The author's best eligible source here, by the median over all runs of the same normalised source (best-of-many mines noise).

    Sources that the site tried to confirm and could not come last. One that is not confirmed goes before the author's best confirmed one
    only when its interval lies above: else a new source, which is luck perhaps, would cost a confirmed one its place.
    """
    runs = _runs(op, device, author_id, in_interpreter, epoch, competition_id)
    confirming = {} if in_interpreter else on_board(op, device, author_id=author_id, epoch=epoch, competition_id=competition_id)
    stopped = [sha for (_, sha), found in confirming.items() if found.confirmation is Confirmation.NOT_CONFIRMED]
    standing = runs.exclude(submission__normalised_sha256__in=stopped) if stopped else runs
    best = _best_of(standing) or _best_of(runs)
    if best is None:
        return None
    sha = best["submission__normalised_sha256"]
    counted = runs.filter(submission__normalised_sha256=sha)
    if best["fresh"] >= CONFIRMING_RUNS:
        counted = counted.filter(CONFIRMING)
    return Best(
        evaluation_id=nearest(counted, best["median_speedup"]),
        normalised_sha256=sha,
        speedup=best["median_speedup"],
        low=best["median_low"],
        high=best["median_high"],
        time_us=best["median_time_us"],
        runs=best["count"],
        achieved_at=best["first"],
    )


def _best_of(runs: QuerySet[Evaluation]) -> Mapping[str, Any] | None:
    """The figures of the best source among runs of one author on one board."""
    sources = runs.values("submission__normalised_sha256").annotate(
        fresh=fresh(),
        median_speedup=median("speedup"),
        median_low=median("speedup_low"),
        median_high=median("speedup_high"),
        median_time_us=median("time_us"),
        count=Count("pk"),
        first=Min("finished_at"),
    )
    best_first = sources.order_by("-median_speedup", "first")
    best = best_first.first()
    if best is None or best["fresh"] >= CONFIRMING_RUNS:
        return best
    confirmed = best_first.filter(fresh__gte=CONFIRMING_RUNS).first()
    if confirmed is None:
        return best
    return best_first.filter(fresh__lt=CONFIRMING_RUNS, median_low__gt=confirmed["median_high"]).first() or confirmed


def _runs(op: str, device: str, author_id: int, in_interpreter: bool, epoch: int, competition_id: int | None) -> QuerySet[Evaluation]:
    runs = eligible_evaluations(epoch, competition_id).filter(op=op, device=device, author_id=author_id, finished_at__isnull=False)
    runs = runs.order_by()
    return runs.filter(interpreted()) if in_interpreter else runs.exclude(interpreted())


def refresh(
    op: str, device: str, author_id: int, *, in_interpreter: bool, epoch: int = EPOCH, competition_id: int | None = None
) -> tuple[Entry | None, Change]:
    """Make the author's entry on this board what the evaluations say, under the board's lock, which the outer transaction keeps.

    An op that is not in the catalogue has no board. A device that is new gets its row here. The record follows, and whoever would take it
    is run again to be confirmed: both in the present epoch only. Readers of the board are told of others whose confirmation begins here.
    A competition has entries and confirming runs of its own, and no records.
    """
    if not Op.objects.filter(pk=op).exists():
        return None, Change.NONE
    catalogue.ensure_device(device)
    with transaction.atomic():
        lock_board(op, device)
        entry, change = _refresh_locked(op, device, author_id, in_interpreter, epoch, competition_id)
        if not in_interpreter and epoch == EPOCH:
            if competition_id is None:
                records.refresh(op, device)
            for begun in challengers.confirm(op, device, competition_id):
                if entry is None or begun.pk != entry.pk:
                    tell(begun, Change.CONFIRMING)
                    continue
                entry.confirmation = begun.confirmation
                change = Change.CONFIRMING if change is Change.NONE else change
    return entry, change


def _refresh_locked(
    op: str, device: str, author_id: int, in_interpreter: bool, epoch: int, competition_id: int | None
) -> tuple[Entry | None, Change]:
    board = Entry.objects.on(op, device).filter(competition=competition_id)
    before = board.filter(author_id=author_id, interpreted=in_interpreter, epoch=epoch).first()
    best = best_source(op, device, author_id, in_interpreter=in_interpreter, epoch=epoch, competition_id=competition_id)
    if best is None:
        if before is None:
            return None, Change.NONE
        before.delete()
        return None, Change.REMOVED
    source = (op, device, author_id, best.normalised_sha256)
    confirming = ConfirmingRuns() if in_interpreter else confirming_runs(*source, epoch=epoch, competition_id=competition_id)
    if before is not None and _same(before, best, confirming):
        return before, Change.NONE
    board_key = {"op_id": op, "device_id": device, "competition_id": competition_id}
    entry = before or Entry(**board_key, author_id=author_id, interpreted=in_interpreter, epoch=epoch)
    change, was_confirmed = _change(before, best), entry.confirmed
    _fill(entry, best)
    _confirm(entry, confirming)
    entry.save()
    return entry, Change.CONFIRMED if entry.confirmed and not was_confirmed else change


def _same(entry: Entry, best: Best, confirming: ConfirmingRuns) -> bool:
    if (entry.confirmation, entry.confirming_runs) != (confirming.confirmation, confirming.counted):
        return False
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
    entry.achieved_at = best.achieved_at
    entry.updated_at = timezone.now()


def _confirm(entry: Entry, confirming: ConfirmingRuns) -> None:
    entry.confirmation = confirming.confirmation
    entry.confirming_runs = confirming.counted
    entry.stopped_by = confirming.failed.evaluation if confirming.failed else None
