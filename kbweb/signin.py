"""One-time sign-in links: how the local administrator gets in without a password."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from kbweb.models import SignInKey

VALID_FOR = timedelta(hours=24)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def issue(user: User, valid_for: timedelta = VALID_FOR) -> str:
    """A new link for `user`, as a full URL. Links that have expired are forgotten."""
    key = secrets.token_urlsafe(32)
    SignInKey.objects.filter(expires_at__lt=timezone.now()).delete()
    SignInKey.objects.create(sha256=_hash(key), user=user, expires_at=timezone.now() + valid_for)
    return f"{settings.SITE_URL}{reverse('one-time-sign-in', args=[key])}"


def redeem(key: str) -> User | None:
    """The user of an unused, unexpired key of an active account, which is used up by this; else None."""
    with transaction.atomic():
        found = SignInKey.objects.select_for_update().select_related("user").filter(sha256=_hash(key)).first()
        if found is None or found.used_at is not None or found.expires_at < timezone.now() or not found.user.is_active:
            return None
        found.used_at = timezone.now()
        found.save(update_fields=["used_at"])
        return found.user


@never_cache
@require_GET
def one_time(request: HttpRequest, key: str) -> HttpResponse:
    """`/signin/<key>/`: sign in and go to `?next=` or the home page; a clear page when the link is used up or too old."""
    user = redeem(key)
    if user is None:
        return render(request, "kbweb/sign_in_link_used.html", status=410)
    login(request, user, backend=BACKEND)
    target = request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return redirect(target if safe else "home")


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
