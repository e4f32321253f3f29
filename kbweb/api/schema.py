"""How the OpenAPI description names our authentication, and what each operation asks of a token."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from kbweb.api.permissions import scope_needed
from kbweb.models import Scope

ABOUT = "A token from `/me/tokens/`, sent as `Authorization: Bearer kb_…`. Its scopes say what it may do: "


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI description names the token."""

    target_class = "kbweb.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        scopes = "; ".join(f"`{value}`: {label[0].lower()}{label[1:]}" for value, label in Scope.choices)
        return {"type": "http", "scheme": "bearer", "description": f"{ABOUT}{scopes}."}


class ScopedSchema(AutoSchema):
    """Says under each operation which scope a token needs; the same function decides when a request comes."""

    def get_description(self) -> str:  # type: ignore[override]
        said = super().get_description()
        return f"{said}\n\nScope of a token: `{scope_needed(self.view, self.method)}`.".strip()
