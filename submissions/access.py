"""Who may see and do what: the only door to submissions and evaluations for views, API and sockets.

Public: all may see everything. Result: all may see results, only the author the source. Private: only the author sees it at all.
Handed in to a competition: stored as private, and whoever may see the competition sees the result at once, and from the closing time on the
source of what stands on its boards. Hidden by staff: only the author sees it, wherever it was handed in.
Staff see all. What a reader may not see does not exist for them (404, so that ids cannot be probed).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.db.models import F, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from evaluator.contract import State
from submissions.competitions.access import visible_competitions
from submissions.competitions.models import Phase
from submissions.models import ALPHABET, Artefact, Evaluation, EvaluationQuerySet, Submission, Visibility
from submissions.readers import Reader as Reader
from submissions.readers import is_staff as is_staff


def visible_submissions(user: Reader) -> QuerySet[Submission]:
    """The submissions whose results `user` may see."""
    return Submission.objects.filter(_visible(user, ""))


def visible_evaluations(user: Reader) -> EvaluationQuerySet:
    """The evaluations whose results `user` may see, with submission and author at hand."""
    return Evaluation.objects.filter(_visible(user, "submission__")).select_related("submission", "author")


def access_submission(user: Reader, submission_id: str) -> Submission:
    """The submission, if `user` may see it. `submission_id` may be any text. Raises `Http404`."""
    refuse_nul(submission_id)
    submission = visible_submissions(user).select_related("author", "competition").filter(pk=submission_id).first()
    if submission is None:
        raise Http404(f"There is no submission {submission_id!r}, or it is private.")
    return submission


def access_source(user: Reader, submission_id: str) -> Submission:
    """The submission, if `user` may read its source. `submission_id` may be any text. Raises `Http404`."""
    if not re.fullmatch(f"[{ALPHABET}]{{12}}", submission_id):
        raise Http404(f"{submission_id!r} is no id of a submission.")
    submission = access_submission(user, submission_id)
    if not may_read_source(user, submission):
        raise Http404("Only its author may read this source.")
    return submission


def visible_parent(user: Reader, submission: Submission) -> Submission | None:
    """The earlier submission that this one was made from, if `user` may see it. Its source is loaded when it is asked for."""
    if submission.parent_id is None:
        return None
    return visible_submissions(user).select_related("author").defer("source").filter(pk=submission.parent_id).first()


def access_evaluation(user: Reader, evaluation_id: str) -> Evaluation:
    """The evaluation, if `user` may see it. `evaluation_id` may be any text. Raises `Http404`."""
    refuse_nul(evaluation_id)
    evaluation = visible_evaluations(user).select_related("submission__competition").filter(pk=evaluation_id).first()
    if evaluation is None:
        raise Http404(f"There is no evaluation {evaluation_id!r}, or it is private.")
    return evaluation


def refuse_nul(any_id: str) -> None:
    """Nothing is called so, and PostgreSQL refuses to look. Raises `Http404`."""
    if "\0" in any_id:
        raise Http404("No id holds a NUL character.")


def may_read_source(user: Reader, submission: Submission) -> bool:
    if submission.visibility == Visibility.PUBLIC or is_author_or_staff(user, submission.author_id):
        return True
    return bool(_opened_by_their_competitions(user, [submission]))


def readable_sources(user: Reader, submissions: Iterable[Submission]) -> frozenset[str]:
    """Ids of those whose source `user` may read (`may_read_source`), in one query at most; their competitions are at hand."""
    given = list(submissions)
    plainly = {each.pk for each in given if each.visibility == Visibility.PUBLIC or is_author_or_staff(user, each.author_id)}
    return frozenset(plainly | _opened_by_their_competitions(user, [each for each in given if each.pk not in plainly]))


def may_read_log(user: Reader, evaluation: Evaluation) -> bool:
    """The log can hold source lines, so it follows the source."""
    return may_read_source(user, evaluation.submission)


def access_artefacts(user: Reader, evaluation: Evaluation) -> QuerySet[Artefact]:
    """What profilers left of it: machine code, names, traces, which follow the source. None for whoever may not read that."""
    return evaluation.artefacts.all() if may_read_source(user, evaluation.submission) else Artefact.objects.none()


def may_cancel(user: Reader, evaluation: Evaluation) -> bool:
    """The house's own evaluations are staff's to cancel: an author who sees a slow confirming run must not be able to stop it."""
    return evaluation.state != State.DONE and (is_staff(user) if evaluation.is_house else is_author_or_staff(user, evaluation.author_id))


def may_rerun(user: Reader, evaluation: Evaluation) -> bool:
    return is_author_or_staff(user, evaluation.author_id)


def may_read_decisions(user: Reader, evaluation: Evaluation) -> bool:
    """What moderators decided, and why: for its author and staff. Others see the verdict."""
    return is_author_or_staff(user, evaluation.author_id)


def is_author_or_staff(user: Reader, author_id: int) -> bool:
    return (user.is_authenticated and user.pk == author_id) or is_staff(user)


def _opened_by_their_competitions(user: Reader, submissions: Iterable[Submission]) -> set[str]:
    """Ids of the entries of competitions that have closed and that `user` may see. One query, none before the closing."""
    held = [each for each in submissions if each.competition is not None and each.hidden_at is None]
    ended = [each.pk for each in held if each.competition is not None and each.competition.phase is Phase.CLOSED]
    if not ended:
        return set()
    closed = visible_competitions(user).in_phase(Phase.CLOSED, timezone.now())
    own = Submission.objects.filter(pk__in=ended, competition__in=closed, evaluations__entry__competition=F("competition"))
    return set(own.order_by().values_list("pk", flat=True))


def _visible(user: Reader, prefix: str) -> Q:
    if is_staff(user):
        return Q()
    of_a_competition = Q(**{f"{prefix}competition__in": visible_competitions(user), f"{prefix}hidden_at__isnull": True})
    shown = ~Q(**{f"{prefix}visibility": Visibility.PRIVATE.value}) | of_a_competition
    return shown | Q(author_id=user.pk) if user.is_authenticated else shown
