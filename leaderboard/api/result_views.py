"""`/api/v1/suites` and `/api/v1/results`: sets of ops, and how far who got with one on a device."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.close_names import close_to
from kbweb.api.csv_answers import as_file
from kbweb.api.problem import Errors, FieldErrors
from leaderboard.api import result_shapes as shapes
from leaderboard.api.etag import IF_NONE_MATCH, NOT_MODIFIED, conditional
from leaderboard.api.results_csv import ResultsCsv
from leaderboard.models import Device
from leaderboard.results import Results as Found
from leaderboard.results import Row, results
from leaderboard.suites import Suite, suites
from submissions.access import visible_submissions
from submissions.api.shapes import Problem
from submissions.readers import Reader


class Suites(APIView):
    """Named sets of ops."""

    @extend_schema(operation_id="suites_list", responses=shapes.SuiteSerializer(many=True), tags=["catalogue"])
    def get(self, request: Request) -> Response:
        """All suites that have ops here."""
        return Response(shapes.SuiteSerializer(list(suites().values()), many=True).data)


class Results(APIView):
    """Correctness rate, correctness_score, fast_p and geomean."""

    renderer_classes = (JSONRenderer, ResultsCsv)

    @extend_schema(
        operation_id="results_retrieve",
        parameters=[shapes.ResultsFilter, IF_NONE_MATCH],
        responses={
            (200, "application/json"): shapes.ResultsSerializer,
            (200, "text/csv"): OpenApiResponse(str, description="A line per row: compiled ones, then interpreted ones."),
            304: NOT_MODIFIED,
            400: Problem,
        },
        tags=["leaderboards"],
    )
    def get(self, request: Request) -> HttpResponseBase:
        """A suite on a device in figures: of everybody, an author or an agent label, or a row for each.

        `?format=csv` or `Accept: text/csv` gives CSV. Your own private submissions count in what you see, nobody else's do.
        """
        wanted = shapes.ResultsFilter(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        asked: dict[str, str] = wanted.validated_data
        by = asked["by"]
        found = results(
            _suite(asked["suite"], asked["device"]),
            asked["device"],
            reader=request.user,
            author=asked["author"],
            agent=asked["agent"],
            by="agent" if by == "agent" else "author",
        )
        if not found.rows and not found.interpreted:
            _check_known(request.user, asked["author"], asked["agent"])
        rows, apart = _each(found) if by else _together(found)
        data = shapes.ResultsSerializer({**asked, "rows": rows, "interpreted": apart}).data
        return conditional(request, data, lambda: Response(data, headers=as_file(request, f"{asked['suite']}_{asked['device']}")))


def _each(found: Found) -> tuple[list[Row], list[Row]]:
    """A row per author or label; what each did at each op would be the most of the answer."""
    short = [[dataclasses.replace(row, per_op=()) for row in rows] for rows in (found.rows, found.interpreted)]
    return short[0], short[1]


def _together(found: Found) -> tuple[list[Row], list[Row]]:
    """One row for all that was asked for. Where all of it was interpreted, there is only the interpreted one."""
    apart = [found.interpreted_together] if found.interpreted_together else []
    return ([] if found.only_interpreted else [found.together]), apart


def _suite(slug: str, device: str) -> Suite:
    """The suite. Raises 400 that names the fields when suite or device do not exist."""
    known = suites()
    devices = list(Device.objects.values_list("pk", flat=True))
    errors: Errors = {}
    if slug not in known:
        errors["suite"] = [f"There is no suite {slug!r}." + _instead(slug, known)]
    if device not in devices:
        errors["device"] = [f"There is no device {device!r}." + _instead(device, devices)]
    if errors:
        raise FieldErrors(errors)
    return known[slug]


def _instead(given: str, known: Iterable[str]) -> str:
    return close_to(given, known) or f" There are {', '.join(known) or 'none yet'}."


def _check_known(reader: Reader, author: str, agent: str) -> None:
    """Nothing was found: say so when it is because a name is wrong. What the reader may not see does not exist for them."""
    seen = visible_submissions(reader)
    errors: Errors = {}
    if author and not seen.filter(author__username=author).exists():
        errors["author"] = [f"Nobody called {author!r} has handed in anything that you may see."]
    if agent and not seen.filter(agent=agent).exists():
        errors["agent"] = [f"Nothing that you may see was handed in with the agent label {agent!r}."]
    if errors:
        raise FieldErrors(errors)
