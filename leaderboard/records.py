"""Who holds a board's record, since when, and who held it before."""

from __future__ import annotations

from django.utils import timezone

from leaderboard.bands import Interval
from leaderboard.models import Entry, Record


def refresh(op: str, device: str) -> Record | None:
    """Let the record follow the first band of the audited entries (no record on one clock alone). The caller holds the board's lock.

    The holder keeps it as long as his entry is in the first band (a tie takes nothing). If his own new source is faster beyond the
    error, that is a new record of his; otherwise the standing record follows the figures of his entry.
    """
    ranked = Entry.objects.eligible().on(op, device).filter(interpreted=False, audited=True)
    leader = ranked.best_first().first()
    standing = Record.objects.filter(op_id=op, device_id=device, held_until__isnull=True).first()
    if standing is not None:
        mine = ranked.filter(author_id=standing.author_id).first()
        if leader is not None and mine is not None and _interval(mine).overlaps(_interval(leader)) and not _is_new_feat(mine, standing):
            return _follow(standing, mine)
        standing.held_until = timezone.now()
        standing.save(update_fields=["held_until"])
    if leader is None:
        return None
    return Record.objects.create(op_id=op, device_id=device, author_id=leader.author_id, **_figures(leader))


def _is_new_feat(mine: Entry, standing: Record) -> bool:
    return mine.normalised_sha256 != standing.normalised_sha256 and mine.speedup_low > standing.speedup_high


def _follow(standing: Record, mine: Entry) -> Record:
    if mine.normalised_sha256 == standing.normalised_sha256:
        figures = _figures(mine)
        for name, value in figures.items():
            setattr(standing, name, value)
        standing.save(update_fields=list(figures))
    return standing


def _figures(entry: Entry) -> dict[str, object]:
    return {
        "evaluation_id": entry.evaluation_id,
        "normalised_sha256": entry.normalised_sha256,
        "speedup": entry.speedup,
        "speedup_low": entry.speedup_low,
        "speedup_high": entry.speedup_high,
        "time_us": entry.time_us,
    }


def _interval(entry: Entry) -> Interval:
    return Interval(entry.speedup, entry.speedup_low, entry.speedup_high)
