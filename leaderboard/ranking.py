"""The rows of a board, in the order and with the ranks that pages, API and CLI all show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import AnonymousUser

from evaluator.baselines.names import TORCH_EAGER
from evaluator.contract import EPOCH
from leaderboard.bands import Interval, Place, places
from leaderboard.baselines import BaselineRow, rows_of, with_eager
from leaderboard.models import Entry
from leaderboard.scope import EVERYBODY, Scope
from submissions.access import is_author_or_staff, may_read_source
from submissions.confirming import Confirmation, why_not_confirmed
from submissions.models import Evaluation
from submissions.readers import Reader

AuthorKind = Literal["human", "bot"]


@dataclass(frozen=True, slots=True)
class Row:
    """One entry as it stands on a board. Times in microseconds; `agent` names the bot that handed it in, empty for a person.

    `rank` and `band` are None for what stands apart because it is not confirmed; `why` says why then, and `stopped_by` is the confirming
    run that refused it, if one did. `runs` counts all, `confirming_runs` those that confirm.
    """

    rank: int | None
    band: int | None
    band_size: int
    entry: int
    evaluation: str
    submission: str
    author: str
    author_id: int
    agent: str
    kernel_type: str
    time_us: float
    time_error_us: float | None
    speedup: float
    speedup_low: float
    speedup_high: float
    cases: int
    cases_won: int
    sol_share: float | None
    runs: int
    confirmed: bool
    confirmation: str
    confirming_runs: int
    stopped_by: Evaluation | None
    interpreted: bool
    visibility: str
    may_read_source: bool
    is_mine: bool
    at: datetime
    why: str = ""
    kind: str = "entry"

    @property
    def tied(self) -> bool:
        return self.band_size > 1


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard. `rows` and `interpreted` are ranked apart; a filter hides rows and leaves ranks as they are.

    `not_confirmed` have no rank: the site ran them again, and could not confirm them. Nor have `baselines`; torch_eager comes first.
    `standing` counts all entries before filters. All entries are of one `epoch`.
    """

    op: str
    device: str
    rows: tuple[Row, ...] = ()
    interpreted: tuple[Row, ...] = ()
    not_confirmed: tuple[Row, ...] = ()
    baselines: tuple[BaselineRow, ...] = ()
    standing: int = 0
    epoch: int = EPOCH
    kernel_types: tuple[str, ...] = field(default=())
    agents: tuple[str, ...] = field(default=())
    competition: str | None = None

    @property
    def baseline(self) -> BaselineRow | None:
        """The `torch_eager` row, where it has a time."""
        return next((row for row in self.baselines if row.name == TORCH_EAGER and row.has_figures), None)


def board(
    op: str,
    device: str,
    *,
    viewer: Reader | None = None,
    kernel_type: str | None = None,
    mine: bool = False,
    author_kind: AuthorKind | None = None,
    agent: str = "",
    baselines: bool = True,
    epoch: int = EPOCH,
    scope: Scope = EVERYBODY,
) -> Board:
    """The board of an op on a device as `viewer` may see it, in two queries. An unknown op or device gives an empty board.

    Boards of earlier epochs stay as they were. `scope` is what the viewer may see (`leaderboard/scope.py`).
    """
    reader = viewer or AnonymousUser()
    entries = list(Entry.objects.eligible(epoch, scope.competition_id).on(op, device).for_rows().best_first())
    believed = [entry for entry in entries if entry.confirmation != Confirmation.NOT_CONFIRMED]
    compiled = _ranked((entry for entry in believed if not entry.interpreted), reader, scope)
    interpreted = _ranked((entry for entry in believed if entry.interpreted), reader, scope)
    apart = [_row(entry, None, reader, scope) for entry in entries if entry.confirmation == Confirmation.NOT_CONFIRMED]
    beside = [entry.baseline_us for entry in entries if entry.baseline_us is not None]

    def wanted(row: Row) -> bool:
        return (
            (not kernel_type or row.kernel_type == kernel_type)
            and (not mine or row.is_mine)
            and (author_kind is None or (author_kind == "bot") == bool(row.agent))
            and (not agent or row.agent == agent)
            and scope.shows(row.author_id)
        )

    return Board(
        op=op,
        device=device,
        rows=tuple(filter(wanted, compiled)),
        interpreted=tuple(filter(wanted, interpreted)),
        not_confirmed=tuple(filter(wanted, apart)),
        baselines=with_eager(rows_of(op, device, epoch), beside) if baselines else (),
        standing=len(entries),
        epoch=epoch,
        competition=scope.competition.slug if scope.competition else None,
        kernel_types=tuple(sorted({row.kernel_type for row in (*compiled, *interpreted, *apart)})),
        agents=tuple(sorted({row.agent for row in (*compiled, *interpreted, *apart) if row.agent})),
    )


def epochs_of(op: str, device: str, scope: Scope = EVERYBODY) -> tuple[int, ...]:
    """The epochs in which the board has entries, and the present one, newest first."""
    found = Entry.objects.eligible(None, scope.competition_id).on(op, device).order_by().values_list("epoch", flat=True).distinct()
    return tuple(sorted({*found, EPOCH}, reverse=True))


def place_of(entry: Entry) -> Place | None:
    """Where an entry stands on its board now, None when it has no rank there."""
    beside = Entry.objects.ranked(entry.epoch, entry.competition_id).on(entry.op_id, entry.device_id)
    ranked = beside.filter(interpreted=entry.interpreted).best_first()
    figures = list(ranked.values_list("pk", "speedup", "speedup_low", "speedup_high"))
    found = places([Interval(*numbers) for _, *numbers in figures])
    return next((place for (pk, *_), place in zip(figures, found, strict=True) if pk == entry.pk), None)


def may_read_entry(reader: Reader, entry: Entry, scope: Scope) -> bool:
    """`may_read_source` without a query for each row: the scope knows whether its competition has opened what stands there."""
    if scope.competition is not None:
        return scope.sources_are_open or is_author_or_staff(reader, entry.author_id)
    return may_read_source(reader, entry.evaluation.submission)


def _ranked(entries: Iterable[Entry], reader: Reader, scope: Scope) -> list[Row]:
    best_first = list(entries)
    found = places([entry.interval for entry in best_first])
    return [_row(entry, place, reader, scope) for entry, place in zip(best_first, found, strict=True)]


def _row(entry: Entry, place: Place | None, reader: Reader, scope: Scope) -> Row:
    submission = entry.evaluation.submission
    return Row(
        rank=place.rank if place else None,
        band=place.band if place else None,
        band_size=place.band_size if place else 1,
        entry=entry.pk,
        evaluation=entry.evaluation_id,
        submission=submission.pk,
        author=entry.author.get_username(),
        author_id=entry.author_id,
        agent=submission.agent,
        kernel_type=submission.kernel_type,
        time_us=entry.time_us,
        time_error_us=entry.time_error_us,
        speedup=entry.speedup,
        speedup_low=entry.speedup_low,
        speedup_high=entry.speedup_high,
        cases=entry.cases,
        cases_won=entry.cases_won,
        sol_share=entry.sol_share,
        runs=entry.runs,
        confirmed=entry.confirmed,
        confirmation=entry.confirmation,
        confirming_runs=entry.confirming_runs,
        stopped_by=entry.stopped_by,
        interpreted=entry.interpreted,
        visibility=submission.visibility,
        may_read_source=may_read_entry(reader, entry, scope),
        is_mine=reader.is_authenticated and reader.pk == entry.author_id,
        at=entry.achieved_at,
        why="" if place else why_not_confirmed(entry.stopped_by),
    )
