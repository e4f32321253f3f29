"""What the evaluator is asked to do for an evaluation."""

from __future__ import annotations

from django.conf import settings

from evaluator.contract import EvaluationRequest, KernelType, Mode, Policy
from submissions.known_ops import definition_of
from submissions.models import Evaluation


def request_of(evaluation: Evaluation) -> EvaluationRequest:
    submission = evaluation.submission
    return EvaluationRequest(
        op=evaluation.op,
        source=submission.source,
        kernel_type=KernelType(submission.kernel_type),
        device=evaluation.device,
        mode=Mode(evaluation.mode),
        seed=evaluation.seed,
        policy=Policy(evaluation.policy),
        filename=submission.filename,
        limits=settings.LIMITS,
        definition=definition_of(evaluation.op),
    )
