"""What a moderator looks at: what is held and why, both clocks case by case, other runs of the source, earlier decisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import JSONField, QuerySet
from django.db.models.fields.json import KeyTransform

from evaluator.contract import CaseTiming, Reason
from leaderboard.models import Record
from leaderboard.moderation import same_source, waiting
from submissions.decisions.models import Decision
from submissions.models import LARGE, Evaluation
from submissions.pages.sheet import Sheet, sheet

QUEUE = 100
LATEST = 50


@dataclass(frozen=True, slots=True)
class Waiting:
    """An evaluation in the queue, with the codes of its reasons."""

    evaluation: Evaluation
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clocks:
    """A case by both clocks. `apart`: their intervals do not touch, which honest noise does not explain."""

    case: str
    inputs: str
    timing: CaseTiming
    apart: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """All about one evaluation. `own_speedup` and `judged_speedup` are geometric means over the cases that both clocks measured.

    `standing` is the decision on it that stands, `decisions` are all others on its source.
    """

    evaluation: Evaluation
    sheet: Sheet | None
    reasons: tuple[Reason, ...]
    clocks: tuple[Clocks, ...]
    own_speedup: float | None
    judged_speedup: float | None
    runs: tuple[Evaluation, ...]
    standing: Decision | None
    decisions: tuple[Decision, ...]
    record: Record | None


def queue() -> list[Waiting]:
    """What waits for a decision, the longest waiting first, in one query."""
    rows = waiting().select_related("submission", "author").light()
    found = rows.annotate(told=KeyTransform("reasons", "outcome", output_field=JSONField()))[:QUEUE]
    return [Waiting(row, tuple(str(r.get("code", "")) for r in getattr(row, "told") or () if isinstance(r, dict))) for row in found]  # noqa: B009 (annotated)


def waiting_count() -> int:
    return waiting().count()


def latest_decisions() -> QuerySet[Decision]:
    """The newest first; one of each batch."""
    newest = Decision.objects.order_by("batch", "pk").distinct("batch").values("pk")
    rows = Decision.objects.filter(pk__in=newest).select_related("actor", "withdrawn_by", "evaluation__author")
    return rows.defer(*(f"evaluation__{column}" for column in LARGE)).order_by("-made_at")[:LATEST]


def evidence(evaluation: Evaluation) -> Evidence:
    """Needs `submission` and `author` at hand."""
    found = sheet(evaluation, may_read_source=True)
    clocks = tuple(_clocks(row.name, row.inputs, row.timing) for row in found.performance) if found else ()
    both = [each.timing for each in clocks if each.timing.audit_speedup]
    runs = Evaluation.objects.filter(same_source(evaluation)).exclude(pk=evaluation.pk).light()
    earlier = Decision.objects.filter(
        evaluation__op=evaluation.op, evaluation__submission__normalised_sha256=evaluation.submission.normalised_sha256
    )
    decided = tuple(earlier.select_related("actor", "withdrawn_by", "evaluation__author").defer("evaluation__outcome", "evaluation__log"))
    standing = next((d for d in decided if d.evaluation_id == evaluation.pk and d.stands), None)
    return Evidence(
        evaluation=evaluation,
        sheet=found,
        reasons=found.outcome.reasons if found else (),
        clocks=clocks,
        own_speedup=_mean([timing.speedup for timing in both]),
        judged_speedup=_mean([timing.audit_speedup or 0.0 for timing in both]),
        runs=tuple(runs.order_by("-queued_at")[:LATEST]),
        standing=standing,
        decisions=tuple(d for d in decided if d is not standing),
        record=Record.objects.current().filter(op_id=evaluation.op, device_id=evaluation.device).select_related("author").first(),
    )


def since(waiting_for: Sequence[Waiting]) -> datetime | None:
    """When the one that waits longest ended."""
    return min((one.evaluation.finished_at for one in waiting_for if one.evaluation.finished_at), default=None)


def _clocks(case: str, inputs: str, timing: CaseTiming) -> Clocks:
    low, high = timing.audit_low, timing.audit_high
    apart = low is not None and high is not None and (low > timing.high or high < timing.low)
    return Clocks(case, inputs, timing, apart)


def _mean(speedups: Sequence[float]) -> float | None:
    good = [speedup for speedup in speedups if speedup > 0 and math.isfinite(speedup)]
    return math.exp(sum(map(math.log, good)) / len(good)) if good else None
