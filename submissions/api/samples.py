"""Raw samples of an evaluation as JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.contract import State
from evaluator.samples import COLUMNS, CaseSamples, as_document
from evaluator.samples import rows as sample_rows
from kbweb.api.csv_answers import CsvRenderer, as_file
from submissions import samples
from submissions.access import access_evaluation
from submissions.api import shapes
from submissions.api.evaluations import NotDone


class SamplesOf(serializers.Serializer[object]):
    """Query parameters."""

    case = serializers.CharField(required=False, default="", allow_blank=True, max_length=200, help_text="Only those of this case.")


class CaseSamplesShape(serializers.Serializer[object]):
    case = serializers.CharField()
    candidate_us = serializers.ListField(child=serializers.FloatField())
    baseline_us = serializers.ListField(child=serializers.FloatField())


class SamplesShape(serializers.Serializer[object]):
    """In the order in which they were taken; of a long run at most 400 a side and case, evenly taken."""

    evaluation = serializers.CharField()
    op = serializers.CharField()
    device = serializers.CharField()
    unit = serializers.CharField(help_text="us: microseconds.")
    cases = CaseSamplesShape(many=True)


class SamplesCsv(CsvRenderer):
    """A line a sample."""

    def rows(self, data: Mapping[str, object]) -> Iterator[Sequence[object]]:
        yield COLUMNS
        cases = data["cases"]
        assert isinstance(cases, Sequence)
        yield from sample_rows([CaseSamples(each["case"], tuple(each["candidate_us"]), tuple(each["baseline_us"])) for each in cases])


class EvaluationSamples(APIView):
    """Raw samples of the timed cases."""

    renderer_classes = [JSONRenderer, SamplesCsv]
    content_negotiation_class = DefaultContentNegotiation

    @extend_schema(
        operation_id="evaluations_samples",
        parameters=[SamplesOf],
        responses={
            (200, "application/json"): SamplesShape,
            (200, "text/csv"): OpenApiResponse(str, description="case, side, number, time_us: a line a sample."),
            400: shapes.Problem,
            404: shapes.Problem,
            409: shapes.Problem,
        },
        tags=["evaluations"],
    )
    def get(self, request: Request, evaluation_id: str) -> Response:
        """What single calls took on both sides, for whoever may see the result. `?format=csv` or `Accept: text/csv` gives CSV."""
        wanted = SamplesOf(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        evaluation = access_evaluation(request.user, evaluation_id)
        if evaluation.state != State.DONE:
            raise NotDone(f"The evaluation is {evaluation.state}: there are samples when it is done.")
        found = samples.of(evaluation)
        if case := wanted.validated_data["case"]:
            names = [each.case for each in found]
            if case not in names:
                raise serializers.ValidationError({"case": [f"No timed case is called {case!r}; there are: {', '.join(names) or 'none'}."]})
            found = tuple(each for each in found if each.case == case)
        document = {
            "evaluation": evaluation.pk,
            "op": evaluation.op,
            "device": evaluation.device,
            "unit": "us",
            "cases": as_document(found),
        }
        return Response(document, headers=as_file(request, f"{evaluation.pk}_samples"))
