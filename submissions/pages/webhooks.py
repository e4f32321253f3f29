"""`/me/webhooks/`: my webhooks, what was sent to each and what came back."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from submissions.jobs import WEBHOOKS
from submissions.limits import webhooks_per_user
from submissions.models import Worker
from submissions.pages.way_back import login_required
from submissions.webhooks import owning
from submissions.webhooks.delivering import KEPT, PAUSES_S
from submissions.webhooks.models import Delivery, Topic, Webhook
from submissions.webhooks.owning import WebhookError, access_webhook
from submissions.webhooks.switching import switch_off, switch_on

SHOWN = 30
"""Deliveries on the page of a webhook."""


class WebhookForm(forms.Form):
    """Only gathers what was sent; `owning` judges it, so that the page and REST give the same errors."""

    url = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://host/path"})
    )
    topics = forms.MultipleChoiceField(
        label="Tell it when", required=False, initial=Topic.values, choices=Topic.choices, widget=forms.CheckboxSelectMultiple
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: HttpRequest) -> HttpResponse:
    """Show them, or make one, whose secret is on this one answer."""
    if request.method != "POST":
        return _list(request, WebhookForm(label_suffix=""))
    form = WebhookForm(request.POST, label_suffix="")
    assert request.user.is_authenticated
    if form.is_valid():
        try:
            made = owning.make_webhook(request.user, form.cleaned_data["url"], form.cleaned_data["topics"])
        except WebhookError as error:
            _note(form, error)
        else:
            return _one(request, made, secret=made.secret)
    return _list(request, form, status=422)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """One webhook with its log, or change its address and topics."""
    assert request.user.is_authenticated
    shown = access_webhook(request.user, webhook_id)
    if request.method != "POST":
        return _one(request, shown)
    form = WebhookForm(request.POST, label_suffix="")
    if form.is_valid():
        try:
            owning.change_webhook(shown, form.cleaned_data["url"], form.cleaned_data["topics"])
        except WebhookError as error:
            _note(form, error)
        else:
            messages.success(request, "Changed.")
            return redirect("webhook", shown.pk)
    return _one(request, access_webhook(request.user, webhook_id), form=form, status=422)


@login_required
@require_POST
def send_test(request: HttpRequest, webhook_id: str) -> HttpResponse:
    return _act(request, webhook_id, lambda hook: owning.send_test(hook), "A test is on its way. Reload to see what came of it.")


@login_required
@require_POST
def again(request: HttpRequest, webhook_id: str, delivery_id: str) -> HttpResponse:
    return _act(request, webhook_id, lambda hook: owning.send_again(hook, delivery_id), "It is sent again, under the same id.")


@login_required
@require_POST
def switch(request: HttpRequest, webhook_id: str) -> HttpResponse:
    return _act(request, webhook_id, lambda hook: switch_off(hook) if hook.active else switch_on(hook), "Switched.")


@login_required
@never_cache
@require_POST
def renew(request: HttpRequest, webhook_id: str) -> HttpResponse:
    """A new secret, shown on this one answer."""
    assert request.user.is_authenticated
    hook = access_webhook(request.user, webhook_id)
    return _one(request, hook, secret=owning.renew_secret(hook))


@login_required
@require_POST
def delete(request: HttpRequest, webhook_id: str) -> HttpResponse:
    assert request.user.is_authenticated
    access_webhook(request.user, webhook_id).delete()
    messages.success(request, "The webhook and its log are deleted.")
    return redirect("webhooks")


def _act(request: HttpRequest, webhook_id: str, act: Callable[[Webhook], object], said: str) -> HttpResponse:
    assert request.user.is_authenticated
    hook = access_webhook(request.user, webhook_id)
    try:
        act(hook)
        messages.success(request, said)
    except WebhookError as error:
        messages.error(request, " ".join(sentence for sentences in error.errors.values() for sentence in sentences))
    return redirect("webhook", hook.pk)


def _list(request: HttpRequest, form: WebhookForm, status: int = 200) -> HttpResponse:
    last = Delivery.objects.filter(webhook=OuterRef("pk"), tried_at__isnull=False).order_by("-tried_at")
    rows = Webhook.objects.filter(user_id=request.user.pk or 0).annotate(
        last_at=Subquery(last.values("tried_at")[:1]),
        last_status=Subquery(last.values("status")[:1]),
        last_error=Subquery(last.values("error")[:1]),
    )
    context = {"webhooks": rows, "most": webhooks_per_user(), "sending": _senders(), "form": form, "section": "me", "tab": "webhooks"}
    return render(request, "submissions/webhooks.html", context, status=status)


def _one(request: HttpRequest, hook: Webhook, *, form: WebhookForm | None = None, secret: str = "", status: int = 200) -> HttpResponse:
    context = {
        "webhook": hook,
        "deliveries": hook.deliveries.all()[:SHOWN],
        "form": form or WebhookForm(initial={"url": hook.url, "topics": hook.topics}, label_suffix=""),
        "secret": secret,
        "sending": _senders(),
        "attempts": len(PAUSES_S) + 1,
        "kept_days": KEPT.days,
        "section": "me",
        "tab": "webhooks",
    }
    return render(request, "submissions/webhook.html", context, status=status)


def _senders() -> bool:
    """Whether a worker is there that sends."""
    return Worker.objects.serving().filter(queue=WEBHOOKS).exists()


def _note(form: WebhookForm, error: WebhookError) -> None:
    for field, sentences in error.errors.items():
        for sentence in sentences:
            form.add_error(field if field in form.fields else None, sentence)
