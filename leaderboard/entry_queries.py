"""Entries by name of what is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F

from evaluator.contract import EPOCH
from leaderboard.eligibility import eligible
from submissions.confirming import Confirmation
from submissions.models import LARGE

if TYPE_CHECKING:
    from leaderboard.models import Entry  # noqa: F401 (named as text below)


class EntryQuerySet(models.QuerySet["Entry"]):
    """All that boards, pages and confirmations ask for."""

    def eligible(self, epoch: int | None = EPOCH, competition_id: int | F | None = None) -> EntryQuerySet:
        """Entries whose evaluation may stand on a board now (a moderator's decision takes effect at once).

        Those of the evaluator's present epoch; of an earlier one where it is asked for, and of all with None. Of the open boards, of one
        competition's, or with `EACH` of those of all competitions.
        """
        return self.filter(eligible("evaluation__", epoch, competition_id), competition=competition_id)

    def ranked(self, epoch: int | None = EPOCH, competition_id: int | F | None = None) -> EntryQuerySet:
        """Those of them that have a rank: what the site tried to confirm and could not stands apart."""
        return self.eligible(epoch, competition_id).exclude(confirmation=Confirmation.NOT_CONFIRMED)

    def candidates(self, competition_id: int | F | None = None) -> EntryQuerySet:
        """Those that can be confirmed and take a record: compiled, seen by the judge's own clock too, with a rank in the present epoch."""
        return self.ranked(competition_id=competition_id).filter(interpreted=False, audited=True, op__active=True)

    def on(self, op: str, device: str) -> EntryQuerySet:
        return self.filter(op_id=op, device_id=device)

    def best_first(self) -> EntryQuerySet:
        """By speedup; among equals, who had it first."""
        return self.order_by("-speedup", "achieved_at", "pk")

    def for_rows(self) -> EntryQuerySet:
        """With all that a row shows in one query, and without the large columns (outcome, log, source)."""
        large = [f"{path}__{column}" for path in ("evaluation", "stopped_by") for column in LARGE]
        return self.select_related("author", "evaluation__submission", "stopped_by").defer(*large, "evaluation__submission__source")
