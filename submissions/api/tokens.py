"""Named, scoped tokens that expire."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from http import HTTPStatus

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from knox.models import get_token_model
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.models import Scope, every_scope
from submissions.api import shapes


class Tokens(APIView):
    """My tokens."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]
    token_scopes = {"POST": Scope.MANAGE}

    @extend_schema(operation_id="tokens_list", responses=shapes.TokenShape(many=True), tags=["me"])
    def get(self, request: Request) -> Response:
        """My tokens, never their secret."""
        rows = get_token_model().objects.filter(user=request.user)
        return Response([_document(row) for row in rows])

    @extend_schema(
        operation_id="tokens_create",
        request=shapes.TokenWish,
        responses={201: shapes.NewToken, 400: shapes.Problem, 403: shapes.Problem},
        tags=["me"],
    )
    def post(self, request: Request) -> Response:
        """Make a token. It is shown this once, and cannot do more than the one it was made with."""
        wish = shapes.TokenWish(data=request.data)
        wish.is_valid(raise_exception=True)
        wanted = wish.validated_data
        own = scopes_of(request)
        if not set(wanted["scopes"]) <= set(own):
            raise PermissionDenied(f"This token may only make tokens with {', '.join(own)}.")
        row, secret = get_token_model().objects.create(
            user=request.user,
            expiry=timedelta(days=wanted["expires_in_days"]),
            name=wanted["name"],
            scopes=in_order({Scope.READ, *wanted["scopes"]}),
            agent=wanted["agent"],
        )
        return Response({**_document(row), "token": secret}, status=HTTPStatus.CREATED)


class TokenDetail(APIView):
    """One of my tokens."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]
    token_scopes = {"DELETE": Scope.MANAGE}

    @extend_schema(operation_id="tokens_destroy", responses={204: None, 404: shapes.Problem}, tags=["me"])
    def delete(self, request: Request, token_id: str) -> Response:
        """End a token at once."""
        get_object_or_404(get_token_model(), user=request.user, token_key=token_id).delete()
        return Response(status=HTTPStatus.NO_CONTENT)


def scopes_of(request: Request) -> list[str]:
    """What the credentials of this request may do: a session everything."""
    scopes = getattr(request.auth, "scopes", None)
    return list(scopes) if scopes is not None else every_scope()


def agent_of(request: Request) -> str:
    """The agent label of the token used, empty for a session."""
    return str(getattr(request.auth, "agent", ""))


def in_order(scopes: Iterable[str]) -> list[str]:
    wanted = set(scopes)
    return [scope for scope in every_scope() if scope in wanted]


def _document(row: object) -> dict[str, object]:
    return {
        "id": getattr(row, "token_key"),  # noqa: B009 (the model is a setting)
        "name": getattr(row, "name", ""),
        "scopes": getattr(row, "scopes", []),
        "agent": getattr(row, "agent", ""),
        "created": getattr(row, "created", None),
        "expiry": getattr(row, "expiry", None),
        "last_used_at": getattr(row, "last_used_at", None),
    }
