"""Who am I, and how much may I still hand in."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import State
from submissions.api import shapes
from submissions.api.tokens import scopes_of
from submissions.limits import quota
from submissions.models import Evaluation, Submission


class MeView(APIView):
    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(operation_id="me_retrieve", responses={200: shapes.Me, 401: shapes.Problem}, tags=["me"])
    def get(self, request: Request) -> Response:
        """My name, what these credentials may do, and my quota."""
        allowed = quota()
        user = request.user
        return Response(
            {
                "username": user.get_username(),
                "is_staff": bool(getattr(user, "is_staff", False)),
                "scopes": scopes_of(request),
                "quota": {
                    "open_evaluations": Evaluation.objects.filter(author_id=user.pk).exclude(state=State.DONE).count(),
                    "open_evaluations_allowed": allowed.open_evaluations,
                    "submissions_this_hour": Submission.objects.filter(
                        author_id=user.pk, created_at__gt=timezone.now() - timedelta(hours=1)
                    ).count(),
                    "submissions_per_hour_allowed": allowed.submissions_per_hour,
                },
            }
        )
