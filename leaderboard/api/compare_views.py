"""`/api/v1/compare?ids=a,b,…`: what `/compare/` shows, as JSON."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.api.problem import FieldErrors
from leaderboard.compare import LEAST, MOST, NotComparableError, compare, wanted_ids
from submissions.api.shapes import Problem

VERDICT = serializers.ChoiceField(choices=("faster", "slower", "tied"), allow_null=True)


class RatioSerializer(serializers.Serializer[object]):
    ratio = serializers.FloatField(help_text="How many times as fast as the first: one speedup over torch_eager through the other.")
    low = serializers.FloatField(help_text="95 % interval.")
    high = serializers.FloatField()


class CasePairSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    inputs = serializers.CharField()
    base_us = serializers.FloatField(allow_null=True, help_text="Median time of the first.")
    time_us = serializers.FloatField(allow_null=True)
    ratio = RatioSerializer(allow_null=True)
    verdict = serializers.SerializerMethodField(help_text="`faster`, `slower`, `tied`; null where there is none.")
    why = serializers.CharField(help_text="Why there is no ratio.")

    @extend_schema_field(VERDICT)
    def get_verdict(self, case: object) -> str | None:
        ratio = getattr(case, "ratio", None)
        return ratio.verdict if ratio is not None and self.context.get("judged", True) else None


class SideSerializer(serializers.Serializer[object]):
    evaluation = serializers.CharField(source="id")
    submission = serializers.CharField(source="evaluation.submission_id")
    author = serializers.CharField()
    agent = serializers.CharField(source="evaluation.submission.agent")
    kernel_type = serializers.CharField(source="evaluation.submission.kernel_type")
    op = serializers.CharField(source="evaluation.op")
    device = serializers.CharField(source="evaluation.device")
    state = serializers.CharField(source="evaluation.state")
    verdict = serializers.CharField(help_text="Of the evaluation; empty while it is not done.")
    flags = serializers.ListField(child=serializers.CharField(), source="evaluation.flags")
    speedup = serializers.FloatField(source="evaluation.speedup", allow_null=True, help_text="Over torch_eager.")
    speedup_low = serializers.FloatField(source="evaluation.speedup_low", allow_null=True)
    speedup_high = serializers.FloatField(source="evaluation.speedup_high", allow_null=True)
    time_us = serializers.FloatField(source="evaluation.time_us", allow_null=True)
    facts = serializers.DictField(child=serializers.CharField(), help_text="What must be equal for a verdict: op, device, driver, torch, …")


class PairSerializer(serializers.Serializer[object]):
    evaluation = serializers.CharField(source="side.id")
    verdict = serializers.SerializerMethodField(help_text="`faster`, `slower` or `tied` over all common cases; null where there is none.")
    overall = RatioSerializer(allow_null=True, help_text="Geometric mean over the common cases.")
    differences = serializers.ListField(child=serializers.CharField(), help_text="Why there is no verdict.")
    cases = serializers.SerializerMethodField()

    @extend_schema_field(VERDICT)
    def get_verdict(self, pair: object) -> str | None:
        return getattr(pair, "verdict", "") or None

    @extend_schema_field(CasePairSerializer(many=True))
    def get_cases(self, pair: object) -> list[dict[str, object]]:
        judged = not getattr(pair, "differences", ())
        return list(CasePairSerializer(getattr(pair, "cases", ()), many=True, context={"judged": judged}).data)


class ComparisonSerializer(serializers.Serializer[object]):
    base = SideSerializer(help_text="The first: what the others are held against.")
    sides = SideSerializer(many=True, help_text="All, the first included, in the order asked for.")
    pairs = PairSerializer(many=True)


class Compare(APIView):
    """Evaluations side by side."""

    @extend_schema(
        operation_id="compare",
        parameters=[
            OpenApiParameter("ids", str, required=True, description=f"{LEAST} to {MOST} ids of evaluations, separated by commas."),
        ],
        responses={200: ComparisonSerializer, 400: Problem},
        tags=["leaderboards"],
    )
    def get(self, request: Request) -> Response:
        """How many times as fast each is as the first, case by case, with intervals and verdicts.

        There is no verdict where op, device, driver, torch, epoch or method differ: `differences` names them.
        """
        ids = wanted_ids(request.query_params.getlist("ids"))
        try:
            found = compare(ids, request.user)
        except NotComparableError as error:
            raise FieldErrors({"ids": list(error.errors)}) from error
        return Response(ComparisonSerializer(found).data)
