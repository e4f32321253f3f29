"""`/submit/`: hand in a kernel."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from submissions.intake import IntakeError
from submissions.intake import submit as hand_in
from submissions.known_ops import all_offered, find
from submissions.models import Submission
from submissions.pages.devices import Offer, offers
from submissions.pages.forms import SubmitForm


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """Show the form (`?op=`, `?starter=torch|triton`, `?device=` fill it), or take what was sent."""
    devices = offers()
    if request.method != "POST":
        return _page(request, _form(devices, initial=_initial(request, devices)), 200)
    form = _form(devices, data=request.POST, files=request.FILES)
    if not request.user.is_authenticated:
        form.add_error(None, "Sign in first. Open the sign-in page in another tab, then send this form again: what you wrote stays here.")
        return _page(request, form, 403)
    if form.is_valid() and (taken := _take(request, form)) is not None:
        return redirect("submission", taken.pk)
    return _page(request, form, 422)


def _take(request: HttpRequest, form: SubmitForm) -> Submission | None:
    """Hand it in, or put intake's errors beside the fields."""
    sent = form.cleaned_data
    try:
        return hand_in(
            request.user,  # type: ignore[arg-type]  # signed in, as was checked
            op=sent["op"],
            source=form.source_bytes(),
            device=sent["device"],
            kernel_type=sent["kernel_type"] or None,
            mode=sent["mode"],
            visibility=sent["visibility"],
            filename=form.filename_sent(),
        )
    except IntakeError as error:
        for field, messages in error.errors.items():
            name = "file" if field == "filename" else field
            for message in messages:
                form.add_error(name if name in form.fields else None, message)
        return None


def _form(devices: list[Offer], **kwargs: object) -> SubmitForm:
    return SubmitForm(devices=[(offer.slug, offer.words) for offer in devices], **kwargs)


def _initial(request: HttpRequest, devices: list[Offer]) -> dict[str, object]:
    slug = request.GET.get("op", "")
    starter = request.GET.get("starter", "")
    op = _op(slug)
    wanted = request.GET.get("device") or next((offer.slug for offer in devices if offer.workers), devices[0].slug)
    return {
        "op": slug if op else "",
        "source": op.starters.get(starter, "") if op else "",
        "kernel_type": "",
        "device": [wanted],
    }


def _page(request: HttpRequest, form: SubmitForm, status: int) -> HttpResponse:
    chosen = _op(str(form["op"].value() or ""))
    context = {"form": form, "chosen": chosen, "offered": all_offered(), "section": "submit"}
    return render(request, "submissions/submit.html", context, status=status)


def _op(slug: str) -> Op | None:
    try:
        return find(slug) if slug else None
    except UnknownOp:
        return None
