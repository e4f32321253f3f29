"""`/api/v1/`: ops, devices, leaderboards, status."""

from __future__ import annotations

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.close_names import close_to
from kbweb.api.csv_answers import as_file
from leaderboard import ranking
from leaderboard.api import serializers as shapes
from leaderboard.api.board_csv import BoardCsv
from leaderboard.api.etag import IF_NONE_MATCH, NOT_MODIFIED, conditional
from leaderboard.device_states import device_states
from leaderboard.models import Device, Op
from leaderboard.scope import epoch_of, scope_for
from leaderboard.site_status import site_status, stats


class Ops(APIView):
    """What can be optimised."""

    @extend_schema(operation_id="ops_list", parameters=[shapes.OpFilter], responses=shapes.OpSerializer(many=True), tags=["catalogue"])
    def get(self, request: Request) -> HttpResponseBase:
        """All ops, or those of a suite, with a tag, or with some words."""
        wanted = shapes.OpFilter(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        found = Op.objects.active().search(**wanted.validated_data).defer("definition")
        return Response(shapes.OpSerializer(found, many=True).data)


class OpDetail(APIView):
    @extend_schema(
        operation_id="ops_retrieve",
        parameters=[OpenApiParameter("slug", str, OpenApiParameter.PATH), IF_NONE_MATCH],
        responses={200: shapes.OpDetailSerializer, 304: NOT_MODIFIED},
        tags=["catalogue"],
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """One op with all that a kernel's author needs."""
        data = shapes.OpDetailSerializer(_op(slug)).data
        return conditional(request, data, lambda: Response(data))


class Devices(APIView):
    @extend_schema(operation_id="devices_list", responses=shapes.DeviceSerializer(many=True), tags=["catalogue"])
    def get(self, request: Request) -> Response:
        """Hardware classes that have boards of their own."""
        return Response(shapes.DeviceSerializer(Device.objects.filter(active=True), many=True).data)


class Leaderboard(APIView):
    renderer_classes = (JSONRenderer, BoardCsv)

    @extend_schema(
        operation_id="leaderboards_retrieve",
        parameters=[
            OpenApiParameter("op", str, OpenApiParameter.PATH),
            OpenApiParameter("device", str, OpenApiParameter.PATH),
            shapes.BoardFilter,
            IF_NONE_MATCH,
        ],
        responses={
            (200, "application/json"): shapes.BoardSerializer,
            (200, "text/csv"): OpenApiResponse(str, description="A row per entry, then the baselines."),
            304: NOT_MODIFIED,
        },
        tags=["leaderboards"],
    )
    def get(self, request: Request, op: str, device: str) -> HttpResponseBase:
        """The board of an op on a device. `?format=csv` or `Accept: text/csv` gives CSV."""
        _op(op)
        if not Device.objects.filter(pk=device).exists():
            raise NotFound(f"There is no device {device!r}.")
        wanted = shapes.BoardFilter(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        filters = dict(wanted.validated_data)
        scope = scope_for(request.user, op, device, competition=filters.pop("competition"), group=filters.pop("group"))
        if scope.competition is not None and "epoch" not in request.query_params:
            filters["epoch"] = epoch_of(scope.competition.pk)
        found = ranking.board(op, device, viewer=request.user, scope=scope, **filters)
        data = shapes.BoardSerializer(found).data
        return conditional(request, data, lambda: Response(data, headers=as_file(request, f"{op}_{device}")))


class Status(APIView):
    @extend_schema(operation_id="status_retrieve", responses=shapes.StatusSerializer, tags=["status"])
    def get(self, request: Request) -> Response:
        """Queues, devices, workers with their sandbox, versions, and whether there are workers to build and to judge."""
        now = site_status()
        shown = {
            "judging": now.judging,
            "building": now.building,
            "queues": now.queues,
            "workers": now.workers,
            "devices": device_states(now),
            "versions": now.versions,
        }
        return Response(shapes.StatusSerializer(shown).data)


class Stats(APIView):
    @extend_schema(operation_id="stats_retrieve", responses=shapes.StatsSerializer, tags=["status"])
    def get(self, request: Request) -> Response:
        """Totals over all time."""
        return Response(shapes.StatsSerializer(stats()).data)


def _op(slug: str) -> Op:
    """An op of the catalogue, active or not (its boards stay). Raises 404 with the slugs that look like it."""
    found = Op.objects.filter(pk=slug).first() if "\0" not in slug else None
    if found is None:
        raise NotFound(f"There is no op {slug!r}.{close_to(slug, Op.objects.active().values_list('pk', flat=True))}")
    return found
