"""Signing in by GitHub where the site is not configured for it."""

from __future__ import annotations

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.http import Http404, HttpRequest


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """allauth's own, but its addresses are not found, rather than a fault of ours, without an app at the other side."""

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> SocialApp:
        try:
            return super().get_app(request, provider, client_id)
        except SocialApp.DoesNotExist as error:
            raise Http404("This site does not offer it. Sign in with your name and password.") from error
