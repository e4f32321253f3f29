"""Evaluations that are held for review, ended as a worker ends them."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import User
from django.db import transaction

from evaluator.contract import KernelType, Mode, Outcome, Reason, Verdict
from submissions.finish import conclude
from submissions.models import Evaluation, Visibility
from tests.leaderboard.conftest import outcome_of, unfinished

DOUBT = Reason("clocks_disagree", "By its own clock it is 2.0 times as fast, by the judge's 1.1 times.", detail="128x4096: 2.0, 1.1")


def held(
    author: User,
    speedup: float = 1.5,
    *,
    op: str = "softmax",
    source: str | None = None,
    visibility: Visibility = Visibility.PUBLIC,
    mode: Mode = Mode.RANKED,
) -> Evaluation:
    """A new submission whose evaluation ends `suspect`, with its times."""
    return hold(unfinished(author, op=op, source=source, visibility=visibility, mode=mode), speedup)


def hold(evaluation: Evaluation, speedup: float = 1.5) -> Evaluation:
    """End this one so."""
    outcome = outcome_of(evaluation, speedup, 0.01, Verdict.ACCEPTED, (), True)
    return end(evaluation, dataclasses.replace(outcome, verdict=Verdict.SUSPECT, reasons=(DOUBT,)))


def accept(evaluation: Evaluation, speedup: float = 1.5) -> Evaluation:
    """End it as right, unless something holds it."""
    return end(evaluation, outcome_of(evaluation, speedup, 0.01, Verdict.ACCEPTED, (), True))


def end(evaluation: Evaluation, outcome: Outcome) -> Evaluation:
    """By the same way as a worker's `finish`."""
    assert outcome.kernel_type in KernelType
    with transaction.atomic():
        conclude(evaluation, outcome)
    return Evaluation.objects.select_related("submission", "author").get(pk=evaluation.pk)
