"""Named, scoped tokens that expire."""

from __future__ import annotations

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

from submissions.api import shapes


class Tokens(APIView):
    """My tokens."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(operation_id="tokens_list", responses=shapes.TokenShape(many=True), tags=["me"])
    def get(self, request: Request) -> Response:
        """My tokens, never their secret."""
        rows = get_token_model().objects.filter(user=request.user)
        return Response([_document(row) for row in rows])

    @extend_schema(
        operation_id="tokens_create", request=shapes.TokenWish, responses={201: shapes.NewToken, 400: shapes.Problem}, tags=["me"]
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
            scopes=sorted(set(wanted["scopes"])),
        )
        return Response({**_document(row), "token": secret}, status=HTTPStatus.CREATED)


class TokenDetail(APIView):
    """One of my tokens."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(operation_id="tokens_destroy", responses={204: None, 404: shapes.Problem}, tags=["me"])
    def delete(self, request: Request, token_id: str) -> Response:
        """End a token at once."""
        get_object_or_404(get_token_model(), user=request.user, token_key=token_id).delete()
        return Response(status=HTTPStatus.NO_CONTENT)


def scopes_of(request: Request) -> list[str]:
    """What the credentials of this request may do: a session everything."""
    scopes = getattr(request.auth, "scopes", None)
    return list(scopes) if scopes is not None else ["read", "submit"]


def _document(row: object) -> dict[str, object]:
    return {
        "id": getattr(row, "token_key"),  # noqa: B009 (the model is a setting)
        "name": getattr(row, "name", ""),
        "scopes": getattr(row, "scopes", []),
        "created": getattr(row, "created", None),
        "expiry": getattr(row, "expiry", None),
    }
