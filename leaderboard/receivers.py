"""What the leaderboard does when an evaluation ends, in the transaction that ends it."""

from __future__ import annotations

from evaluator.contract import JSON, Flag
from leaderboard import entries
from leaderboard.eligibility import eligible
from leaderboard.entries import Change
from leaderboard.models import Entry
from leaderboard.ranking import place_of
from submissions import events
from submissions.models import Evaluation
from submissions.streams import FEED, board_stream


def on_evaluation_done(sender: object, *, evaluation: Evaluation, **kwargs: object) -> None:
    """Bring the author's entry up to date and tell the board's readers; the feed hears of new and improved entries only."""
    if not Evaluation.objects.filter(eligible(), pk=evaluation.pk).exists():
        return
    in_interpreter = str(Flag.INTERPRETED) in evaluation.flags
    entry, change = entries.refresh(evaluation.op, evaluation.device, evaluation.author_id, in_interpreter=in_interpreter)
    if entry is None or change is Change.NONE:
        return
    data = _entry_json(entry, change)
    events.append(board_stream(entry.op_id, entry.device_id), "entry", data)
    if change in (Change.NEW, Change.IMPROVED):
        events.append(FEED, "entry", {"op": entry.op_id, "device": entry.device_id, **data})


def _entry_json(entry: Entry, change: Change) -> dict[str, JSON]:
    place = place_of(entry)
    return {
        "change": str(change),
        "author": entry.author.get_username(),
        "evaluation": entry.evaluation_id,
        "submission": entry.evaluation.submission_id,
        "kernel_type": entry.evaluation.submission.kernel_type,
        "speedup": entry.speedup,
        "speedup_low": entry.speedup_low,
        "speedup_high": entry.speedup_high,
        "time_us": entry.time_us,
        "rank": place.rank if place else None,
        "interpreted": entry.interpreted,
    }
