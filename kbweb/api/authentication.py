"""`Authorization: Bearer kb_…`: named, scoped tokens that expire."""

from __future__ import annotations

from datetime import timedelta

import knox.auth
from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed

from kbweb.models import Token

NOTED_EVERY = timedelta(minutes=1)
"""A token's last use is written down at most so often: a bot that polls must not write at every request."""


class TokenAuthentication(knox.auth.TokenAuthentication):  # type: ignore[misc] # knox has no types
    """Knox's authentication; bytes that are no text are a wrong token, not a server error."""

    def authenticate_credentials(self, token: bytes) -> tuple[AbstractBaseUser, Token]:
        try:
            token.decode("ascii")
        except UnicodeDecodeError:
            raise AuthenticationFailed("Invalid token.") from None
        user, found = super().authenticate_credentials(token)
        note_use(found)
        return user, found


def note_use(token: Token) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > NOTED_EVERY:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
