"""`/s/<id>/`: one page for an evaluation that runs and one that is done, and its source as a download."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from evaluator.contract import State
from submissions.access import access_evaluation, access_submission, may_cancel, may_read_source
from submissions.cancel import cancel
from submissions.intake_errors import IntakeError
from submissions.models import Evaluation
from submissions.pages.changes import changes
from submissions.pages.result_context import result_context
from submissions.rerun import NotDoneError
from submissions.rerun import rerun as run_again


@require_GET
@never_cache
@vary_on_headers("HX-Request")
def submission(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The whole page; with an `HX-Request` header the part that changes, alone."""
    shown = access_submission(request.user, submission_id)
    evaluations = list(shown.evaluations.light().order_by("queued_at", "pk"))
    wanted = request.GET.get("evaluation") or (_told_first(evaluations).pk if evaluations else "")
    if wanted not in {evaluation.pk for evaluation in evaluations}:
        raise Http404("This submission has no such evaluation.")
    evaluation = shown.evaluations.select_related("author").get(pk=wanted)
    context = result_context(request.user, shown, evaluation) | {"evaluations": evaluations}
    if request.headers.get("HX-Request"):
        return render(request, "submissions/_evaluation.html", context)
    around = {"changes": changes(request.user, shown, evaluation.device), "section": "submission"}
    return render(request, "submissions/submission.html", context | around)


def _told_first(oldest_first: Sequence[Evaluation]) -> Evaluation:
    """The newest run that the author asked for, of the kind that came with the submission: a rerun stands for what it repeats."""
    first = oldest_first[0]
    own = [run for run in oldest_first if not run.is_house and (run.device, run.mode) == (first.device, first.mode)]
    return own[-1] if own else first


@require_GET
@cache_control(private=True, no_store=True)
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


@require_POST
def rerun(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """Run it again and show the new evaluation; where that is refused, show the old one with the reason."""
    shown = access_evaluation(request.user, evaluation_id)
    try:
        shown = run_again(request.user, evaluation_id)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except NotDoneError as error:
        messages.error(request, str(error))
    except IntakeError as error:
        for sentences in error.errors.values():
            messages.error(request, " ".join(sentences))
    return redirect(f"{reverse('submission', args=[shown.submission_id])}?evaluation={shown.pk}")


def suffix(filename: str) -> str:
    """`.py`, `.cu`, …: what is safe to put into a header."""
    end = filename.rpartition(".")[2]
    return f".{end}" if end.isalnum() and end.isascii() and len(end) < 6 else ".txt"
