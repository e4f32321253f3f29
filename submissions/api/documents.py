"""Submissions and evaluations as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from django.urls import reverse
from rest_framework.request import Request

from evaluator.contract import JSON
from submissions.access import Reader, may_read_source
from submissions.models import Evaluation, Submission
from submissions.queue_position import position
from submissions.redact import redact_outcome

SAMPLES = ("samples_us", "baseline_samples_us")


def submission_document(request: Request, submission: Submission) -> dict[str, object]:
    """A submission with all its evaluations, oldest first."""
    document: dict[str, object] = {
        "id": submission.pk,
        "url": _page(request, submission.pk),
        "op": submission.op,
        "kernel_type": submission.kernel_type,
        "author": submission.author.get_username(),
        "visibility": submission.visibility,
        "agent": submission.agent,
        "filename": submission.filename,
        "source_sha256": submission.source_sha256,
        "created_at": submission.created_at,
    }
    if may_read_source(request.user, submission):
        document["source"] = submission.source
    runs = submission.evaluations.select_related("submission", "author").order_by("queued_at", "pk")
    document["evaluations"] = [evaluation_document(request, run) for run in runs]
    return document


def evaluation_document(request: Request, evaluation: Evaluation) -> dict[str, object]:
    outcome = shown_outcome(request.user, evaluation)
    place = position(evaluation)
    return {
        "id": evaluation.pk,
        "url": f"{_page(request, evaluation.submission_id)}?evaluation={evaluation.pk}",
        "submission": evaluation.submission_id,
        "op": evaluation.op,
        "author": evaluation.author.get_username(),
        "kernel_type": evaluation.submission.kernel_type,
        "device": evaluation.device,
        "mode": evaluation.mode,
        "policy": evaluation.policy,
        "state": evaluation.state,
        "verdict": evaluation.verdict,
        "flags": evaluation.flags,
        "stage": outcome.get("stage") if outcome else None,
        "reasons": outcome.get("reasons", []) if outcome else [],
        "correctness_score": evaluation.correctness_score,
        "performance_score": evaluation.speedup,
        "speedup_low": evaluation.speedup_low,
        "speedup_high": evaluation.speedup_high,
        "time_us": evaluation.time_us,
        "attempt": evaluation.attempt,
        "worker": evaluation.worker,
        "queued_at": evaluation.queued_at,
        "started_at": evaluation.started_at,
        "finished_at": evaluation.finished_at,
        "queue": {"ahead": place.ahead, "estimate_s": place.estimate_s} if place else None,
        "outcome": outcome,
    }


def shown_outcome(user: Reader, evaluation: Evaluation) -> dict[str, JSON] | None:
    """The outcome without raw samples, and without log and tracebacks for whoever may not read the source."""
    stored: Mapping[str, JSON] | None = evaluation.outcome
    if stored is None:
        return None
    found = stored.get("cases")
    cases: list[JSON] = [_without_samples(case) for case in found if isinstance(case, dict)] if isinstance(found, list) else []
    outcome: dict[str, JSON] = {**stored, "cases": cases}
    return outcome if may_read_source(user, evaluation.submission) else redact_outcome(outcome)


def _without_samples(case: Mapping[str, JSON]) -> dict[str, JSON]:
    timing = case.get("timing")
    if not isinstance(timing, dict):
        return dict(case)
    return {**case, "timing": {key: value for key, value in timing.items() if key not in SAMPLES}}


def _page(request: Request, submission_id: str) -> str:
    return request.build_absolute_uri(reverse("submission", args=[submission_id]))
