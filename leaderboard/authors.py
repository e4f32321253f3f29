"""What an author has achieved, as a reader may see it: bests with their ranks, records, activity, agent labels."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Max, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from evaluator.contract import Verdict
from leaderboard.bands import Interval, Place, places
from leaderboard.feed import recent
from leaderboard.models import Entry, Record
from submissions.access import Reader
from submissions.confirming import Confirmation

WEEKS = 53
RECENT = 12
MOST_LABELS = 40


@dataclass(frozen=True, slots=True)
class Best:
    """An entry and its place; None where it has no rank. `rivals`: how many have a rank on that board. `holds`: it is the record."""

    entry: Entry
    place: Place | None
    rivals: int
    holds: bool


@dataclass(frozen=True, slots=True)
class Day:
    """What was handed in on one day (UTC), and how much of it was accepted."""

    date: dt.date
    evaluations: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Label:
    """An agent label of the author's, empty for what was handed in by hand."""

    agent: str
    evaluations: int
    accepted: int
    last: dt.datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """`records`: how many stand now, and how many ever. `days`: those of the last year on which something was handed in.

    `evaluations` and `accepted` are over all labels, of which `labels` are the most used.
    """

    bests: tuple[Best, ...]
    records: int
    records_ever: int
    days: tuple[Day, ...]
    labels: tuple[Label, ...]
    evaluations: int
    accepted: int

    @property
    def firsts(self) -> int:
        return sum(best.place is not None and best.place.rank == 1 and not best.entry.interpreted for best in self.bests)

    @property
    def is_empty(self) -> bool:
        return not self.labels and not self.bests


def profile(author: AbstractBaseUser, reader: Reader) -> Profile:
    """In six queries, however much there is."""
    mine = recent(reader).filter(author_id=author.pk).order_by()
    since = timezone.now().date() - dt.timedelta(weeks=WEEKS)
    accepted = Count("pk", filter=Q(verdict=Verdict.ACCEPTED))
    days = mine.filter(queued_at__date__gte=since).values(day=TruncDate("queued_at")).annotate(n=Count("pk"), accepted=accepted)
    labels = mine.values("submission__agent").annotate(n=Count("pk"), accepted=accepted, last=Max("queued_at")).order_by("-n")
    records = Record.objects.shown().filter(author_id=author.pk).values_list("op_id", "device_id", "normalised_sha256", "held_until")
    held = list(records)
    totals = mine.aggregate(n=Count("pk"), accepted=accepted)
    standing = {(op, device, sha) for op, device, sha, until in held if until is None}
    return Profile(
        bests=tuple(_bests(author, standing)),
        records=len(standing),
        records_ever=len(held),
        days=tuple(Day(row["day"], row["n"], row["accepted"]) for row in days.order_by("day")),
        labels=tuple(Label(row["submission__agent"], row["n"], row["accepted"], row["last"]) for row in labels[:MOST_LABELS]),
        evaluations=totals["n"],
        accepted=totals["accepted"],
    )


def _bests(author: AbstractBaseUser, standing: set[tuple[str, str, str]]) -> list[Best]:
    """The author's entries, best rank first; where ranks are equal, the larger speedup."""
    entries = list(Entry.objects.eligible().filter(author_id=author.pk).for_rows().select_related("op", "device").defer("op__definition"))
    boards = _boards(entries)
    found = []
    for entry in entries:
        board = boards.get((entry.op_id, entry.device_id, entry.interpreted), {})
        holds = (entry.op_id, entry.device_id, entry.normalised_sha256) in standing
        found.append(Best(entry, board.get(entry.pk), len(board), holds and not entry.interpreted))
    return sorted(
        found, key=lambda best: (best.entry.interpreted, best.place is None, best.place.rank if best.place else 0, -best.entry.speedup)
    )


def _boards(entries: Sequence[Entry]) -> dict[tuple[str, str, bool], dict[int, Place]]:
    """The place of everybody on the boards of these entries, in one query."""
    wanted = {(entry.op_id, entry.device_id, entry.interpreted) for entry in entries if entry.confirmation != Confirmation.NOT_CONFIRMED}
    ranked = Entry.objects.ranked().filter(op__in={op for op, _, _ in wanted}, device__in={device for _, device, _ in wanted})
    rows: dict[tuple[str, str, bool], list[tuple[int, Interval]]] = defaultdict(list)
    columns = ("op_id", "device_id", "interpreted", "pk", "speedup", "speedup_low", "speedup_high")
    for op, device, interpreted, pk, *numbers in ranked.best_first().values_list(*columns):
        if (op, device, interpreted) in wanted:
            rows[op, device, interpreted].append((pk, Interval(*numbers)))
    return {
        board: dict(zip((pk for pk, _ in found), places([interval for _, interval in found]), strict=True)) for board, found in rows.items()
    }
