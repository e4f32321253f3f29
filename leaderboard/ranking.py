"""The rows of a board, in the order and with the ranks that pages, API and CLI all show."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from leaderboard.bands import Interval, Place, places
from leaderboard.models import Entry
from submissions.access import may_read_source

Reader = AbstractBaseUser | AnonymousUser
AuthorKind = Literal["human", "bot"]
BASELINE = "torch_eager"


@dataclass(frozen=True, slots=True)
class Row:
    """One entry as it stands on a board. Times in microseconds; `agent` names the bot that handed it in, empty for a person."""

    rank: int
    band: int
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
    interpreted: bool
    visibility: str
    may_read_source: bool
    is_mine: bool
    at: datetime

    @property
    def tied(self) -> bool:
        return self.band_size > 1


@dataclass(frozen=True, slots=True)
class Baseline:
    """The `torch_eager` row: median over the board's entries of the time measured beside each of them."""

    name: str
    time_us: float
    measured: int
    speedup: float = 1.0


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard. `rows` and `interpreted` are ranked apart; a filter hides rows and leaves ranks as they are.

    `standing` counts all rows before filters.
    """

    op: str
    device: str
    rows: tuple[Row, ...] = ()
    interpreted: tuple[Row, ...] = ()
    baseline: Baseline | None = None
    standing: int = 0
    kernel_types: tuple[str, ...] = field(default=())


def board(
    op: str,
    device: str,
    *,
    viewer: Reader | None = None,
    kernel_type: str | None = None,
    mine: bool = False,
    author_kind: AuthorKind | None = None,
) -> Board:
    """The board of an op on a device as `viewer` may see it, in one query. An unknown op or device gives an empty board."""
    reader = viewer or AnonymousUser()
    entries = list(Entry.objects.eligible().on(op, device).for_rows().best_first())
    compiled = _ranked((entry for entry in entries if not entry.interpreted), reader)
    interpreted = _ranked((entry for entry in entries if entry.interpreted), reader)

    def wanted(row: Row) -> bool:
        return (
            (not kernel_type or row.kernel_type == kernel_type)
            and (not mine or row.is_mine)
            and (author_kind is None or (author_kind == "bot") == bool(row.agent))
        )

    return Board(
        op=op,
        device=device,
        rows=tuple(filter(wanted, compiled)),
        interpreted=tuple(filter(wanted, interpreted)),
        baseline=_baseline(entries),
        standing=len(entries),
        kernel_types=tuple(sorted({row.kernel_type for row in (*compiled, *interpreted)})),
    )


def place_of(entry: Entry) -> Place | None:
    """Where an entry stands on its board now, None when it may not stand there."""
    ranked = Entry.objects.eligible().on(entry.op_id, entry.device_id).filter(interpreted=entry.interpreted).best_first()
    figures = list(ranked.values_list("pk", "speedup", "speedup_low", "speedup_high"))
    found = places([Interval(*numbers) for _, *numbers in figures])
    return next((place for (pk, *_), place in zip(figures, found, strict=True) if pk == entry.pk), None)


def _ranked(entries: Iterable[Entry], reader: Reader) -> list[Row]:
    best_first = list(entries)
    found = places([Interval(entry.speedup, entry.speedup_low, entry.speedup_high) for entry in best_first])
    return [_row(entry, place, reader) for entry, place in zip(best_first, found, strict=True)]


def _row(entry: Entry, place: Place, reader: Reader) -> Row:
    submission = entry.evaluation.submission
    return Row(
        rank=place.rank,
        band=place.band,
        band_size=place.band_size,
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
        interpreted=entry.interpreted,
        visibility=submission.visibility,
        may_read_source=may_read_source(reader, submission),
        is_mine=reader.is_authenticated and reader.pk == entry.author_id,
        at=entry.achieved_at,
    )


def _baseline(entries: Iterable[Entry]) -> Baseline | None:
    times = [entry.baseline_us for entry in entries if entry.baseline_us is not None]
    return Baseline(name=BASELINE, time_us=statistics.median(times), measured=len(times)) if times else None
