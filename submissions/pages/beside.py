"""What stands beside a result: its place on the board, and what it is worth comparing with.

Boards are the leaderboard's, which says so once, at start, by `provide`, as it does for imported ops (`submissions/known_ops.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db.models import F

from evaluator.contract import State, Verdict
from submissions.access import Reader, visible_evaluations
from submissions.competitions.access import competition_of
from submissions.models import Evaluation


@dataclass(frozen=True, slots=True)
class Other:
    """Another result of the same op on the same device. `kind`: `best`, `next`, `entry` (the author's own on the board), `previous`."""

    kind: str
    title: str
    evaluation: str
    submission: str
    author: str
    speedup: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline that was measured for the board, besides torch eager. `low`, `high` are None where the tool's own clock timed it."""

    name: str
    speedup: float
    low: float | None
    high: float | None
    stale: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the source stands on its board. `of` counts the entries there; `tied` others share its rank.

    `confirmation` is that of its entry, "" where none is ever confirmed.
    """

    rank: int
    of: int
    tied: int
    holds_record: bool
    confirmation: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """The board as one result sees it. `place` is None where the result stands on no row of it."""

    place: Place | None = None
    others: tuple[Other, ...] = ()
    baselines: tuple[Baseline, ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """`others` are worth a comparison, each once; `everything` are the ids of this and all of them."""

    place: Place | None
    others: tuple[Other, ...]
    baselines: tuple[Baseline, ...]
    everything: str


class Boards(Protocol):
    """Who keeps the boards."""

    def around(self, evaluation: Evaluation) -> Board: ...

    def why_unranked(self, evaluation: Evaluation) -> str:
        """Why an accepted evaluation may stand on no board, "" where it may."""


class _NoBoards:
    def around(self, evaluation: Evaluation) -> Board:
        return Board()

    def why_unranked(self, evaluation: Evaluation) -> str:
        return ""


_boards: Boards = _NoBoards()


def provide(boards: Boards) -> None:
    """From now on boards are asked of `boards`."""
    global _boards
    _boards = boards


def beside(evaluation: Evaluation, reader: Reader) -> Beside | None:
    """For a result that is timed and counts, else None. Needs the evaluation's submission and author. One query more than the board's.

    Whoever sees their own result in a competition that they have left sees nothing of its board.
    """
    if evaluation.state != State.DONE or evaluation.verdict != Verdict.ACCEPTED or not evaluation.speedup:
        return None
    held = evaluation.submission.competition_id
    board = _boards.around(evaluation) if held is None or competition_of(reader, held) else Board()
    others = [*board.others, *_previous(evaluation, reader)]
    distinct = {other.evaluation: other for other in reversed(others) if other.evaluation != evaluation.pk}
    shown = tuple(other for other in others if distinct.get(other.evaluation) is other)
    return Beside(board.place, shown, board.baselines, ",".join([evaluation.pk, *(other.evaluation for other in shown)]))


def why_unranked(evaluation: Evaluation) -> str:
    """Why what was accepted may stand on no board, "" where it may. No query; needs the evaluation's submission and its competition."""
    return _boards.why_unranked(evaluation)


def _previous(evaluation: Evaluation, reader: Reader) -> Sequence[Other]:
    """What the author had before, by another source, if `reader` may see it."""
    earlier = visible_evaluations(reader).filter(
        author_id=evaluation.author_id,
        op=evaluation.op,
        device=evaluation.device,
        verdict=Verdict.ACCEPTED,
        epoch=evaluation.epoch,
        queued_at__lt=evaluation.queued_at,
        speedup__gt=0,
        speedup_low__isnull=False,
    )
    earlier = earlier.exclude(submission__normalised_sha256=evaluation.submission.normalised_sha256)
    newest = earlier.order_by("-queued_at").annotate(name=F("author__username"))
    rows = newest.values_list("pk", "submission_id", "name", "speedup", "speedup_low", "speedup_high")[:1]
    return [
        Other("previous", "the author's previous", pk, submission, name, speedup, low, high)
        for pk, submission, name, speedup, low, high in rows
        if speedup is not None and low is not None and high is not None
    ]
