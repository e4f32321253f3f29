"""`/me/account/`: how I sign in, my data as a download, and the end of the account."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from typing import IO

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from allauth.socialaccount.models import SocialAccount
from asgiref.sync import sync_to_async
from django import forms
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kbweb.accounts.deletion import delete_account, is_last_administrator, plan
from kbweb.accounts.export import write_export
from kbweb.accounts.recent import signed_in_recently
from kbweb.errors.views import too_many
from submissions.pages.way_back import login_required

CHUNK = 64 * 1024


class DeleteForm(forms.Form):
    """The name typed, and the password of whoever has one."""

    name = forms.CharField(label="Your user name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    password = forms.CharField(label="Your password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        self.user = user
        if not user.has_usable_password():
            del self.fields["password"]

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.user.get_username():
            raise forms.ValidationError("This is not the name of the account that is signed in.")
        return self.user.get_username()

    def clean_password(self) -> str:
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not the password.")
        return ""


@login_required
@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    context = {
        "address": EmailAddress.objects.filter(user=user, verified=True).order_by("-primary").first(),
        "unconfirmed": EmailAddress.objects.filter(user=user, verified=False).order_by("pk").last(),
        "has_password": user.has_usable_password(),
        "github": SocialAccount.objects.filter(user=user, provider="github").first(),
        "github_offered": bool(settings.GITHUB_CLIENT_ID),
        "section": "me",
        "tab": "account",
    }
    return render(request, "kbweb/account.html", context)


@login_required
@never_cache
@require_POST
def export(request: HttpRequest) -> HttpResponseBase:
    """The zip, written to disk first and sent from there, so that a large one takes no memory."""
    user = _user(request)
    if not ratelimit.consume(request, action="export", user=user):
        return too_many(request)
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it has been sent)
    write_export(user, file)
    size = file.tell()
    file.seek(0)
    response = StreamingHttpResponse(_chunks(file), content_type="application/zip")
    response["Content-Length"] = str(size)
    response["Content-Disposition"] = f'attachment; filename="kbweb-{timezone.now():%Y-%m-%d}.zip"'
    return response


@login_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """What would go and what would stay; then, with the password or a fresh sign-in, do it."""
    user = _user(request)
    form = DeleteForm(request.POST or None, user=user)
    may = user.has_usable_password() or signed_in_recently(request)
    if request.method == "POST" and may and not is_last_administrator(user):
        if not ratelimit.consume(request, action="reauthenticate", user=user):
            return too_many(request)
        if form.is_valid():
            delete_account(user)
            logout(request)
            return render(request, "kbweb/account_deleted.html")
    context = {
        "plan": plan(user),
        "form": form,
        "sign_in_again": not may,
        "last_administrator": is_last_administrator(user),
        "section": "me",
        "tab": "account",
    }
    return render(request, "kbweb/account_delete.html", context, status=422 if request.method == "POST" else 200)


async def _chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while chunk := await sync_to_async(file.read)(CHUNK):
            yield chunk


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
