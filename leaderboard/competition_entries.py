"""Keep the boards of competitions up to date: entries as on the open boards, told to those alone who may see the competition."""

from __future__ import annotations

from evaluator.contract import EPOCH, Flag
from leaderboard import entries
from leaderboard.models import Entry
from leaderboard.news import Change, tell_competition
from submissions.models import Evaluation


def on_done(evaluation: Evaluation) -> None:
    """An evaluation of a submission to a competition has ended; its entry follows. Whatever the verdict: an entry may have to leave."""
    competition_id = evaluation.submission.competition_id
    assert competition_id is not None
    refresh_and_tell(
        competition_id,
        evaluation.op,
        evaluation.device,
        evaluation.author_id,
        in_interpreter=str(Flag.INTERPRETED) in evaluation.flags,
        epoch=evaluation.epoch,
    )


def refresh_and_tell(competition_id: int, op: str, device: str, author_id: int, *, in_interpreter: bool, epoch: int = EPOCH) -> Change:
    """Refresh an entry inside the caller's transaction, and tell whoever watches the competition."""
    _, change = entries.refresh(op, device, author_id, in_interpreter=in_interpreter, epoch=epoch, competition_id=competition_id)
    if change is not Change.NONE:
        tell_competition(competition_id, op, device, change)
    return change


def rebuild() -> list[Change]:
    """Derive every entry of every competition again."""
    runs = Evaluation.objects.filter(submission__competition__isnull=False).order_by()
    names = ("submission__competition", "op", "device", "author_id", "flags", "epoch")
    wanted = {(*key, str(Flag.INTERPRETED) in flags, epoch) for *key, flags, epoch in runs.values_list(*names).distinct()}
    standing = Entry.objects.filter(competition__isnull=False)
    wanted |= set(standing.values_list("competition_id", "op_id", "device_id", "author_id", "interpreted", "epoch"))
    return [
        refresh_and_tell(competition_id, op, device, author_id, in_interpreter=flag, epoch=epoch)
        for competition_id, op, device, author_id, flag, epoch in sorted(wanted)
    ]
