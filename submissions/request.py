"""What the evaluator is asked to do for an evaluation."""

from __future__ import annotations

from django.conf import settings

from evaluator.contract import EvaluationRequest, KernelType
from submissions.known_ops import definition_of
from submissions.models import Evaluation, Purpose


def request_of(evaluation: Evaluation) -> EvaluationRequest:
    submission, terms = evaluation.submission, evaluation.terms
    confirming = evaluation.purpose == Purpose.CONFIRMING
    return EvaluationRequest(
        op=evaluation.op,
        source=submission.source,
        kernel_type=KernelType(submission.kernel_type),
        device=evaluation.device,
        mode=terms.mode,
        seed=terms.seed,
        policy=terms.policy,
        timer=terms.timer,
        filename=submission.filename,
        limits=settings.LIMITS.for_confirming() if confirming else settings.LIMITS,
        definition=definition_of(evaluation.op),
        confirming=confirming,
    )
