"""`/api/v1/runs`: what `/runs/` shows, as JSON."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.api.pagination import CursorPages
from kbweb.api.problem import FieldErrors
from leaderboard.api.compare_views import RatioSerializer
from leaderboard.baseline_models import SuiteRun
from leaderboard.suite_runs import comparison, lines
from submissions.api.shapes import Problem


class RunSerializer(serializers.ModelSerializer[SuiteRun]):
    device = serializers.CharField(source="device_id")
    ops = serializers.ListField(child=serializers.CharField())
    names = serializers.ListField(child=serializers.CharField(), help_text="Baselines asked for.")
    environment = serializers.DictField(help_text="The machine when it began.")

    class Meta:
        model = SuiteRun
        fields = ("tag", "device", "suite", "ops", "names", "environment", "began_at", "ended_at")
        extra_kwargs = {"ended_at": {"help_text": "Null while it goes on, or when it broke off."}}


class LineSerializer(serializers.Serializer[object]):
    op = serializers.CharField()
    name = serializers.CharField(help_text="The baseline.")
    why = serializers.CharField(help_text="Why there are no figures; empty where there are.")
    clock = serializers.CharField(
        help_text="`interleaved`: the judge's, beside torch eager; `own`: the tool's. Empty where nothing was measured."
    )
    time_us = serializers.FloatField(allow_null=True, help_text="Geometric mean of the cases' medians.")
    p95_us = serializers.FloatField(allow_null=True)
    tokens_per_s = serializers.FloatField(allow_null=True)
    peak_memory_bytes = serializers.IntegerField(allow_null=True)
    speedup = serializers.FloatField(allow_null=True, help_text="Over torch eager.")
    low = serializers.FloatField(allow_null=True, help_text="95 % interval; null where nothing was interleaved.")
    high = serializers.FloatField(allow_null=True)
    flags = serializers.ListField(child=serializers.CharField())


class RunPairSerializer(serializers.Serializer[object]):
    op = serializers.CharField(source="side.op")
    name = serializers.CharField(source="side.name")
    base_us = serializers.FloatField(source="base.time_us", allow_null=True)
    time_us = serializers.FloatField(source="side.time_us", allow_null=True)
    ratio = RatioSerializer(allow_null=True)
    of_times = serializers.FloatField(allow_null=True, help_text="Ratio of the bare times, where there is no interval.")
    why = serializers.CharField()


class NamePairSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    ops = serializers.IntegerField()
    ratio = RatioSerializer()
    verdict = serializers.CharField(help_text="`faster`, `slower`, `tied`; empty where machines differ.")


class AgainstSerializer(serializers.Serializer[object]):
    tag = serializers.CharField(source="base.tag")
    differences = serializers.ListField(child=serializers.CharField(), help_text="Why there is no verdict.")
    names = NamePairSerializer(many=True, help_text="Each baseline over all ops.")
    pairs = RunPairSerializer(many=True, help_text="Each baseline of each op that both runs asked for.")


class WholeRunSerializer(RunSerializer):
    lines = LineSerializer(many=True)
    against = AgainstSerializer(allow_null=True)

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "lines", "against")  # type: ignore[assignment]


class NewestRuns(CursorPages):
    ordering = "-began_at"


class Runs(ListAPIView[SuiteRun]):
    """Runs of baselines over many ops, newest first."""

    queryset = SuiteRun.objects.all()
    serializer_class = RunSerializer
    pagination_class = NewestRuns

    @extend_schema(operation_id="runs_list", tags=["leaderboards"])
    def get(self, request: Request) -> Response:
        """What `kb baseline --tag` measured."""
        return self.list(request)


class Run(APIView):
    """One run."""

    @extend_schema(
        operation_id="runs_retrieve",
        parameters=[OpenApiParameter("against", str, description="Tag of another run on the same device, to hold this one against.")],
        responses={200: WholeRunSerializer, 400: Problem, 404: Problem},
        tags=["leaderboards"],
    )
    def get(self, request: Request, tag: str) -> Response:
        """What a run measured, op by op, and how many times as fast that is as in the run `against`."""
        run = get_object_or_404(SuiteRun, tag=tag)
        against = None
        if asked := request.query_params.get("against", ""):
            base = SuiteRun.objects.filter(tag=asked.replace("\0", "")).first()
            if base is None:
                raise FieldErrors({"against": [f"There is no run with the tag {asked[:64]!r}."]})
            against = comparison(base, run)
            if against.refused:
                raise FieldErrors(
                    {"against": [f"It was measured on {base.device_id}, this one on {run.device_id}: they cannot be compared."]}
                )
        run_data = RunSerializer(run).data
        rest = {"lines": LineSerializer(lines(run), many=True).data, "against": AgainstSerializer(against).data if against else None}
        return Response({**run_data, **rest})
