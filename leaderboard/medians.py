"""Figures of a source: medians over its runs, for querysets of eligible runs that are grouped by source."""

from __future__ import annotations

from django.db.models import Aggregate, Case, Count, F, FloatField, QuerySet, When
from django.db.models.functions import Abs

from submissions.confirming import CONFIRMING_RUNS, counts
from submissions.models import Evaluation

CONFIRMING = counts()
"""Condition on a run: one of those that confirm its source."""


class Median(Aggregate):
    """PostgreSQL's continuous median."""

    function = "PERCENTILE_CONT"
    name = "Median"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def fresh() -> Count:
    """How many confirming runs a source has. `median` needs it as the annotation `fresh`."""
    return Count("pk", filter=CONFIRMING)


def median(column: str) -> Case:
    """Of all runs of a source, but once there are enough confirming runs, of these alone.

    The run with which a source took rank 1 was chosen for being the best of many, and the best of many is too good (the winner's curse);
    confirming runs were chosen by nobody.
    """
    return Case(When(fresh__gte=CONFIRMING_RUNS, then=Median(column, filter=CONFIRMING)), default=Median(column))


def nearest(runs: QuerySet[Evaluation], speedup: float) -> str:
    """The run whose speedup is nearest to the median; among equals the first. There must be one."""
    by_distance = runs.annotate(distance=Abs(F("speedup") - speedup)).order_by("distance", "finished_at", "pk")
    return str(by_distance.values_list("pk", flat=True)[0])
