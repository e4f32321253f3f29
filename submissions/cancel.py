"""Stop an evaluation on its author's (or staff's) request, or because the site does not need it any more."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from evaluator.contract import Reason, State, Verdict
from submissions import events
from submissions.access import Reader, access_evaluation, may_cancel
from submissions.finish import conclude, ended_without_judge
from submissions.lease import CANCELLED
from submissions.models import HOUSE, Evaluation

AT_ONCE = frozenset({State.QUEUED, State.BUILDING, State.WAITING})
"""No device works on it: it ends at once. A builder that is at it finds itself fenced."""

NOT_BEGUN = frozenset({State.QUEUED, State.WAITING})
NOT_NEEDED = Reason(code="not_needed", message="The site took this run of its own back before it began: nothing depends on it any more.")


def cancel(user: Reader, evaluation_id: str) -> Evaluation:
    """End the evaluation as `cancelled`: at once, or within about a second when a device works on it. Done ones stay as they are.

    Raises `Http404` for one that `user` may not see, `PermissionDenied` for one that is not theirs.
    """
    seen = access_evaluation(user, evaluation_id)
    if seen.state == State.DONE:
        return seen
    if not may_cancel(user, seen):
        raise PermissionDenied(
            "Only staff may cancel the site's own runs." if seen.is_house else "Only its author may cancel an evaluation."
        )
    with transaction.atomic():
        evaluation = Evaluation.objects.select_for_update(of=("self",)).select_related("submission", "author").get(pk=seen.pk)
        state = State(evaluation.state)
        if state in AT_ONCE:
            return conclude(evaluation, ended_without_judge(evaluation, Verdict.CANCELLED, CANCELLED))
        if state is not State.DONE and not evaluation.cancel_requested:
            evaluation.cancel_requested = True
            evaluation.save(update_fields=["cancel_requested"])
            events.append(events.evaluation_stream(evaluation.pk), "note", {"text": "Cancel requested."})
    return evaluation


def take_back(evaluation_id: str) -> bool:
    """End one of the house's own as `cancelled` that nobody works on. Whether there was one: a claimed or locked one is left alone."""
    with transaction.atomic():
        rows = Evaluation.objects.select_for_update(of=("self",), skip_locked=True).select_related("submission", "author")
        waiting = rows.defer("submission__source").filter(pk=evaluation_id, purpose__in=HOUSE, state__in=NOT_BEGUN).first()
        if waiting is None:
            return False
        conclude(waiting, ended_without_judge(waiting, Verdict.CANCELLED, NOT_NEEDED))
    return True
