"""Who leads a board of a competition and is to be confirmed.

A competition has no record that one could take, so whoever leads is run again once somebody else stands on the board: who is alone there
has won nothing that needs confirming. Whoever is overtaken meanwhile gets no more runs, unless one has counted already.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from evaluator.contract import State
from leaderboard.bands import AS_FAST_AS_TORCH
from leaderboard.eligibility import EACH
from leaderboard.entry_queries import EntryQuerySet
from leaderboard.models import Entry
from submissions.confirming import Confirmation
from submissions.models import Evaluation, Purpose

LOOKED_AFTER = timedelta(days=14)
"""So long after its closing the leaders of a competition are still confirmed."""


def challenger(competition_id: int, op: str, device: str) -> Entry | None:
    """The leader of a board, if it is to be confirmed."""
    return _to_confirm(Entry.objects.candidates(competition_id).on(op, device).best_first()[:1]).first()


def due() -> list[tuple[str, str, int, int]]:
    """Op, device, author and competition of whatever lacks a run, of competitions that have not been closed for long. Three queries."""
    board = ("competition_id", "op_id", "device_id")
    key = ("op_id", "device_id", "author_id", "competition_id")
    able = Entry.objects.candidates(EACH).filter(competition__closes_at__gt=timezone.now() - LOOKED_AFTER)
    leaders = able.order_by(*board, "-speedup", "achieved_at", "pk").distinct(*board)
    begun = Q(confirmation=Confirmation.PROVISIONAL, confirming_runs__gt=0) | Q(confirmation=Confirmation.CONFIRMING)
    running = Evaluation.objects.filter(purpose=Purpose.CONFIRMING, submission__competition__isnull=False).exclude(state=State.DONE)
    underway = set(running.order_by().values_list("op", "device", "author_id", "submission__competition"))
    found = {*_to_confirm(leaders).order_by().values_list(*key), *able.filter(begun).order_by().values_list(*key)}
    return sorted((op, device, author, pk) for op, device, author, pk in found - underway if pk is not None)


def _to_confirm(leaders: EntryQuerySet) -> EntryQuerySet:
    """Those of them that are not confirmed and beat torch eager or somebody else beyond the error, where somebody else stands."""
    same_board = {name: OuterRef(name) for name in ("competition", "op", "device")}
    others = Entry.objects.ranked(competition_id=EACH).filter(interpreted=False, **same_board).exclude(author=OuterRef("author"))
    slower = others.filter(speedup_high__lt=OuterRef("speedup_low"))
    unconfirmed = Entry.objects.filter(pk__in=leaders.values("pk")).exclude(confirmation=Confirmation.CONFIRMED)
    return unconfirmed.filter(Exists(slower) | (Q(speedup_low__gt=AS_FAST_AS_TORCH) & Exists(others)))
