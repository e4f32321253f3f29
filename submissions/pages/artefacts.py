"""`/s/<id>/artefacts/<name>`: a file that a profiler left, as a download; and the button that asks for a profile."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from submissions.access import access_artefacts, access_evaluation, access_submission, refuse_nul
from submissions.artefacts import contents, media_type
from submissions.intake_errors import IntakeError
from submissions.models import Artefact
from submissions.profile_run import ask_for_profile


@require_GET
@never_cache
def artefact(request: HttpRequest, submission_id: str, name: str) -> HttpResponse:
    """The file of that name of `?evaluation=`; without it, of the newest evaluation that has one."""
    shown = access_submission(request.user, submission_id)
    evaluations = shown.evaluations.order_by("-queued_at").select_related("submission")
    if wanted := request.GET.get("evaluation"):
        refuse_nul(wanted)
        evaluations = evaluations.filter(pk=wanted)
    for evaluation in evaluations.filter(artefacts__name=name)[:1]:
        found = access_artefacts(request.user, evaluation).filter(name=name).first()
        if found is not None:
            return download(found)
    raise Http404("There is no such artefact, or it is its author's, like the source.")


def download(found: Artefact) -> HttpResponse:
    """Always a download, never shown in place: its bytes come from a process that held submitted code."""
    response = HttpResponse(contents(found), content_type=media_type(found))
    response["Content-Disposition"] = f'attachment; filename="{found.evaluation_id}-{found.name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_POST
def ask(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """Have it profiled and show the new evaluation; where that is refused, the old one with the reason."""
    shown = access_evaluation(request.user, evaluation_id)
    try:
        shown = ask_for_profile(request.user, evaluation_id)
    except PermissionDenied as error:
        raise Http404(str(error)) from error
    except IntakeError as error:
        for sentences in error.errors.values():
            messages.error(request, " ".join(sentences))
    return redirect(f"{reverse('submission', args=[shown.submission_id])}?evaluation={shown.pk}")
