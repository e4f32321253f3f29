"""Hand in, list and read submissions."""

from __future__ import annotations

from http import HTTPStatus

from django.core.files.uploadedfile import UploadedFile
from django.db import connection
from django.db.models import OuterRef, Subquery
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import State
from submissions import events
from submissions.access import access_submission, visible_submissions
from submissions.api import shapes
from submissions.api.documents import submission_document
from submissions.api.errors import as_api_error
from submissions.api.filters import SubmissionFilters
from submissions.api.tokens import agent_of
from submissions.competitions.access import visible_competitions
from submissions.intake import submit
from submissions.intake_errors import IntakeError
from submissions.live.waiting import wait_until
from submissions.models import HOUSE, Submission

KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key with the same content hands in once.")
REFUSED = {
    400: OpenApiResponse(shapes.Problem, description="Wrong fields, each named in `errors`."),
    401: shapes.Problem,
    409: OpenApiResponse(shapes.Problem, description="The idempotency key stands for other content."),
    429: OpenApiResponse(shapes.Problem, description="Quota used up; `Retry-After` says when it can succeed."),
}


class Submissions(ListAPIView[Submission]):
    """Hand in a kernel; list what you can see."""

    serializer_class = shapes.SubmissionRow
    permission_classes = [IsAuthenticatedOrReadOnly, *APIView.permission_classes]
    filterset_class = SubmissionFilters

    def get_queryset(self):  # type: ignore[no-untyped-def]
        if getattr(self, "swagger_fake_view", False):
            return Submission.objects.none()
        reader = self.request.user
        shown = visible_competitions(reader).filter(pk=OuterRef("competition")).values("slug")[:1]
        return visible_submissions(reader).select_related("author").defer("source").annotate(competition_shown=Subquery(shown))

    @extend_schema(operation_id="submissions_list", tags=["submissions"])
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        """Submissions that you can see, newest first."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="submissions_create",
        request={"application/json": shapes.HandIn, "multipart/form-data": shapes.HandIn},
        parameters=[shapes.Wait, KEY],
        responses={201: shapes.SubmissionShape, 200: OpenApiResponse(shapes.SubmissionShape, description="Handed in before."), **REFUSED},
        tags=["submissions"],
    )
    def post(self, request: Request) -> Response:
        """Hand in a kernel. With `?wait=` the answer comes with the verdicts, or when time is up with what there is."""
        wish = shapes.HandIn(data=request.data)
        wait = shapes.Wait(data=request.query_params)
        if not all([wish.is_valid(), wait.is_valid()]):
            raise ValidationError({**wish.errors, **wait.errors})
        author = request.user
        assert author.is_authenticated
        fields = dict(wish.validated_data)
        uploaded = request.data.get("source") if isinstance(request.data, dict) else None
        if isinstance(uploaded, UploadedFile) and not fields["filename"]:
            fields["filename"] = uploaded.name or ""
        fields["agent"] = fields["agent"] or agent_of(request)
        fields["idempotency_key"] = request.headers.get("Idempotency-Key") or fields.get("idempotency_key")
        before = _known(request, fields["idempotency_key"])
        try:
            submission = submit(author, **fields)
        except IntakeError as error:
            raise as_api_error(error) from error
        wait_for_verdicts(submission, wait.validated_data["wait"])
        status = HTTPStatus.OK if before else HTTPStatus.CREATED
        return Response(submission_document(request, submission), status=status)


class SubmissionDetail(APIView):
    """One submission."""

    @extend_schema(
        operation_id="submissions_retrieve",
        parameters=[shapes.Wait],
        responses={200: shapes.SubmissionShape, 404: shapes.Problem},
        tags=["submissions"],
    )
    def get(self, request: Request, submission_id: str) -> Response:
        """A submission with its newest evaluations. `?wait=` waits for the verdicts of those that its author asked for."""
        wait = shapes.Wait(data=request.query_params)
        wait.is_valid(raise_exception=True)
        submission = access_submission(request.user, submission_id)
        wait_for_verdicts(submission, wait.validated_data["wait"])
        return Response(submission_document(request, submission))


def wait_for_verdicts(submission: Submission, timeout_s: float) -> None:
    """Block until every evaluation is done, at most `timeout_s`. The house's own are nobody's to wait for."""
    if timeout_s <= 0:
        return
    open_ones = submission.evaluations.exclude(state=State.DONE).exclude(purpose__in=HOUSE)
    streams = [events.evaluation_stream(pk) for pk in open_ones.values_list("pk", flat=True)]
    if streams and not connection.in_atomic_block:
        connection.close()
    wait_until(lambda: not open_ones.exists(), streams, timeout_s)


def _known(request: Request, key: str | None) -> bool:
    return key is not None and Submission.objects.filter(author_id=request.user.pk, idempotency_key=key).exists()
