"""`/me/tokens/`: my API tokens."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from kbweb.models import Scope, Token, every_scope, printable
from submissions.pages.way_back import login_required

DAYS = [(7, "7 days"), (30, "30 days"), (90, "90 days"), (365, "a year")]


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=80, validators=[printable], widget=forms.TextInput(attrs={"placeholder": "laptop, CI, my agent"})
    )
    may = forms.MultipleChoiceField(
        label="May read, and",
        required=False,
        initial=[Scope.SUBMIT],
        choices=[(scope.value, scope.label.lower()) for scope in (Scope.SUBMIT, Scope.MANAGE)],
        widget=forms.CheckboxSelectMultiple,
    )
    agent = forms.CharField(label="Agent label", max_length=80, required=False, validators=[printable])
    days = forms.TypedChoiceField(label="Valid for", coerce=int, initial=90, choices=DAYS)

    def scopes(self) -> list[str]:
        return [scope for scope in every_scope() if scope == Scope.READ or scope in self.cleaned_data["may"]]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """Show them, or make one: its text is on this one answer and nowhere else, because only a hash is kept."""
    if request.method != "POST":
        return _page(request, TokenForm(label_suffix=""))
    form = TokenForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, form, status=422)
    given = form.cleaned_data
    _, secret = Token.objects.create(
        user=request.user, expiry=timedelta(days=given["days"]), name=given["name"], scopes=form.scopes(), agent=given["agent"]
    )
    return _page(request, TokenForm(label_suffix=""), secret=secret)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_key: str) -> HttpResponse:
    token = get_object_or_404(Token, user=request.user, token_key=token_key)
    token.delete()
    messages.success(request, f"The token “{token.name}” does not work any more.")
    return redirect("tokens")


def _page(request: HttpRequest, form: TokenForm, *, secret: str = "", status: int = 200) -> HttpResponse:
    context = {
        "tokens": Token.objects.filter(user=request.user),
        "scopes": Scope.choices,
        "form": form,
        "secret": secret,
        "now": timezone.now(),
        "section": "me",
        "tab": "tokens",
    }
    return render(request, "submissions/tokens.html", context, status=status)
