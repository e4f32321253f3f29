"""Run a submission again: the same source on the same device in the same mode, in a fresh process with fresh inputs."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction

from evaluator.build import available_kernel_types
from evaluator.contract import Mode, State
from evaluator.ops.registry import UnknownOp
from evaluator.ops.untimed import why_untimed
from submissions.access import Reader, access_evaluation, may_rerun
from submissions.intake import add_evaluations
from submissions.intake_errors import IntakeError
from submissions.known_ops import find
from submissions.models import Evaluation, Purpose
from submissions.quota import check_quota, one_at_a_time


class NotDoneError(Exception):
    """What is still running is not run again."""


def rerun(user: Reader, evaluation_id: str) -> Evaluation:
    """Queue a rerun of an evaluation that is done. An author's counts in their quota; what staff run of others is the house's own.

    Raises `Http404` for one that `user` may not see, `PermissionDenied` for one that is not theirs, `NotDoneError`, `IntakeError` when it
    cannot be judged any more, and its child `QuotaError`.
    """
    seen = access_evaluation(user, evaluation_id)
    if not may_rerun(user, seen) or not isinstance(user, AbstractBaseUser):
        raise PermissionDenied("Only its author may run an evaluation again.")
    if seen.state != State.DONE:
        raise NotDoneError(f"The evaluation is {seen.state}: it can be run again when it is done.")
    check_judged_still(seen)
    with transaction.atomic():
        if user.pk != seen.author_id:
            return again(seen, Purpose.HOUSE)
        one_at_a_time(user)
        check_quota(user, 1)
        return again(seen, Purpose.RERUN)


def again(evaluation: Evaluation, purpose: Purpose) -> Evaluation:
    """Queue the same once more, inside the caller's transaction."""
    return add_evaluations(evaluation.submission, (evaluation.device,), evaluation.terms, purpose)[0]


def check_judged_still(evaluation: Evaluation) -> None:
    """Ops come and go, and so do builders of kernel types. Raises `IntakeError`."""
    errors: dict[str, list[str]] = {}
    try:
        op = find(evaluation.op)
    except UnknownOp:
        errors["op"] = [f"{evaluation.op} is not offered any more."]
    else:
        if evaluation.mode == Mode.RANKED and (why := why_untimed(op, evaluation.device)):
            errors["mode"] = [f"{why}."]
    if not evaluation.submission.source:
        errors["source"] = ["The source was erased with its author's account."]
    if evaluation.submission.kernel_type not in available_kernel_types():
        errors["kernel_type"] = [f"This site cannot build {evaluation.submission.kernel_type} any more."]
    if errors:
        raise IntakeError(errors)
