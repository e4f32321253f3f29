"""Read, follow and cancel evaluations."""

from __future__ import annotations

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import State
from submissions import events
from submissions.access import access_evaluation, may_read_log, may_read_source
from submissions.api import shapes
from submissions.api.documents import evaluation_document
from submissions.api.sse import stream_events
from submissions.cancel import cancel
from submissions.feedback import feedback_text
from submissions.live.messages import message
from submissions.live.waiting import wait_until
from submissions.models import Evaluation

LAST_EVENT_ID = OpenApiParameter("Last-Event-ID", int, OpenApiParameter.HEADER, description="As `after`, for event streams.")


class EventStreamRenderer(BaseRenderer):
    """Lets a client ask for `text/event-stream`. What is rendered with it is an error, as JSON."""

    media_type = "text/event-stream"
    format = "sse"
    charset = "utf-8"

    def render(self, data: object, accepted_media_type: str | None = None, renderer_context: object = None) -> bytes:
        return bytes(JSONRenderer().render(data))


class NotDone(APIException):
    """Asked for something that is there when an evaluation is done."""

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


class MarkdownRenderer(EventStreamRenderer):
    """Lets a client ask for `text/markdown`. What is rendered with it is an error, as JSON."""

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


class EvaluationEvents(APIView):
    """What happened to an evaluation."""

    renderer_classes = [JSONRenderer, EventStreamRenderer]
    content_negotiation_class = DefaultContentNegotiation

    @extend_schema(
        operation_id="evaluations_events",
        parameters=[shapes.After, LAST_EVENT_ID],
        responses={
            (200, "application/json"): shapes.Events,
            (200, "text/event-stream"): OpenApiResponse(str, description="One event a message, until the verdict."),
            404: shapes.Problem,
        },
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> HttpResponseBase:
        """Events after `after`: at once as JSON, or as they come with `Accept: text/event-stream`."""
        evaluation = access_evaluation(request.user, evaluation_id)
        given = request.query_params.copy()
        streaming = getattr(request.accepted_renderer, "media_type", "") == EventStreamRenderer.media_type
        if streaming and (last := request.headers.get("Last-Event-ID")):
            given["after"] = last
        wish = shapes.After(data=given)
        wish.is_valid(raise_exception=True)
        after, limit = wish.validated_data["after"], wish.validated_data["limit"]
        readable = may_read_source(request.user, evaluation.submission)
        stream = events.evaluation_stream(evaluation.pk)
        if streaming:
            response = StreamingHttpResponse(stream_events(stream, after, source_readable=readable), content_type="text/event-stream")
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Accel-Buffering"] = "no"
            return response
        done = evaluation.state == State.DONE
        page = events.read(stream, after, limit)
        return Response(
            {
                "events": [message(event, source_readable=readable) for event in page],
                "last_seq": page[-1].seq if page else after,
                "done": done and len(page) < limit,
            }
        )


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
