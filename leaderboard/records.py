"""Who holds a board's record, since when, and who held it before.

Records are derived from confirmed sources alone: those with enough accepted confirming runs in the evaluator's epoch and none that refused
them. Their figures are the medians of these runs. What is provisional holds no record, takes none away and keeps nobody from one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils import timezone

from evaluator.contract import EPOCH
from leaderboard.bands import Interval
from leaderboard.challengers import bar_of
from leaderboard.eligibility import eligible_evaluations, interpreted
from leaderboard.measured import measured
from leaderboard.medians import CONFIRMING, fresh, median, nearest
from leaderboard.models import Record, RecordEnd
from submissions.confirming import CONFIRMING_RUNS, Confirmation, on_board
from submissions.models import Evaluation


@dataclass(frozen=True, slots=True)
class Source:
    """A confirmed source on a board. `confirmed_at`: when the last of its confirming runs ended."""

    author_id: int
    normalised_sha256: str
    interval: Interval
    time_us: float
    confirmed_at: datetime


def refresh(op: str, device: str) -> Record | None:
    """Let the record follow the confirmed sources. The caller holds the board's lock.

    The standing record stays as long as its source is confirmed, until the best source whose interval lies above its own takes it (a tie
    takes nothing). Where none stands, the best source that beats something beyond the error begins one: by its confirming runs, for the
    run that took the lead was luck perhaps. No record on one clock alone: the run that a record shows must have an audited case. What a
    later epoch's process wrote is left alone.
    """
    standing = Record.objects.filter(op_id=op, device_id=device, held_until__isnull=True).first()
    if standing is not None and standing.epoch > EPOCH:
        return standing
    if standing is not None and standing.epoch < EPOCH:
        _end(standing, RecordEnd.EPOCH)
        standing = None
    sources = confirmed(op, device)
    own = next((s for s in sources if standing is not None and _same_source(s, standing)), None)
    if standing is not None and own is None:
        _end(standing, RecordEnd.WITHDRAWN)
        standing = None
    bar = bar_of(op, device) if own is None else own.interval.high
    best, shown = _best_audited(op, device, [source for source in sources if source.interval.low > bar])
    if standing is not None and own is not None:
        if best is None:
            return _follow(standing, op, device, own)
        _end(standing, RecordEnd.BEATEN)
    if best is None:
        return None
    return Record.objects.create(op_id=op, device_id=device, author_id=best.author_id, epoch=EPOCH, **_figures(best, shown))


def close_earlier_epochs() -> int:
    """Close the records of earlier epochs. How many there were."""
    return Record.objects.earlier().update(held_until=timezone.now(), ended_by=RecordEnd.EPOCH)


def confirmed(op: str, device: str) -> list[Source]:
    """The confirmed sources of a board, best first; among equals, who was confirmed first."""
    runs = eligible_evaluations().filter(CONFIRMING, op=op, device=device).exclude(interpreted()).order_by()
    by_source = runs.values("author_id", "submission__normalised_sha256").annotate(
        fresh=fresh(),
        median_speedup=median("speedup"),
        median_low=median("speedup_low"),
        median_high=median("speedup_high"),
        median_time_us=median("time_us"),
        at=Max("finished_at"),
    )
    confirmed_ones = {source for source, found in on_board(op, device).items() if found.confirmation is Confirmation.CONFIRMED}
    found = [
        Source(
            row["author_id"],
            row["submission__normalised_sha256"],
            Interval(row["median_speedup"], row["median_low"], row["median_high"]),
            row["median_time_us"],
            row["at"],
        )
        for row in by_source.filter(fresh__gte=CONFIRMING_RUNS)
    ]
    believed = [source for source in found if (source.author_id, source.normalised_sha256) in confirmed_ones]
    return sorted(believed, key=lambda source: (-source.interval.speedup, source.confirmed_at))


def _best_audited(op: str, device: str, sources: Sequence[Source]) -> tuple[Source | None, str]:
    """The best source whose nearest run the judge's own clock measured too, and that run."""
    for source in sources:
        shown = _shown(op, device, source)
        if measured(Evaluation.objects.values_list("outcome", flat=True).get(pk=shown)).audited:
            return source, shown
    return None, ""


def _shown(op: str, device: str, source: Source) -> str:
    """The confirming run that a record links to."""
    runs = eligible_evaluations().filter(CONFIRMING, op=op, device=device, author_id=source.author_id)
    return nearest(runs.filter(submission__normalised_sha256=source.normalised_sha256), source.interval.speedup)


def _same_source(source: Source, record: Record) -> bool:
    return (source.author_id, source.normalised_sha256) == (record.author_id, record.normalised_sha256)


def _follow(record: Record, op: str, device: str, source: Source) -> Record:
    """The figures of a standing record follow later confirming runs of its source."""
    figures = _figures(source, _shown(op, device, source))
    if any(getattr(record, name) != value for name, value in figures.items()):
        for name, value in figures.items():
            setattr(record, name, value)
        record.save(update_fields=list(figures))
    return record


def _end(record: Record, why: RecordEnd) -> None:
    record.held_until, record.ended_by = timezone.now(), why
    record.save(update_fields=["held_until", "ended_by"])


def _figures(source: Source, evaluation_id: str) -> dict[str, object]:
    return {
        "evaluation_id": evaluation_id,
        "normalised_sha256": source.normalised_sha256,
        "speedup": source.interval.speedup,
        "speedup_low": source.interval.low,
        "speedup_high": source.interval.high,
        "time_us": source.time_us,
    }
