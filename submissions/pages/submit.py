"""`/submit/`: hand in a kernel, or an earlier one edited."""

from __future__ import annotations

import json

from csp.constants import NONCE
from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from evaluator.contract import Policy, Timer
from submissions.access import access_source
from submissions.competitions.access import visible_competitions
from submissions.competitions.entering import open_to_enter
from submissions.intake import IntakeError
from submissions.intake import submit as hand_in
from submissions.known_ops import all_offered
from submissions.models import Submission
from submissions.pages.devices import Offer, offers
from submissions.pages.editor_rules import editor_rules, op_refusals
from submissions.pages.filled import from_earlier, from_link, op_of
from submissions.pages.forms import SubmitForm
from submissions.quota import left

SIGN_IN = "Sign in first. Open the sign-in page in another tab, then send this form again: what you wrote stays here."
OUTDATED = "This page was older than your sign-in, so nothing was handed in. Nothing is lost: send the form again."

with_editor = csp_update({"style-src": [NONCE]})
"""CodeMirror writes its styles into a `<style>` of its own, which bears the nonce of the page."""


@with_editor
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def submit(request: HttpRequest) -> HttpResponse:
    """Show the form (`?from=` an earlier submission, or `?op=`, `?starter=`, `?device=`, fill it), or take what was sent.

    With an `HX-Request` header: the part that tells of the op, alone.
    """
    if request.method == "POST":
        return _taken(request)
    if request.headers.get("HX-Request"):
        return render(request, "submissions/_chosen_op.html", _chosen(request.GET.get("op", "")))
    devices = offers()
    if asked := request.GET.get("from", ""):
        earlier = access_source(request.user, asked)
        shown = _page(request, _form(request, devices, initial=from_earlier(request.user, earlier)), 200, earlier)
        patch_cache_control(shown, private=True, no_store=True)
        return shown
    return _page(request, _form(request, devices, initial=from_link(request.GET, devices)), 200)


@with_editor
def submit_again(request: HttpRequest) -> HttpResponse:
    """The form with all that was sent, and nothing handed in: its secret was that of an earlier sign-in (see `kbweb/csrf.py`)."""
    form = _form(request, offers(), data=request.POST, files=request.FILES)
    form.add_error(None, OUTDATED)
    return _once_more(request, form, 403)


def _taken(request: HttpRequest) -> HttpResponse:
    form = _form(request, offers(), data=request.POST, files=request.FILES)
    author = request.user
    if not author.is_authenticated:
        form.add_error(None, SIGN_IN)
        return _once_more(request, form, 403)
    if not form.is_valid() or (taken := _take(author, form)) is None:
        return _once_more(request, form, 422)
    now = left(author)
    messages.success(
        request, f"Handed in. You can have {now.evaluations} more evaluations open, and hand in {now.submissions} more this hour."
    )
    return redirect("submission", taken.pk)


def _take(author: AbstractBaseUser, form: SubmitForm) -> Submission | None:
    """Hand it in, or put intake's errors beside the fields."""
    sent = form.cleaned_data
    try:
        return hand_in(
            author,
            op=sent["op"],
            source=form.source_bytes(),
            device=sent["device"],
            kernel_type=sent["kernel_type"] or None,
            mode=sent["mode"],
            visibility=sent["visibility"],
            filename=form.filename_sent(),
            agent=sent["agent"],
            seed=sent["seed"],
            policy=sent["policy"] or Policy.SCALED,
            timer=sent["timer"] or Timer.ABBA,
            parent=sent["parent"],
            competition=sent["competition"] or None,
        )
    except IntakeError as error:
        for field, sentences in error.errors.items():
            for sentence in sentences:
                form.add_error(field if field in form.fields and field != "parent" else None, sentence)
        return None


def _form(request: HttpRequest, devices: list[Offer], **kwargs: object) -> SubmitForm:
    """The form with the competitions that its sender may hand in to.

    One that is named is judged by intake, open or not, so that whoever comes too late is told so.
    """
    competitions = [(one.slug, f"{one.title}: {', '.join(one.ops)}"[:120]) for one in open_to_enter(request.user)]
    named = (request.POST if request.method == "POST" else request.GET).get("competition", "")[:60]
    if named and named not in dict(competitions):
        known = visible_competitions(request.user).filter(slug=named.replace("\0", "")).first()
        title = known.title if known else named
        competitions.append((named, f"{title} (not open)"))  # else a click would hand it in without the competition, for all to see
    return SubmitForm(devices=[(offer.slug, offer.words) for offer in devices], competitions=competitions, **kwargs)


def _once_more(request: HttpRequest, form: SubmitForm, status: int) -> HttpResponse:
    form.keep_file()
    try:
        earlier = access_source(request.user, str(form["parent"].value() or ""))
    except Http404:
        earlier = None
    return _page(request, form, status, earlier)


def _page(request: HttpRequest, form: SubmitForm, status: int, earlier: Submission | None = None) -> HttpResponse:
    context = _chosen(str(form["op"].value() or "")) | {
        "form": form,
        "offered": all_offered(),
        "earlier": earlier,
        "rules": json.dumps(editor_rules()),
        "left": left(request.user) if request.user.is_authenticated else None,
        "section": "submit",
    }
    return render(request, "submissions/submit.html", context, status=status)


def _chosen(slug: str) -> dict[str, object]:
    op = op_of(slug)
    return {"chosen": op, "op_refusals": json.dumps(op_refusals(op)) if op else "[]"}
