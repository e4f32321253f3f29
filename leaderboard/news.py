"""What readers of a board, and of the feed, are told of an entry."""

from __future__ import annotations

import enum

from evaluator.contract import JSON
from leaderboard.models import Entry
from leaderboard.ranking import place_of
from submissions import events
from submissions.models import Evaluation
from submissions.streams import FEED, board_stream, competition_stream


class Change(enum.StrEnum):
    """What a refresh did to an entry."""

    NONE = "none"
    NEW = "new"
    IMPROVED = "improved"
    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"
    CHANGED = "changed"
    REMOVED = "removed"


FOR_THE_FEED = (Change.NEW, Change.IMPROVED, Change.CONFIRMED)


def tell(entry: Entry, change: Change) -> None:
    """Append the events, inside the caller's transaction. Of a competition's entry nobody hears who may not see the competition."""
    if entry.competition_id is not None:
        tell_competition(entry.competition_id, entry.op_id, entry.device_id, change)
        return
    data = _entry_json(entry, change)
    events.append(board_stream(entry.op_id, entry.device_id), "entry", data)
    if change in FOR_THE_FEED:
        events.append(FEED, "entry", {"op": entry.op_id, "device": entry.device_id, **data})


def tell_competition(competition_id: int, op: str, device: str, change: Change) -> None:
    """A hint without figures: whoever hears it asks again."""
    events.append(competition_stream(competition_id), "entry", {"op": op, "device": device, "change": str(change)})


def _entry_json(entry: Entry, change: Change) -> dict[str, JSON]:
    place = place_of(entry)
    shown = Evaluation.objects.filter(pk=entry.evaluation_id).values_list("submission_id", "submission__kernel_type")
    submission, kernel_type = shown.get()
    return {
        "change": str(change),
        "author": entry.author.get_username(),
        "evaluation": entry.evaluation_id,
        "submission": submission,
        "kernel_type": kernel_type,
        "speedup": entry.speedup,
        "speedup_low": entry.speedup_low,
        "speedup_high": entry.speedup_high,
        "time_us": entry.time_us,
        "rank": place.rank if place else None,
        "interpreted": entry.interpreted,
        "confirmation": str(entry.confirmation),
    }
