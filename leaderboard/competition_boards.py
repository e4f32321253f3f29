"""What pages, API and CLI show of competitions: lists with counts, leaders per board, standings, the newest entries. Few queries each."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.utils import timezone

from leaderboard.bands import Interval, places
from leaderboard.entry_queries import EntryQuerySet
from leaderboard.models import Entry, Op
from leaderboard.ranking import may_read_entry
from leaderboard.scope import Scope, epoch_of
from leaderboard.standings import Standing, standings
from submissions.competitions.access import visible_competitions
from submissions.competitions.models import Competition, CompetitionQuerySet, Phase
from submissions.confirming import Confirmation
from submissions.readers import Reader

NEWEST = 20


@dataclass(frozen=True, slots=True)
class Leader:
    """The best entry of a board that has a rank, and how many the measurement cannot tell from it."""

    author: str
    speedup: float
    low: float
    high: float
    confirmed: bool
    evaluation: str
    submission: str
    tied: int


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One board of a competition. `leader` None: nothing compiled has a rank. `entries` counts all, with a rank or without."""

    op: str
    op_title: str
    device: str
    entries: int
    leader: Leader | None


@dataclass(frozen=True, slots=True)
class Participant:
    """A row of the standings with its name."""

    author: str
    is_mine: bool
    standing: Standing


@dataclass(frozen=True, slots=True)
class Handed:
    """An entry told in a line."""

    author: str
    agent: str
    op: str
    device: str
    kernel_type: str
    speedup: float
    interpreted: bool
    confirmed: bool
    evaluation: str
    submission: str
    may_read_source: bool
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Results:
    """All of a competition as a reader sees it now. `participants` are those who handed something in, with an entry or without."""

    competition: Competition
    epoch: int
    boards: tuple[BoardLine, ...]
    standings: tuple[Participant, ...]
    newest: tuple[Handed, ...]
    participants: int
    submissions: int


def results(competition: Competition, reader: Reader) -> Results:
    """Leaders, standings and newest entries, in six queries however many there are. `reader` may see the competition."""
    epoch = epoch_of(competition.pk)
    entries = Entry.objects.eligible(epoch, competition.pk)
    points = [_Point(*row) for row in entries.best_first().values_list(*_POINT)]
    counts = competition.submissions.aggregate(authors=Count("author", distinct=True), n=Count("pk"))
    return Results(
        competition=competition,
        epoch=epoch,
        boards=_boards(competition, points),
        standings=_standings(competition, points, reader),
        newest=_newest(competition, entries, reader),
        participants=counts["authors"],
        submissions=counts["n"],
    )


def listed(reader: Reader) -> CompetitionQuerySet:
    """The competitions that `reader` may see, each with its group, `participants` and `handed_in`."""
    counted = visible_competitions(reader).select_related("group")
    return counted.annotate(participants=Count("submissions__author", distinct=True), handed_in=Count("submissions", distinct=True))


def open_now(reader: Reader, *, op: str = "", device: str = "", limit: int = 5) -> QuerySet[Competition]:
    """The open competitions that `reader` may see (of a board, where one is named), the one that closes first at the front."""
    found = visible_competitions(reader).in_phase(Phase.OPEN, timezone.now())
    if op:
        found = found.covering(op, device)
    return found.order_by("closes_at", "pk")[:limit]


_POINT = (
    "author_id", "author__username", "op_id", "device_id", "interpreted", "speedup", "speedup_low", "speedup_high", "confirmation",
    "evaluation_id", "evaluation__submission_id", "achieved_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Point:
    """The columns of an entry that leaders and standings need."""

    author_id: int
    author: str
    op: str
    device: str
    interpreted: bool
    speedup: float
    low: float
    high: float
    confirmation: str
    evaluation: str
    submission: str
    at: dt.datetime

    @property
    def counts(self) -> bool:
        """Whether it has a rank among what was compiled."""
        return not self.interpreted and self.confirmation != Confirmation.NOT_CONFIRMED

    @property
    def interval(self) -> Interval:
        return Interval(self.speedup, self.low, self.high)


def _boards(competition: Competition, best_first: Iterable[_Point]) -> tuple[BoardLine, ...]:
    on_board: dict[tuple[str, str], list[_Point]] = defaultdict(list)
    for point in best_first:
        on_board[point.op, point.device].append(point)
    ops = dict(Op.objects.filter(pk__in=competition.ops).values_list("pk", "title"))
    return tuple(
        BoardLine(op, ops.get(op, op), device, len(here), _leader(here))
        for op, device in competition.boards
        for here in (on_board[op, device],)
    )


def _leader(best_first: Iterable[_Point]) -> Leader | None:
    compiled = [point for point in best_first if point.counts]
    if not compiled:
        return None
    first, place = compiled[0], places([point.interval for point in compiled])[0]
    confirmed = first.confirmation == Confirmation.CONFIRMED
    return Leader(first.author, first.speedup, first.low, first.high, confirmed, first.evaluation, first.submission, tied=place.band_size)


def _standings(competition: Competition, points: Iterable[_Point], reader: Reader) -> tuple[Participant, ...]:
    compiled = sorted((point for point in points if point.counts), key=lambda point: point.at)
    names = {point.author_id: point.author for point in compiled}
    found = standings(competition.boards, {(point.author_id, (point.op, point.device)): point.interval for point in compiled})
    mine = reader.pk if reader.is_authenticated else None
    return tuple(Participant(names[each.author_id], each.author_id == mine, each) for each in found)


def _newest(competition: Competition, entries: EntryQuerySet, reader: Reader) -> tuple[Handed, ...]:
    scope = Scope(competition)
    return tuple(
        Handed(
            author=entry.author.get_username(),
            agent=entry.evaluation.submission.agent,
            op=entry.op_id,
            device=entry.device_id,
            kernel_type=entry.evaluation.submission.kernel_type,
            speedup=entry.speedup,
            interpreted=entry.interpreted,
            confirmed=entry.confirmed,
            evaluation=entry.evaluation_id,
            submission=entry.evaluation.submission_id,
            may_read_source=may_read_entry(reader, entry, scope),
            at=entry.achieved_at,
        )
        for entry in entries.for_rows().order_by("-achieved_at", "-pk")[:NEWEST]
    )
