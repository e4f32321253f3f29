"""`/s/<id>/`: one page for an evaluation that runs and one that is done, and its source as a download."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from evaluator.contract import State
from submissions.access import Reader, access_evaluation, access_submission, may_cancel, may_read_log, may_read_source
from submissions.cancel import cancel
from submissions.models import Evaluation, Submission
from submissions.pages import words
from submissions.pages.progress import progress
from submissions.pages.sheet import live_rows, masked, sheet
from submissions.queue_position import position


@require_GET
@never_cache
@vary_on_headers("HX-Request")
def submission(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The whole page; with an `HX-Request` header the part that changes, alone."""
    shown = access_submission(request.user, submission_id)
    evaluations = list(shown.evaluations.defer("outcome", "log", "build").order_by("queued_at", "pk"))
    wanted = request.GET.get("evaluation") or (evaluations[0].pk if evaluations else "")
    if wanted not in {evaluation.pk for evaluation in evaluations}:
        raise Http404("This submission has no such evaluation.")
    evaluation = shown.evaluations.select_related("submission", "author").get(pk=wanted)
    context = live_context(request.user, shown, evaluation)
    if request.headers.get("HX-Request"):
        return render(request, "submissions/_evaluation.html", context)
    return render(request, "submissions/submission.html", context | {"evaluations": evaluations, "section": "submission"})


def live_context(user: Reader, shown: Submission, evaluation: Evaluation) -> dict[str, object]:
    """All that `submissions/_evaluation.html` needs."""
    done = evaluation.state == State.DONE
    now = progress(evaluation)
    may_log = may_read_log(user, evaluation)
    readable = may_read_source(user, shown)
    found = sheet(evaluation, may_read_source=readable) if done else None
    return {
        "submission": shown,
        "evaluation": evaluation,
        "done": done,
        "words": words.of(evaluation.verdict, evaluation.state),
        "flags": [(flag, words.FLAGS.get(flag, "")) for flag in evaluation.flags],
        "progress": now,
        "live_rows": live_rows(now.timed),
        "sheet": found,
        "cases": found.cases if found else masked(now.cases, may_read_source=readable),
        "log": (evaluation.log if done else now.log) if may_log else "",
        "may_read_log": may_log,
        "may_read_source": readable,
        "may_cancel": may_cancel(user, evaluation),
        "queue": position(evaluation) if evaluation.state in (State.QUEUED, State.WAITING) else None,
    }


@require_GET
def source(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The source as plain text, for whoever may read it."""
    shown = access_submission(request.user, submission_id)
    if not may_read_source(request.user, shown):
        raise Http404("Only its author may read this source.")
    response = HttpResponse(shown.source, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{shown.id}{suffix(shown.filename)}"'
    return response


@require_POST
def stop(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """Cancel, then show the page again."""
    evaluation = access_evaluation(request.user, evaluation_id)
    if not may_cancel(request.user, evaluation) and evaluation.state != State.DONE:
        raise Http404("Only its author may cancel this evaluation.")
    if evaluation.state != State.DONE:
        cancel(request.user, evaluation.pk)
    return redirect(f"{reverse('submission', args=[evaluation.submission_id])}?evaluation={evaluation.pk}")


def suffix(filename: str) -> str:
    """`.py`, `.cu`, …: what is safe to put into a header."""
    end = filename.rpartition(".")[2]
    return f".{end}" if end.isalnum() and end.isascii() and len(end) < 6 else ".txt"
