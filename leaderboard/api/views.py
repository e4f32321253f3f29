"""`/api/v1/`: ops, devices, leaderboards, status."""

from __future__ import annotations

from difflib import get_close_matches

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard import ranking
from leaderboard.api import serializers as shapes
from leaderboard.api.csv_renderer import BoardCsv
from leaderboard.api.etag import conditional
from leaderboard.models import Device, Op
from leaderboard.site_status import site_status, stats

IF_NONE_MATCH = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="ETag of the answer you have.")
NOT_MODIFIED = OpenApiResponse(description="You have it already.")


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
            (200, "text/csv"): OpenApiResponse(str, description="A row per entry, then the baseline."),
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
        found = ranking.board(op, device, viewer=request.user, **wanted.validated_data)
        data = shapes.BoardSerializer(found).data
        return conditional(request, data, lambda: Response(data, headers=self._disposition(request, op, device)))

    @staticmethod
    def _disposition(request: Request, op: str, device: str) -> dict[str, str]:
        """CSV is offered as a file: shown in place, a browser might take it for something else."""
        if getattr(request, "accepted_renderer", None) is None or request.accepted_renderer.format != "csv":
            return {}
        return {"Content-Disposition": f'attachment; filename="{op.replace("/", "_")}_{device}.csv"'}


class Status(APIView):
    @extend_schema(operation_id="status_retrieve", responses=shapes.StatusSerializer, tags=["status"])
    def get(self, request: Request) -> Response:
        """Queues, workers with their sandbox, versions, and whether anything is being judged."""
        return Response(shapes.StatusSerializer(site_status()).data)


class Stats(APIView):
    @extend_schema(operation_id="stats_retrieve", responses=shapes.StatsSerializer, tags=["status"])
    def get(self, request: Request) -> Response:
        """Totals over all time."""
        return Response(shapes.StatsSerializer(stats()).data)


def _op(slug: str) -> Op:
    """An op of the catalogue, active or not (its boards stay). Raises 404 with the slugs that look like it."""
    found = Op.objects.filter(pk=slug).first() if "\0" not in slug else None
    if found is None:
        close = get_close_matches(slug, Op.objects.active().values_list("pk", flat=True))
        raise NotFound(f"There is no op {slug!r}." + (f" Did you mean {', '.join(close)}?" if close else ""))
    return found
