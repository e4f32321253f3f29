"""A suite of four ops, small and apart from the catalogue, and evaluations of them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from evaluator.contract import Verdict
from leaderboard.catalogue import ensure_device
from leaderboard.models import Op
from leaderboard.suites import Suite, suites
from submissions.models import Evaluation
from tests.leaderboard.conftest import finish_evaluation

OPS = ("trial/a", "trial/b", "trial/c", "trial/d")


def make_trial() -> Suite:
    """The suite `trial` on `cpu` and `h100`."""
    for position, slug in enumerate(OPS):
        Op.objects.create(
            slug=slug, title=slug.upper(), signature=f"{slug[-1]}(x)", precision="ieee_fp32", suites=["trial"], position=position
        )
    for device in ("cpu", "h100"):
        ensure_device(device)
    return suites()["trial"]


def ended(author: User, op: str, speedup: float = 1.2, *, score: float | None = None, **options: Any) -> Evaluation:
    """An evaluation of the suite that is done; `score` is the share of cases that passed, where it is not accepted."""
    options.setdefault("audited", False)
    if score is not None:
        options.setdefault("verdict", Verdict.WRONG_RESULT)
    evaluation = finish_evaluation(author, speedup, op=op, **({"device": "h100"} | options))
    if score is not None:
        Evaluation.objects.filter(pk=evaluation.pk).update(correctness_score=score)
    return evaluation
