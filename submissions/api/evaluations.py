"""Read, follow and cancel evaluations."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import State
from kbweb.api.renderers import ErrorsAsJson
from submissions import events
from submissions.access import access_evaluation, may_read_log
from submissions.api import shapes
from submissions.api.documents import evaluation_document
from submissions.api.errors import as_api_error
from submissions.cancel import cancel
from submissions.feedback import feedback_text
from submissions.intake_errors import IntakeError
from submissions.live.waiting import wait_until
from submissions.models import Evaluation
from submissions.profile_run import ask_for_profile
from submissions.rerun import NotDoneError, rerun


class NotDone(APIException):
    """Asked for something that can be had when an evaluation is done."""

    status_code = 409
    default_code = "not_done"


def waited(request: Request, evaluation_id: str) -> Evaluation:
    """The evaluation, when it is done or after the seconds that `?wait=` says."""
    wait = shapes.Wait(data=request.query_params)
    wait.is_valid(raise_exception=True)
    evaluation = access_evaluation(request.user, evaluation_id)
    if wait.validated_data["wait"] and evaluation.state != State.DONE:
        done = Evaluation.objects.filter(pk=evaluation.pk, state=State.DONE)
        wait_until(done.exists, [events.evaluation_stream(evaluation.pk)], wait.validated_data["wait"])
        evaluation = access_evaluation(request.user, evaluation_id)
    return evaluation


class MarkdownRenderer(ErrorsAsJson):
    """Lets a client ask for `text/markdown`."""

    media_type = "text/markdown"
    format = "md"


class EvaluationDetail(APIView):
    """One evaluation."""

    @extend_schema(
        operation_id="evaluations_retrieve",
        parameters=[shapes.Wait],
        responses={200: shapes.EvaluationShape, 404: shapes.Problem},
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> Response:
        """An evaluation as it stands; when done with its whole outcome. `?wait=` waits for the verdict."""
        return Response(evaluation_document(request, waited(request, evaluation_id)))


class EvaluationLog(APIView):
    """What the submission printed and the compiler said."""

    @extend_schema(
        operation_id="evaluations_log",
        responses={(200, "text/plain"): OpenApiResponse(str), 403: shapes.Problem, 404: shapes.Problem},
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> HttpResponse:
        """The log as text. It can quote the source, so only those who may read the source may read it."""
        evaluation = access_evaluation(request.user, evaluation_id)
        if not may_read_log(request.user, evaluation):
            raise PermissionDenied("The log is for the author only, like the source.")
        return HttpResponse(evaluation.log, content_type="text/plain; charset=utf-8")


class EvaluationFeedback(APIView):
    """The outcome in words for a language model."""

    renderer_classes = [JSONRenderer, MarkdownRenderer]
    content_negotiation_class = DefaultContentNegotiation

    @extend_schema(
        operation_id="evaluations_feedback",
        parameters=[shapes.Wait],
        responses={(200, "text/markdown"): OpenApiResponse(str), 404: shapes.Problem, 409: shapes.Problem},
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> HttpResponse:
        """What failed, on which inputs, what to try and how fast it is, as Markdown. `?wait=` waits for the verdict."""
        evaluation = waited(request, evaluation_id)
        text = feedback_text(request.user, evaluation)
        if text is None:
            raise NotDone(f"The evaluation is {evaluation.state}: there is feedback when it is done. Ask again with ?wait=60.")
        return HttpResponse(text, content_type="text/markdown; charset=utf-8")


class CancelEvaluation(APIView):
    """Stop an evaluation."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(
        operation_id="evaluations_cancel",
        request=None,
        responses={200: shapes.EvaluationShape, 401: shapes.Problem, 403: shapes.Problem, 404: shapes.Problem},
        tags=["evaluations"],
    )
    def post(self, request: Request, evaluation_id: str) -> Response:
        """Ask for the end. One that a device works on ends within about a second; one that is done stays as it is."""
        evaluation = cancel(request.user, evaluation_id)
        return Response(evaluation_document(request, evaluation))


class ProfileEvaluation(APIView):
    """Have a kernel profiled."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(
        operation_id="evaluations_profile",
        request=None,
        responses={
            201: shapes.EvaluationShape,
            400: OpenApiResponse(shapes.Problem, description="It is not done, not right, a profile itself, or cannot be judged any more."),
            401: shapes.Problem,
            403: shapes.Problem,
            404: shapes.Problem,
            429: OpenApiResponse(shapes.Problem, description="Quota used up; `Retry-After` says when it can succeed."),
        },
        tags=["evaluations"],
    )
    def post(self, request: Request, evaluation_id: str) -> Response:
        """The same submission again on the same device in mode `profile`; the answer is that evaluation, also when there is one already."""
        try:
            made = ask_for_profile(request.user, evaluation_id)
        except IntakeError as error:
            raise as_api_error(error) from error
        return Response(evaluation_document(request, access_evaluation(request.user, made.pk)), status=HTTPStatus.CREATED)


class RerunEvaluation(APIView):
    """Run a submission again."""

    permission_classes = [IsAuthenticated, *APIView.permission_classes]

    @extend_schema(
        operation_id="evaluations_rerun",
        request=None,
        responses={
            201: shapes.EvaluationShape,
            400: OpenApiResponse(shapes.Problem, description="It cannot be judged any more: its op is gone, say."),
            401: shapes.Problem,
            403: shapes.Problem,
            404: shapes.Problem,
            409: OpenApiResponse(shapes.Problem, description="It is not done yet."),
            429: OpenApiResponse(shapes.Problem, description="Quota used up; `Retry-After` says when it can succeed."),
        },
        tags=["evaluations"],
    )
    def post(self, request: Request, evaluation_id: str) -> Response:
        """The same submission again on the same device in the same mode, in a fresh process; the answer is the new evaluation."""
        try:
            made = rerun(request.user, evaluation_id)
        except NotDoneError as error:
            raise NotDone(str(error)) from error
        except IntakeError as error:
            raise as_api_error(error) from error
        return Response(evaluation_document(request, access_evaluation(request.user, made.pk)), status=HTTPStatus.CREATED)
