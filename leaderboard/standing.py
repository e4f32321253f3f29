"""A board as one result sees it: its own place, whom it should be compared with, and the baselines."""

from __future__ import annotations

from evaluator.baselines.names import TORCH_EAGER
from evaluator.contract import Flag
from leaderboard.bands import Interval, places
from leaderboard.baselines import rows_of
from leaderboard.eligibility import why_ineligible
from leaderboard.models import Entry, Record
from submissions.models import Evaluation
from submissions.pages.beside import Baseline, Board, Other, Place

_COLUMNS = (
    "speedup",
    "speedup_low",
    "speedup_high",
    "normalised_sha256",
    "achieved_at",
    "confirmation",
    "author",
    "author__username",
    "evaluation",
    "evaluation__submission_id",
)


class Standings:
    """The boards of this site, for the result page; of what was handed in to a competition that one's."""

    def around(self, evaluation: Evaluation) -> Board:
        """Of the evaluation's own epoch, among compiled or among interpreted entries as it is itself. Three queries."""
        interpreted = Flag.INTERPRETED in evaluation.flags
        entries = list(_entries(evaluation, interpreted=interpreted))
        ranked = places([entry.interval for entry in entries])
        own = _own(entries, evaluation)
        place = None
        if own is not None:
            at = ranked[own]
            confirmation = "" if interpreted else entries[own].confirmation
            place = Place(at.rank, len(entries), at.band_size - 1, _holds_record(evaluation), confirmation)
        baselines = [] if interpreted else rows_of(evaluation.op, evaluation.device, evaluation.epoch)
        return Board(
            place,
            tuple(_others(entries, own, evaluation)),
            tuple(
                Baseline(row.name, row.speedup, row.speedup_low, row.speedup_high, row.stale)
                for row in baselines
                if row.speedup is not None and row.name != TORCH_EAGER
            ),
        )

    def why_unranked(self, evaluation: Evaluation) -> str:
        return why_ineligible(evaluation)


def _holds_record(evaluation: Evaluation) -> bool:
    if evaluation.submission.competition_id is not None:
        return False
    record = Record.objects.current().filter(op=evaluation.op, device=evaluation.device, author=evaluation.author_id)
    return record.filter(normalised_sha256=evaluation.submission.normalised_sha256).exists()


def _entries(evaluation: Evaluation, *, interpreted: bool) -> list[Entry]:
    board = Entry.objects.ranked(evaluation.epoch, evaluation.submission.competition_id).on(evaluation.op, evaluation.device)
    board = board.filter(interpreted=interpreted)
    return list(board.select_related("author", "evaluation").only(*_COLUMNS).best_first())


def _own(entries: list[Entry], evaluation: Evaluation) -> int | None:
    """The row that the result is part of: of the same author and the same source."""
    source = evaluation.submission.normalised_sha256
    return next((n for n, e in enumerate(entries) if e.author_id == evaluation.author_id and e.normalised_sha256 == source), None)


def _others(entries: list[Entry], own: int | None, evaluation: Evaluation) -> list[Other]:
    """The best of the board, or the next where this is the best; and the author's own entry, where that is another source."""
    found = []
    if own == 0 and len(entries) > 1:
        found.append(_other("next", "next on the board", entries[1]))
    elif own != 0 and entries:
        found.append(_other("best", "best on the board", entries[0]))
    if own is None:
        found += [_other("entry", "the author's entry", entry) for entry in entries[1:] if entry.author_id == evaluation.author_id]
    return found


def _other(kind: str, title: str, entry: Entry) -> Other:
    interval: Interval = entry.interval
    author = entry.author.get_username()
    submission = entry.evaluation.submission_id
    return Other(kind, title, entry.evaluation_id, submission, author, interval.speedup, interval.low, interval.high)
