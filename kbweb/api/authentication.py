"""`Authorization: Bearer kb_…`: named, scoped tokens that expire."""

from __future__ import annotations

import knox.auth
from django.contrib.auth.models import AbstractBaseUser
from rest_framework.exceptions import AuthenticationFailed

from kbweb.models import Token


class TokenAuthentication(knox.auth.TokenAuthentication):  # type: ignore[misc] # knox has no types
    """Knox's authentication; bytes that are no text are a wrong token, not a server error."""

    def authenticate_credentials(self, token: bytes) -> tuple[AbstractBaseUser, Token]:
        try:
            token.decode("ascii")
        except UnicodeDecodeError:
            raise AuthenticationFailed("Invalid token.") from None
        user, found = super().authenticate_credentials(token)
        return user, found
