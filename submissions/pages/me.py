"""`/me/`: my submissions and my API tokens."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from kbweb.models import Scope, Token
from submissions.models import Evaluation, Submission

PAGE = 50


class TokenForm(forms.Form):
    name = forms.CharField(label="Name", max_length=80, widget=forms.TextInput(attrs={"placeholder": "laptop, CI, my agent"}))
    scope = forms.ChoiceField(
        label="May",
        choices=[("submit", "read, hand in and cancel"), ("read", "read only")],
    )
    days = forms.TypedChoiceField(
        label="Valid for", coerce=int, initial=90, choices=[(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year")]
    )

    def scopes(self) -> list[str]:
        return list(Scope.values) if self.cleaned_data["scope"] == Scope.SUBMIT else [Scope.READ.value]


@login_required
@never_cache
def me(request: HttpRequest) -> HttpResponse:
    return _page(request, TokenForm(label_suffix=""))


@login_required
@never_cache
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """Make a token. Its text is on this one answer and nowhere else: only a hash is kept."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    valid_for = timedelta(days=form.cleaned_data["days"])
    _, secret = Token.objects.create(user=request.user, expiry=valid_for, name=form.cleaned_data["name"], scopes=form.scopes())
    return _page(request, TokenForm(), secret=secret)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_key: str) -> HttpResponse:
    token = get_object_or_404(Token, user=request.user, token_key=token_key)
    token.delete()
    messages.success(request, f"The token “{token.name}” does not work any more.")
    return redirect("me")


def _page(request: HttpRequest, form: TokenForm, *, secret: str = "", status: int = 200) -> HttpResponse:
    without_large = Evaluation.objects.defer("outcome", "log", "build").order_by("queued_at")
    mine = Submission.objects.filter(author_id=request.user.pk).defer("source").prefetch_related(Prefetch("evaluations", without_large))
    context = {
        "page": Paginator(mine, PAGE).get_page(request.GET.get("page")),
        "tokens": Token.objects.filter(user=request.user),
        "form": form,
        "secret": secret,
        "section": "me",
    }
    return render(request, "submissions/me.html", context, status=status)
