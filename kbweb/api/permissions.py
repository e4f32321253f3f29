"""What a token may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission

from kbweb.models import Scope, Token

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class MissingScope(PermissionDenied):
    """403 that names the scope, in the problem document and, as RFC 6750 asks, in `WWW-Authenticate`."""

    default_code = "scope"

    def __init__(self, needed: Scope, held: list[str]) -> None:
        super().__init__(
            f"This token lacks the scope {needed}: it has {', '.join(held) or 'none'}. Make a token with {needed} at /me/tokens/."
        )
        self.auth_header = f'Bearer error="insufficient_scope", scope="{needed}"'
        self.members = {"scope": str(needed), "scopes": held}


class TokenScope(BasePermission):
    """Whether the token used has the scope that the request needs. Sessions have every right of their user."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        needed = scope_needed(view, request.method or "GET")
        if isinstance(token, Token) and needed not in token.scopes:
            raise MissingScope(needed, list(token.scopes))
        return True


def scope_needed(view: object, method: str) -> Scope:
    """`read` for what changes nothing, else `submit`, unless the view's `token_scopes` names another for the method."""
    given: Mapping[str, Scope] = getattr(view, "token_scopes", {})
    method = "GET" if method == "HEAD" else method.upper()
    return given.get(method) or (Scope.READ if method in SAFE_METHODS else Scope.SUBMIT)
