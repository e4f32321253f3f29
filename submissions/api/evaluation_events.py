"""What happened to an evaluation: its events as JSON, or as they come."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import APIException
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from evaluator.contract import State
from kbweb.api.renderers import ErrorsAsJson
from submissions import events
from submissions.access import access_evaluation, may_read_source
from submissions.api import shapes
from submissions.api.sse import MOST_OPEN, EventStream, open_streams, stream_events
from submissions.live.hearing import Hearing
from submissions.live.messages import message

LAST_EVENT_ID = OpenApiParameter("Last-Event-ID", int, OpenApiParameter.HEADER, description="As `after`, for event streams.")


class EventStreamRenderer(ErrorsAsJson):
    """Lets a client ask for `text/event-stream`."""

    media_type = "text/event-stream"
    format = "sse"


class TooManyStreams(APIException):
    """429 with `Retry-After` (DRF takes it from `wait`)."""

    status_code = HTTPStatus.TOO_MANY_REQUESTS
    default_code = "streams"
    default_detail = f"You have {MOST_OPEN} event streams open. Close some, or ask for the events as JSON."
    wait = 10


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
            204: OpenApiResponse(description="As a stream: it is done and nothing follows `Last-Event-ID`. An EventSource stops then."),
            404: shapes.Problem,
            429: OpenApiResponse(shapes.Problem, description=f"More than {MOST_OPEN} streams are open; `Retry-After` says when to try."),
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
        done = evaluation.state == State.DONE
        if streaming:
            if done and not events.read(stream, after, 1):
                return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"Cache-Control": "no-store"})
            allowed = Hearing(request.user, request.auth, evaluation)
            told = EventStream(stream_events(evaluation.pk, after, source_readable=readable, allowed=allowed))
            if not open_streams.enter(_client(request), told):
                raise TooManyStreams
            return told
        page = events.read(stream, after, limit)
        return Response(
            {
                "events": [message(event, source_readable=readable) for event in page],
                "last_seq": page[-1].seq if page else after,
                "done": done and len(page) < limit,
            }
        )


def _client(request: Request) -> str:
    """Whose streams are counted together: a user's, or those of an address."""
    return f"user {request.user.pk}" if request.user.is_authenticated else f"address {BaseThrottle().get_ident(request)}"
