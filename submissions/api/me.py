"""Who am I, and how much may I still hand in."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api import shapes
from submissions.api.tokens import scopes_of
from submissions.limits import quota
from submissions.quota import used
from submissions.readers import is_staff


class MeView(APIView):
    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(operation_id="me_retrieve", responses={200: shapes.Me, 401: shapes.Problem}, tags=["me"])
    def get(self, request: Request) -> Response:
        """My name, what these credentials may do, and my quota."""
        user = request.user
        assert user.is_authenticated
        allowed, going = quota(), used(user)
        return Response(
            {
                "username": user.get_username(),
                "is_staff": is_staff(user),
                "scopes": scopes_of(request),
                "quota": {
                    "open_evaluations": going.open_evaluations,
                    "open_evaluations_allowed": allowed.open_evaluations,
                    "submissions_this_hour": len(going.this_hour),
                    "submissions_per_hour_allowed": allowed.submissions_per_hour,
                },
            }
        )
