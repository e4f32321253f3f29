"""Who would take a board's record if confirmed, and the runs that confirm: the site hands them in by itself.

One at a time for each author, so that no run is made in vain once one has failed. What has a counted run is brought to its end while it is
its author's entry, whoever leads meanwhile; a source that its author has left behind only while it can still take the record. What waits
and has become useless is taken back. Everything is derived from rows under the board's lock, so however often this is asked, and in
whatever order evaluations end, no source gets more runs than it needs. On the boards of a competition, which have no record, who leads is
the challenger (`leaderboard/competition_leaders.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from django.db.models import Count, Exists, Expression, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Least
from django.utils import timezone

from evaluator.contract import EPOCH, State
from leaderboard import competition_leaders
from leaderboard.bands import AS_FAST_AS_TORCH
from leaderboard.eligibility import eligible_evaluations
from leaderboard.entry_queries import EntryQuerySet
from leaderboard.medians import Median
from leaderboard.models import Entry, Op, Record
from submissions.cancel import NOT_BEGUN
from submissions.confirming import (
    CONFIRMING_RUNS,
    MOST_UNCOUNTED,
    Confirmation,
    ConfirmingRuns,
    Source,
    counts,
    on_board,
    refuses,
)
from submissions.intake_errors import IntakeError
from submissions.models import Evaluation, Purpose
from submissions.rerun import again, check_judged_still

MOST_AN_HOUR = 2 * (CONFIRMING_RUNS + MOST_UNCOUNTED)
"""Confirming runs of one source within an hour, whatever became of them: a worker of another epoch must not be fed without end."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source that is to be run once more, and the run of it that is repeated."""

    source: Source
    evaluation_id: str


class Board:
    """What is known of the confirmations on a board at the moment when it is asked for first. Make a new one after every change."""

    def __init__(self, op: str, device: str, competition_id: int | None = None) -> None:
        self.op, self.device, self.competition_id = op, device, competition_id

    @cached_property
    def runs(self) -> dict[Source, ConfirmingRuns]:
        return on_board(self.op, self.device, competition_id=self.competition_id)

    @cached_property
    def bar(self) -> float:
        return bar_of(self.op, self.device) if self.competition_id is None else math.inf

    @cached_property
    def challenger(self) -> Entry | None:
        if self.competition_id is None:
            return challenger(self.op, self.device)
        return competition_leaders.challenger(self.competition_id, self.op, self.device)

    @cached_property
    def entries(self) -> dict[Source, Entry]:
        """The candidates of whom there are confirming runs here."""
        authors = {author for author, _ in self.runs}
        found = Entry.objects.candidates(self.competition_id).on(self.op, self.device).filter(author_id__in=authors) if authors else ()
        return {(entry.author_id, entry.normalised_sha256): entry for entry in found}

    def wanted(self) -> list[Wanted]:
        """What lacks a run: at most one source of each author, and none of one who has a run under way here."""
        wanted: dict[int, Wanted] = {}
        if (first := self.challenger) is not None:
            wanted[first.author_id] = Wanted((first.author_id, first.normalised_sha256), first.evaluation_id)
        for source, found in self.runs.items():
            if found.confirmation is Confirmation.PROVISIONAL and source[0] not in wanted and self.goes_on(source):
                wanted[source[0]] = Wanted(source, found.counted_runs[-1].evaluation.pk)
        busy = {author for (author, _), found in self.runs.items() if found.open}
        return [each for author, each in wanted.items() if author not in busy]

    def needs(self, source: Source) -> bool:
        """Whether something follows from an open run: of who leads or could, of what goes on, or of what staff have run once more."""
        entry, first = self.entries.get(source), self.challenger
        if first is not None and source == (first.author_id, first.normalised_sha256):
            return True
        worthy = entry is not None and entry.speedup_low > self.bar
        return worthy or self.goes_on(source) or self.runs[source].confirmation is Confirmation.CONFIRMED

    def goes_on(self, source: Source) -> bool:
        """Whether what has counted runs is brought to its end: its author's entry always, another while it can still take the record."""
        found = self.runs[source]
        low = found.low()
        if low is None or source in self.entries:
            return low is not None
        stands = eligible_evaluations(competition_id=self.competition_id).filter(pk__in=[run.evaluation.pk for run in found.counted_runs])
        return low > self.bar and stands.exists() and Op.objects.active().filter(pk=self.op).exists()


def confirm(op: str, device: str, competition_id: int | None = None) -> list[Entry]:
    """Hand in what confirming runs of the board are due; the entries whose confirmation begins with it. The caller holds the board's lock.

    A process of an epoch before the standing record's has nothing to say here, nor one of an epoch before a competition's entries.
    """
    if competition_id is None:
        later = Record.objects.newer().filter(op_id=op, device_id=device).exists()
    else:
        later = Entry.objects.filter(competition=competition_id, epoch__gt=EPOCH).exists()
    if later:
        return []
    board = Board(op, device, competition_id)
    return [entry for wanted in board.wanted() for entry in _hand_in(wanted, op, device, competition_id)]


def challenger(op: str, device: str) -> Entry | None:
    """The first of a board that is not confirmed and would take the record if it were."""
    return _worthy().on(op, device).best_first().first()


def bar_of(op: str, device: str) -> float:
    """What the lower end of an interval must lie above to take the record of the board. Nothing takes that of an op that is not there."""
    found = Op.objects.filter(pk=op).annotate(bar=_bar(Value(op), Value(device))).values_list("bar", flat=True).first()
    return math.inf if found is None else float(found)


def due() -> list[tuple[str, str, int]]:
    """Op, device and author of whatever lacks a run, or an entry that says less than the runs do. Four queries."""
    key = ("op_id", "device_id", "author_id")
    first = _worthy().order_by("op_id", "device_id", "-speedup", "achieved_at", "pk").distinct("op_id", "device_id")
    begun = Q(confirmation=Confirmation.PROVISIONAL, confirming_runs__gt=0) | Q(confirmation=Confirmation.CONFIRMING)
    underway = Evaluation.objects.filter(purpose=Purpose.CONFIRMING, submission__competition=None).exclude(state=State.DONE).order_by()
    found = {*first.values_list(*key), *Entry.objects.candidates().filter(begun).order_by().values_list(*key), *_left_behind()}
    return sorted(found - set(underway.values_list("op", "device", "author_id")))


def boards_with_waiting_runs() -> list[tuple[str, str, int | None]]:
    """Op, device and competition of every confirming run that nobody works on yet."""
    board = ("op", "device", "submission__competition")
    return list(_waiting().order_by(*board).values_list(*board).distinct())


def useless(op: str, device: str, competition_id: int | None = None) -> list[str]:
    """Waiting runs of a board from which nothing follows any more: of sources that their author has left behind, others beaten or staff
    hidden.
    """
    board = Board(op, device, competition_id)
    rows = _waiting().filter(op=op, device=device, submission__competition=competition_id).order_by("queued_at", "pk")
    found = rows.values_list("pk", "author_id", "submission__normalised_sha256", "submission__hidden_at")
    return [
        pk for pk, author, sha, hidden in found if hidden is not None or ((author, sha) in board.runs and not board.needs((author, sha)))
    ]


def _hand_in(wanted: Wanted, op: str, device: str, competition_id: int | None) -> list[Entry]:
    """Hand it in, unless too many were tried or it cannot be judged any more. Its entry, where it does not say so yet."""
    author, sha = wanted.source
    lately = timezone.now() - timedelta(hours=1)
    tried = Evaluation.objects.filter(op=op, device=device, author_id=author, purpose=Purpose.CONFIRMING, queued_at__gt=lately)
    if tried.filter(submission__normalised_sha256=sha, submission__competition=competition_id).count() >= MOST_AN_HOUR:
        return []
    evaluation = Evaluation.objects.light().select_related("submission").get(pk=wanted.evaluation_id)
    try:
        check_judged_still(evaluation)
    except IntakeError:
        return []
    again(evaluation, Purpose.CONFIRMING)
    own = Entry.objects.on(op, device).filter(competition=competition_id, author_id=author, interpreted=False, epoch=EPOCH)
    begins = list(own.filter(normalised_sha256=sha).exclude(confirmation=Confirmation.CONFIRMING))
    for entry in begins:
        entry.confirmation = Confirmation.CONFIRMING
        entry.save(update_fields=["confirmation"])
    return begins


def _waiting() -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(purpose=Purpose.CONFIRMING, state__in=NOT_BEGUN)


def _worthy() -> EntryQuerySet:
    """Candidates that are not confirmed and would take the record if they were.

    A tie takes nothing, and whoever is alone on a board and as fast as torch has beaten nobody.
    """
    unconfirmed = Entry.objects.candidates().exclude(confirmation=Confirmation.CONFIRMED)
    return unconfirmed.annotate(bar=_bar(OuterRef("op_id"), OuterRef("device_id"))).filter(speedup_low__gt=F("bar"))


def _bar(op: Expression | F, device: Expression | F) -> Expression:
    """The upper end of the record's interval where one stands, else the lesser of torch eager and the least upper end on the board."""
    record = Record.objects.current().filter(op_id=op, device_id=device).values("speedup_high")[:1]
    compiled = Entry.objects.ranked().filter(op_id=op, device_id=device, interpreted=False)
    slowest = compiled.order_by("speedup_high").values("speedup_high")[:1]
    least = Least(Value(AS_FAST_AS_TORCH), Subquery(slowest), output_field=FloatField())
    return Coalesce(Subquery(record), least, output_field=FloatField())


def _left_behind() -> list[tuple[str, str, int]]:
    """Op, device and author of sources with some counted runs, none that refuses them, and no entry, that can still take the record."""
    source = ("op", "device", "author_id", "submission__normalised_sha256")
    of_it: dict[str, OuterRef] = {name: OuterRef(name) for name in source}
    entry = Entry.objects.filter(
        op_id=OuterRef("op"),
        device_id=OuterRef("device"),
        author_id=OuterRef("author_id"),
        normalised_sha256=OuterRef("submission__normalised_sha256"),
        competition=None,
        epoch=EPOCH,
    )
    refused = Evaluation.objects.filter(refuses(), epoch=EPOCH, submission__competition=None, **of_it)
    runs = eligible_evaluations().filter(counts(), ~Exists(entry), ~Exists(refused))
    sources = runs.order_by().values(*source).annotate(counted=Count("pk"), low=Median("speedup_low"))
    able = sources.filter(counted__lt=CONFIRMING_RUNS, low__gt=_bar(OuterRef("op"), OuterRef("device")))
    return [(row["op"], row["device"], row["author_id"]) for row in able]
