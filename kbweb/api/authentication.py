"""`Authorization: Bearer kb_…`: named, scoped tokens that expire."""

from __future__ import annotations

import knox.auth
from django.contrib.auth.models import AbstractBaseUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from kbweb.models import Scope, Token


class TokenAuthentication(knox.auth.TokenAuthentication):  # type: ignore[misc] # knox has no types
    """Knox's authentication; bytes that are no text are a wrong token, not a server error."""

    def authenticate_credentials(self, token: bytes) -> tuple[AbstractBaseUser, Token]:
        try:
            token.decode("ascii")
        except UnicodeDecodeError:
            raise AuthenticationFailed("Invalid token.") from None
        user, found = super().authenticate_credentials(token)
        return user, found


class TokenScope(BasePermission):
    """Whether the token used may write (`submit`). Sessions have every right of their user."""

    message = "This token may only read. Make one with the scope submit."

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        return not isinstance(token, Token) or request.method in SAFE_METHODS or Scope.SUBMIT in token.scopes


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI description names the token."""

    target_class = "kbweb.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
