"""Files that profilers left, listed and downloaded."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import ArtefactKind
from submissions.access import access_artefacts, access_evaluation, may_read_source
from submissions.api import shapes
from submissions.artefacts import media_type
from submissions.models import Artefact, Evaluation
from submissions.pages.artefacts import download


class ArtefactShape(serializers.Serializer[object]):
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in ArtefactKind])
    media_type = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.CharField(help_text="Where it is downloaded.")


class ArtefactsShape(serializers.Serializer[object]):
    evaluation = serializers.CharField()
    artefacts = ArtefactShape(many=True)


class EvaluationArtefacts(APIView):
    """What profilers left."""

    @extend_schema(
        operation_id="evaluations_artefacts",
        responses={200: ArtefactsShape, 403: shapes.Problem, 404: shapes.Problem},
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> Response:
        """Files of an evaluation in mode `profile`: traces, tables, PTX, SASS. For those who may read the source."""
        evaluation = _readable(request, evaluation_id)
        found = access_artefacts(request.user, evaluation).defer("packed")
        return Response({"evaluation": evaluation.pk, "artefacts": [_document(request, each) for each in found]})


class EvaluationArtefact(APIView):
    """One file that a profiler left."""

    @extend_schema(
        operation_id="evaluations_artefact",
        responses={(200, "application/octet-stream"): OpenApiResponse(bytes), 403: shapes.Problem, 404: shapes.Problem},
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str, name: str) -> HttpResponse:
        """The file's bytes as a download, under the media type of its kind."""
        evaluation = _readable(request, evaluation_id)
        found = access_artefacts(request.user, evaluation).filter(name=name).first()
        if found is None:
            raise NotFound(f"The evaluation has no artefact {name[:80]!r}. `artefacts` lists those that it has.")
        return download(found)


def _readable(request: Request, evaluation_id: str) -> Evaluation:
    evaluation = access_evaluation(request.user, evaluation_id)
    if not may_read_source(request.user, evaluation.submission):
        raise PermissionDenied("A profile shows what the source does: it is for the author only, like the source.")
    return evaluation


def _document(request: Request, artefact: Artefact) -> dict[str, object]:
    path = reverse("api-evaluation-artefact", args=[artefact.evaluation_id, artefact.name])
    return {
        "name": artefact.name,
        "kind": artefact.kind,
        "media_type": media_type(artefact),
        "size_bytes": artefact.size_bytes,
        "sha256": artefact.sha256,
        "url": request.build_absolute_uri(path),
    }
