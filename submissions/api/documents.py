"""Submissions and evaluations as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from rest_framework.request import Request

from evaluator.contract import JSON, State
from submissions.access import Reader, may_read_source, visible_parent
from submissions.api.shapes import MOST_RUNS
from submissions.competitions.access import competition_of
from submissions.confirming import CONFIRMING_RUNS, ConfirmingRuns, of_submission
from submissions.decisions.models import Decision
from submissions.decisions.reading import standing_decisions
from submissions.models import Evaluation, Submission
from submissions.queue_position import Position, positions
from submissions.redact import redact_outcome

SAMPLES = ("samples_us", "baseline_samples_us")


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands in the documents of evaluations of one submission besides their own rows, asked for once for all of them."""

    source_readable: bool
    confirming: Mapping[str, ConfirmingRuns]
    decisions: Mapping[str, Decision]
    positions: Mapping[str, Position]

    @classmethod
    def of(cls, user: Reader, submission: Submission, runs: Sequence[Evaluation]) -> Beside:
        return cls(may_read_source(user, submission), of_submission(submission, runs), standing_decisions(user, runs), positions(runs))


def submission_document(request: Request, submission: Submission) -> dict[str, object]:
    """A submission with its newest evaluations, oldest first; `evaluations_url` lists all of them."""
    newest = submission.evaluations.select_related("author").defer("log", "build").order_by("-queued_at", "-pk")[:MOST_RUNS]
    runs = list(reversed(newest))
    for run in runs:
        run.submission = submission
    beside = Beside.of(request.user, submission, runs)
    competition = competition_of(request.user, submission.competition_id)
    document: dict[str, object] = {
        "id": submission.pk,
        "url": _page(request, submission.pk),
        "op": submission.op,
        "kernel_type": submission.kernel_type,
        "author": submission.author.get_username(),
        "visibility": submission.visibility,
        "competition": competition.slug if competition else None,
        "agent": submission.agent,
        "filename": submission.filename,
        "source_sha256": submission.source_sha256,
        "created_at": submission.created_at,
        "parent": parent.pk if (parent := visible_parent(request.user, submission)) else None,
        "evaluations_count": len(runs) if len(runs) < MOST_RUNS else submission.evaluations.count(),
        "evaluations_url": request.build_absolute_uri(f"{reverse('api-evaluations')}?{urlencode({'submission': submission.pk})}"),
    }
    if beside.source_readable:
        document["source"] = submission.source
    document["evaluations"] = [_whole(request, run, beside) for run in runs]
    return document


def evaluation_document(request: Request, evaluation: Evaluation) -> dict[str, object]:
    return _whole(request, evaluation, Beside.of(request.user, evaluation.submission, [evaluation]))


def evaluation_row(request: Request, evaluation: Evaluation) -> dict[str, object]:
    """An evaluation in a list: what its own row and its submission's say, without the outcome."""
    return {
        "id": evaluation.pk,
        "url": f"{_page(request, evaluation.submission_id)}?evaluation={evaluation.pk}",
        "submission": evaluation.submission_id,
        "op": evaluation.op,
        "author": evaluation.author.get_username(),
        "agent": evaluation.submission.agent,
        "kernel_type": evaluation.submission.kernel_type,
        "device": evaluation.device,
        "mode": evaluation.mode,
        "policy": evaluation.policy,
        "timer": evaluation.timer,
        "purpose": evaluation.purpose,
        "epoch": evaluation.epoch if evaluation.state == State.DONE else None,
        "state": evaluation.state,
        "verdict": evaluation.verdict,
        "flags": evaluation.flags,
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
    }


def _whole(request: Request, evaluation: Evaluation, beside: Beside) -> dict[str, object]:
    outcome = shown_outcome(evaluation, source_readable=beside.source_readable)
    place = beside.positions.get(evaluation.pk)
    return {
        **evaluation_row(request, evaluation),
        "stage": outcome.get("stage") if outcome else None,
        "reasons": outcome.get("reasons", []) if outcome else [],
        "decision": _decision(beside.decisions.get(evaluation.pk)),
        "confirming": _confirming(beside.confirming.get(evaluation.pk)),
        "queue": {"ahead": place.ahead, "estimate_s": place.estimate_s} if place else None,
        "outcome": outcome,
    }


def _decision(standing: Decision | None) -> dict[str, object] | None:
    if standing is None:
        return None
    by = standing.actor.get_username() if standing.actor else ""
    return {"kind": standing.kind, "reason": standing.reason, "by": by, "at": standing.made_at}


def _confirming(found: ConfirmingRuns | None) -> dict[str, object] | None:
    if found is None:
        return None
    runs = [
        {
            "number": run.number,
            "evaluation": run.evaluation.pk,
            "submission": run.evaluation.submission_id,
            "state": run.evaluation.state,
            "verdict": run.evaluation.verdict,
            "speedup": run.evaluation.speedup,
        }
        for run in found.runs
    ]
    return {"confirmation": found.confirmation, "counted": found.counted, "needed": CONFIRMING_RUNS, "why": found.why_not, "runs": runs}


def shown_outcome(evaluation: Evaluation, *, source_readable: bool) -> dict[str, JSON] | None:
    """The outcome without raw samples, and without log and tracebacks for whoever may not read the source."""
    stored: Mapping[str, JSON] | None = evaluation.outcome
    if stored is None:
        return None
    found = stored.get("cases")
    cases: list[JSON] = [_without_samples(case) for case in found if isinstance(case, dict)] if isinstance(found, list) else []
    outcome: dict[str, JSON] = {**stored, "cases": cases}
    return outcome if source_readable else redact_outcome(outcome)


def _without_samples(case: Mapping[str, JSON]) -> dict[str, JSON]:
    timing = case.get("timing")
    if not isinstance(timing, dict):
        return dict(case)
    return {**case, "timing": {key: value for key, value in timing.items() if key not in SAMPLES}}


def _page(request: Request, submission_id: str) -> str:
    return request.build_absolute_uri(reverse("submission", args=[submission_id]))
