"""`/api/v1/competitions`: what is open, coming and closed; one of them with boards and standings; its standings as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kbweb.api.csv_answers import CsvRenderer, as_file
from kbweb.api.pagination import CursorPages
from leaderboard.api import competition_shapes as shapes
from leaderboard.api.etag import IF_NONE_MATCH, NOT_MODIFIED, conditional
from leaderboard.competition_boards import Results, listed, results
from submissions.api.shapes import Problem
from submissions.competitions.access import access_competition, may_take_part
from submissions.competitions.models import Competition, Phase

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH)


class StandingsCsv(CsvRenderer):
    """A line a participant, with a column for each board."""

    def rows(self, data: Mapping[str, object]) -> Iterator[Sequence[object]]:
        boards, standings = data["boards"], data["standings"]
        assert isinstance(boards, Sequence) and isinstance(standings, Sequence)
        columns = ("rank", "author", "score", "score_low", "score_high", "boards", "led")
        yield [*columns, *(f"{board['op']}/{board['device']}" for board in boards)]
        for row in standings:
            yield [*(row[column] for column in columns), *row["speedups"]]


class NewestCompetitions(CursorPages):
    ordering = ("-opens_at", "-pk")


class Competitions(GenericAPIView[Competition]):
    """Competitions that you may see."""

    filter_backends = ()
    pagination_class = NewestCompetitions
    serializer_class = shapes.CompetitionSerializer

    @extend_schema(
        operation_id="competitions_list",
        parameters=[shapes.CompetitionFilter],
        responses={200: shapes.CompetitionSerializer(many=True), 400: Problem},
        tags=["competitions"],
    )
    def get(self, request: Request) -> Response:
        """Public ones, and those of your groups, in pages: what opens or opened last at the front."""
        wanted = shapes.CompetitionFilter(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        asked = wanted.validated_data
        found = listed(request.user)
        if "phase" in asked:
            found = found.in_phase(Phase(asked["phase"]), timezone.now())
        if asked["op"]:
            found = found.filter(ops__contains=[asked["op"]])
        if asked["device"]:
            found = found.filter(devices__contains=[asked["device"]])
        page = self.paginate_queryset(found) or []
        return self.get_paginated_response(shapes.CompetitionSerializer(page, many=True, context={"request": request}).data)


class CompetitionDetail(APIView):
    """One competition."""

    @extend_schema(
        operation_id="competitions_retrieve",
        parameters=[SLUG, IF_NONE_MATCH],
        responses={200: shapes.CompetitionDetailShape, 304: NOT_MODIFIED, 404: Problem},
        tags=["competitions"],
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """What it covers, when, its rules, who leads each board, and the standings over all."""
        data = _detail(request, results(access_competition(request.user, slug), request.user))
        return conditional(request, data, lambda: Response(data))


class CompetitionStandings(APIView):
    """The standings of a competition."""

    renderer_classes = (JSONRenderer, StandingsCsv)

    @extend_schema(
        operation_id="competitions_standings",
        parameters=[SLUG, IF_NONE_MATCH],
        responses={
            (200, "application/json"): shapes.StandingsShape,
            (200, "text/csv"): OpenApiResponse(str, description="A line a participant, with a column for each board."),
            304: NOT_MODIFIED,
            404: Problem,
        },
        tags=["competitions"],
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Boards and standings alone. `?format=csv` or `Accept: text/csv` gives CSV."""
        found = results(access_competition(request.user, slug), request.user)
        data = shapes.StandingsShape(found).data
        return conditional(request, data, lambda: Response(data, headers=as_file(request, f"{slug}_standings")))


def _detail(request: Request, found: Results) -> dict[str, object]:
    competition = found.competition
    competition.participants, competition.handed_in = found.participants, found.submissions  # type: ignore[attr-defined]
    return {
        **shapes.CompetitionSerializer(competition, context={"request": request}).data,
        "rules": competition.rules,
        "may_take_part": may_take_part(request.user, competition),
        "sources_readable": competition.phase is Phase.CLOSED,
        "epoch": found.epoch,
        "boards": shapes.CompetitionBoardShape(found.boards, many=True).data,
        "standings": shapes.StandingShape(found.standings, many=True).data,
    }
