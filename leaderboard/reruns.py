"""Run the top of boards again: the site's own evaluations, so that the board of a new epoch fills itself, or figures are made anew."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from evaluator.contract import EPOCH, State
from leaderboard.locks import lock_board
from leaderboard.models import Entry
from submissions.confirming import Confirmation
from submissions.intake_errors import IntakeError
from submissions.models import HOUSE, Evaluation, Purpose
from submissions.rerun import again, check_judged_still


@dataclass(frozen=True, slots=True)
class Rerun:
    """What became of one entry. `epoch` is the entry's; `evaluation` the new one, or the one that waits already; `why` it was left out."""

    op: str
    device: str
    place: int
    author: str
    interpreted: bool
    epoch: int
    speedup: float
    of: str
    evaluation: str = ""
    waits_already: bool = False
    why: str = ""


def rerun_top(count: int, *, ops: Sequence[str] = (), device: str = "") -> list[Rerun]:
    """Hand in one evaluation of each of the `count` best entries of every board, of these ops and this device alone where they are given.

    Each author stands with the entry of the newest epoch in which he has one; interpreted entries are counted apart. Whatever of the
    house's waits or runs already is not handed in again. An entry that is confirmed gets one more confirming run, because no other run
    moves its figures. One that is not confirmed comes last; where too many runs did not count, an accepted one of these begins anew.
    """
    found = []
    for (op, slug), entries in sorted(_boards(ops, device).items()):
        with transaction.atomic():
            lock_board(op, slug)
            found += [_rerun(place, entry) for place, entry in _top(entries, count)]
    return found


def _boards(ops: Sequence[str], device: str) -> dict[tuple[str, str], list[Entry]]:
    entries = Entry.objects.eligible(None).filter(op__active=True).for_rows()
    if ops:
        entries = entries.filter(op__in=ops)
    if device:
        entries = entries.filter(device_id=device)
    boards: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries.order_by("-epoch", "-speedup", "achieved_at", "pk"):
        boards[entry.op_id, entry.device_id].append(entry)
    return boards


def _top(newest_first: Iterable[Entry], count: int) -> list[tuple[int, Entry]]:
    """The best of a board's authors, compiled and interpreted ones apart, each with his place."""
    newest: dict[tuple[bool, int], Entry] = {}
    for entry in newest_first:
        newest.setdefault((entry.interpreted, entry.author_id), entry)
    chosen = []
    for interpreted in (False, True):
        ranked = sorted((e for (apart, _), e in newest.items() if apart is interpreted), key=_place)
        chosen += list(enumerate(ranked[:count], start=1))
    return chosen


def _place(entry: Entry) -> tuple[bool, float]:
    """As on the board: what is not confirmed comes last."""
    return entry.confirmation == Confirmation.NOT_CONFIRMED, -entry.speedup


def _rerun(place: int, entry: Entry) -> Rerun:
    def said(evaluation: str = "", *, waits_already: bool = False, why: str = "") -> Rerun:
        author, of = entry.author.get_username(), entry.evaluation_id
        facts = (entry.op_id, entry.device_id, place, author, entry.interpreted, entry.epoch, entry.speedup, of)
        return Rerun(*facts, evaluation=evaluation, waits_already=waits_already, why=why)

    own = Evaluation.objects.filter(op=entry.op_id, device=entry.device_id, author_id=entry.author_id, purpose__in=HOUSE)
    going = own.filter(submission__normalised_sha256=entry.normalised_sha256, submission__competition=None).exclude(state=State.DONE)
    if (waiting := going.values_list("pk", flat=True).first()) is not None:
        return said(waiting, waits_already=True)
    try:
        check_judged_still(entry.evaluation)
    except IntakeError as error:
        return said(why=" ".join(sentence for sentences in error.errors.values() for sentence in sentences))
    purpose = Purpose.CONFIRMING if entry.confirmed and entry.epoch == EPOCH else Purpose.HOUSE
    return said(again(entry.evaluation, purpose).pk)
