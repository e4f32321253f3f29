"""Who may see and do what: the only door to submissions and evaluations for views, API and sockets.

Public: all may see everything. Result: all may see results, only the author the source. Private: only the author sees it at all.
Staff see all. What a reader may not see does not exist for them (404, so that ids cannot be probed).
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404

from evaluator.contract import State
from submissions.models import Evaluation, Submission, Visibility

Reader = AbstractBaseUser | AnonymousUser


def visible_submissions(user: Reader) -> QuerySet[Submission]:
    """The submissions whose results `user` may see."""
    return Submission.objects.filter(_visible(user, ""))


def visible_evaluations(user: Reader) -> QuerySet[Evaluation]:
    """The evaluations whose results `user` may see, with submission and author at hand."""
    return Evaluation.objects.filter(_visible(user, "submission__")).select_related("submission", "author")


def access_submission(user: Reader, submission_id: str) -> Submission:
    """The submission, if `user` may see it. Raises `Http404`."""
    submission = visible_submissions(user).select_related("author").filter(pk=submission_id).first()
    if submission is None:
        raise Http404(f"There is no submission {submission_id!r}, or it is private.")
    return submission


def access_evaluation(user: Reader, evaluation_id: str) -> Evaluation:
    """The evaluation, if `user` may see it. Raises `Http404`."""
    evaluation = visible_evaluations(user).filter(pk=evaluation_id).first()
    if evaluation is None:
        raise Http404(f"There is no evaluation {evaluation_id!r}, or it is private.")
    return evaluation


def may_read_source(user: Reader, submission: Submission) -> bool:
    return submission.visibility == Visibility.PUBLIC or _is_author_or_staff(user, submission.author_id)


def may_read_log(user: Reader, evaluation: Evaluation) -> bool:
    """The log can hold source lines, so it follows the source."""
    return may_read_source(user, evaluation.submission)


def may_cancel(user: Reader, evaluation: Evaluation) -> bool:
    return evaluation.state != State.DONE and _is_author_or_staff(user, evaluation.author_id)


def _is_author_or_staff(user: Reader, author_id: int) -> bool:
    return user.is_authenticated and (user.pk == author_id or bool(getattr(user, "is_staff", False)))


def _visible(user: Reader, prefix: str) -> Q:
    public = ~Q(**{f"{prefix}visibility": Visibility.PRIVATE.value})
    if not user.is_authenticated:
        return public
    if getattr(user, "is_staff", False):
        return Q()
    return public | Q(author_id=user.pk)
