"""What the leaderboard does when an evaluation ends, in the transaction that ends it."""

from __future__ import annotations

from evaluator.contract import EPOCH, Flag
from leaderboard import competition_entries, entries
from leaderboard.eligibility import eligible
from leaderboard.news import Change, tell
from submissions.models import Evaluation, Purpose


def on_evaluation_done(sender: object, *, evaluation: Evaluation, **kwargs: object) -> None:
    """Bring the author's entry up to date and tell the board's readers. A confirming run counts however it ended."""
    if evaluation.submission.competition_id is not None:
        competition_entries.on_done(evaluation)
        return
    stands = Evaluation.objects.filter(eligible(epoch=None), pk=evaluation.pk).exists()
    if not stands and evaluation.purpose != Purpose.CONFIRMING:
        return
    in_interpreter = str(Flag.INTERPRETED) in evaluation.flags
    if evaluation.epoch == EPOCH:
        refresh_and_tell(evaluation.op, evaluation.device, evaluation.author_id, in_interpreter=in_interpreter)
    else:
        entries.refresh(evaluation.op, evaluation.device, evaluation.author_id, in_interpreter=in_interpreter, epoch=evaluation.epoch)


def refresh_and_tell(op: str, device: str, author_id: int, *, in_interpreter: bool) -> None:
    """Refresh an entry of the present epoch inside the caller's transaction."""
    entry, change = entries.refresh(op, device, author_id, in_interpreter=in_interpreter)
    if entry is not None and change is not Change.NONE:
        tell(entry, change)
