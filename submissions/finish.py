"""The end of an evaluation: outcome, copies for queries, verdict event and what others derive from it, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from evaluator.contract import JSON, KernelType, Mode, Outcome, Reason, State, Verdict, to_json
from evaluator.profiling.artefacts import Artefact
from submissions import events
from submissions.artefacts import keep_artefacts
from submissions.decisions.reading import held_if_refused
from submissions.models import Evaluation, Visibility
from submissions.samples import keep, without_samples
from submissions.signals import evaluation_done
from submissions.states import hold, move
from submissions.storable import storable, storable_text

MAX_LOG = 256 * 1024
MAX_DETAIL = 4 * 1024

log = structlog.get_logger(__name__)


def finish(
    evaluation_id: str, outcome: Outcome, *, attempt: int, worker: str, worker_s: float, artefacts: Sequence[Artefact] = ()
) -> Evaluation:
    """Store the outcome of an evaluation that `worker` holds. Raises `Fenced` when it no longer does: drop the outcome then."""
    with transaction.atomic():
        evaluation = hold(evaluation_id, attempt=attempt, worker=worker)
        evaluation.worker_seconds += worker_s
        return conclude(evaluation, outcome, artefacts)


def ended_without_judge(evaluation: Evaluation, verdict: Verdict, reason: Reason) -> Outcome:
    """The outcome of an evaluation that ended before or outside of the evaluator."""
    return Outcome(
        verdict=verdict,
        stage=State(evaluation.state),
        op=evaluation.op,
        device=evaluation.device,
        kernel_type=KernelType(evaluation.submission.kernel_type),
        mode=Mode(evaluation.mode),
        reasons=(reason,),
    )


def conclude(evaluation: Evaluation, outcome: Outcome, artefacts: Sequence[Artefact] = ()) -> Evaluation:
    """Make an evaluation whose row the caller has locked `done` with this outcome and what profilers left."""
    outcome = held_if_refused(evaluation, outcome)
    document = storable(to_json(without_samples(outcome)))
    assert isinstance(document, dict)
    document["log"] = ""
    summary = outcome.timing
    move(
        evaluation,
        State.DONE,
        verdict=outcome.verdict.value,
        flags=[flag.value for flag in outcome.flags],
        epoch=outcome.epoch,
        outcome=document,
        log=storable_text(outcome.log, MAX_LOG),
        correctness_score=outcome.correctness_score,
        speedup=outcome.performance_score,
        speedup_low=summary.low if summary else None,
        speedup_high=summary.high if summary else None,
        time_us=summary.candidate_us if summary else None,
        worker_seconds=evaluation.worker_seconds,
        finished_at=timezone.now(),
        lease_expires_at=None,
    )
    keep(evaluation, outcome.cases)
    keep_artefacts(evaluation, artefacts)
    events.append(events.evaluation_stream(evaluation.pk), "verdict", _verdict(outcome))
    _tell(evaluation)
    if evaluation.submission.visibility != Visibility.PRIVATE and not evaluation.is_house:
        events.append(events.FEED, "verdict", _headline(evaluation))
    return evaluation


def _tell(evaluation: Evaluation) -> None:
    """What others derive can be derived again, so a fault of theirs must not undo a verdict; a database that went away does."""
    try:
        with transaction.atomic():
            evaluation_done.send(sender=Evaluation, evaluation=evaluation)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("evaluation_done_receiver_failed", evaluation=evaluation.pk)


def _verdict(outcome: Outcome) -> dict[str, JSON]:
    return {
        "verdict": outcome.verdict.value,
        "stage": outcome.stage.value,
        "reasons": [
            {"code": r.code, "message": r.message, "detail": storable_text(r.detail, MAX_DETAIL), "hint": r.hint} for r in outcome.reasons
        ],
        "flags": [flag.value for flag in outcome.flags],
        "correctness_score": outcome.correctness_score,
        "speedup": outcome.performance_score,
        "low": outcome.timing.low if outcome.timing else None,
        "high": outcome.timing.high if outcome.timing else None,
        "time_us": outcome.timing.candidate_us if outcome.timing else None,
    }


def _headline(evaluation: Evaluation) -> dict[str, JSON]:
    return {
        "submission": evaluation.submission_id,
        "evaluation": evaluation.pk,
        "author": str(evaluation.author),
        "op": evaluation.op,
        "device": evaluation.device,
        "mode": evaluation.mode,
        "verdict": evaluation.verdict,
        "speedup": evaluation.speedup,
    }
