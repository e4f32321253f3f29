"""Evaluations as a list: of a submission, an author, an agent, an op."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from kbweb.api.pagination import CursorPages
from submissions.access import visible_evaluations
from submissions.api import shapes
from submissions.api.documents import evaluation_row
from submissions.api.filters import EvaluationFilters
from submissions.models import Evaluation


class NewestEvaluations(CursorPages):
    ordering = "-queued_at"


class Evaluations(ListAPIView[Evaluation]):
    """Evaluations in pages."""

    serializer_class = shapes.EvaluationRow
    pagination_class = NewestEvaluations
    filterset_class = EvaluationFilters

    def get_queryset(self) -> QuerySet[Evaluation]:
        if getattr(self, "swagger_fake_view", False):
            return Evaluation.objects.none()
        return visible_evaluations(self.request.user).defer("outcome", "log", "build", "submission__source")

    @extend_schema(operation_id="evaluations_list", tags=["evaluations"])
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        """Evaluations that you can see, newest first, the site's own runs too: `purpose` tells them. One by its id has its outcome."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        return self.get_paginated_response([evaluation_row(request, one) for one in page])
