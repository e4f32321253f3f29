"""What a webhook says of an evaluation. No source, no log: an address is not a person."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse

from evaluator.contract import JSON
from submissions.models import Evaluation


def evaluation_data(evaluation: Evaluation) -> dict[str, JSON]:
    outcome = evaluation.outcome if isinstance(evaluation.outcome, dict) else {}
    reasons = outcome.get("reasons")
    return {
        "evaluation": evaluation.pk,
        "submission": evaluation.submission_id,
        "url": page_url(evaluation),
        "api": f"{settings.SITE_URL}{reverse('api-evaluation', args=[evaluation.pk])}",
        "op": evaluation.op,
        "device": evaluation.device,
        "mode": evaluation.mode,
        "purpose": evaluation.purpose,
        "agent": evaluation.submission.agent,
        "verdict": evaluation.verdict,
        "flags": [str(flag) for flag in evaluation.flags],
        "reasons": [{"code": r.get("code", ""), "message": r.get("message", "")} for r in reasons if isinstance(r, dict)]
        if isinstance(reasons, list)
        else [],
        "speedup": evaluation.speedup,
        "speedup_low": evaluation.speedup_low,
        "speedup_high": evaluation.speedup_high,
        "time_us": evaluation.time_us,
    }


def page_url(evaluation: Evaluation) -> str:
    return f"{settings.SITE_URL}{reverse('submission', args=[evaluation.submission_id])}?evaluation={evaluation.pk}"
