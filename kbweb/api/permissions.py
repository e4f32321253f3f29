"""What a token may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission

from kbweb.models import Scope, Token

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class TokenScope(BasePermission):
    """Whether the token used may write (`submit`). Sessions have every right of their user."""

    message = "This token may only read. Make one with the scope submit."

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        return not isinstance(token, Token) or request.method in SAFE_METHODS or Scope.SUBMIT in token.scopes
