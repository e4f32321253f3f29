"""Keys that let someone in: API tokens and one-time sign-in links."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken


def printable(text: str) -> None:
    """For names and labels, which stand on pages, in terminals and in logs. Raises `ValidationError`."""
    if not text.isprintable():
        raise ValidationError("Use printable characters only.")


class Scope(models.TextChoices):
    """What a token may do. Every token may read; `kbweb/api/permissions.py` says what a request needs."""

    READ = "read", "Read what you can see"
    SUBMIT = "submit", "Hand in, cancel and run again"
    MANAGE = "manage", "Make and end tokens and webhooks"


def every_scope() -> list[str]:
    return list(Scope.values)


class Token(AbstractAuthToken):  # type: ignore[misc] # knox has no types
    """An API token: only its hash is kept. `name` is for its owner; `scopes` limits what it may do."""

    name = models.CharField(max_length=80, default="token")
    scopes = models.JSONField(default=every_scope)
    agent = models.CharField(max_length=80, blank=True, default="", help_text="Agent label of what is handed in with it.")
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return self.name


class SignInKey(models.Model):
    """A sign-in link that works once, until it expires. Only the SHA-256 of the key is kept."""

    sha256 = models.CharField(primary_key=True, max_length=64)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_keys")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in of {self.user_id} until {self.expires_at:%Y-%m-%d %H:%M}"
