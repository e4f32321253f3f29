"""Have a kernel profiled: a further evaluation of its submission, in mode `profile`, on the device of one that is done."""

from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from evaluator.contract import Mode, State, Verdict
from submissions.access import Reader, access_evaluation, may_rerun
from submissions.intake import add_evaluations
from submissions.intake_errors import IntakeError
from submissions.models import Evaluation, Purpose
from submissions.quota import check_quota, one_at_a_time
from submissions.rerun import check_judged_still

WORTH_A_LOOK = frozenset({Verdict.ACCEPTED, Verdict.SUSPECT})


def may_profile(user: Reader, evaluation: Evaluation) -> bool:
    """Whether `user` is offered a profile of this result: it is theirs, it is right, and nobody has profiled it there."""
    return worth_a_look(evaluation) and may_rerun(user, evaluation) and not _profiles(evaluation).exists()


def worth_a_look(evaluation: Evaluation) -> bool:
    return evaluation.state == State.DONE and evaluation.mode != Mode.PROFILE and evaluation.verdict in WORTH_A_LOOK


def ask_for_profile(user: Reader, evaluation_id: str) -> Evaluation:
    """The evaluation that profiles it, queued now or before. An author's counts in their quota, as a rerun does.

    Raises `Http404` for one that `user` may not see, `PermissionDenied` for one that is not theirs, `IntakeError` when it is not right, not
    done or cannot be judged any more, and its child `QuotaError`.
    """
    seen = access_evaluation(user, evaluation_id)
    if not may_rerun(user, seen) or not isinstance(user, AbstractBaseUser):
        raise PermissionDenied("Only its author may have a kernel profiled.")
    if not worth_a_look(seen):
        raise IntakeError({"evaluation": ["Only a result that is done and right can be profiled, and no profile."]})
    check_judged_still(seen)
    with transaction.atomic():
        one_at_a_time(seen.author)
        if (earlier := _profiles(seen).order_by("-queued_at").first()) is not None:
            return earlier
        purpose = Purpose.RERUN
        if user.pk == seen.author_id:
            check_quota(user, 1)
        else:
            purpose = Purpose.HOUSE
        return add_evaluations(seen.submission, (seen.device,), replace(seen.terms, mode=Mode.PROFILE, seed=None), purpose)[0]


def _profiles(evaluation: Evaluation) -> QuerySet[Evaluation]:
    """Profiles of the same submission on the same device that are right, or still under way."""
    same = Evaluation.objects.filter(submission_id=evaluation.submission_id, device=evaluation.device, mode=Mode.PROFILE)
    return same.exclude(state=State.DONE) | same.filter(verdict__in=WORTH_A_LOOK)
