"""Leases: a claim holds for some seconds, its worker renews it, and an expired one goes back to the queue with its attempt raised.

All times of leases are the database's, so that the clocks of hosts need not agree.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection, transaction
from django.db.models import DurationField, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from evaluator.contract import Reason, State, Verdict
from submissions import events
from submissions.finish import conclude, ended_without_judge
from submissions.jobs import BUILD, device_queue, ring
from submissions.limits import ATTEMPTS, LEASE_S
from submissions.models import Evaluation
from submissions.states import HELD, RETURNS, hold, move


def expiry() -> CombinedExpression:
    """When a lease taken or renewed now ends."""
    return Now() + Value(timedelta(seconds=LEASE_S), output_field=DurationField())


def renew(evaluation_id: str, *, attempt: int, worker: str) -> bool:
    """Prolong the lease. False when `worker` no longer holds it."""
    held = Evaluation.objects.filter(pk=evaluation_id, attempt=attempt, worker=worker, state__in=[state.value for state in HELD])
    return held.update(lease_expires_at=expiry()) == 1


def give_back(evaluation_id: str, *, attempt: int, worker: str, reason: str, burn: bool) -> Evaluation:
    """Return an evaluation that `worker` holds to its queue. `burn`: it counts as an attempt. Raises `Fenced`."""
    with transaction.atomic():
        return put_back(hold(evaluation_id, attempt=attempt, worker=worker), reason, burn=burn)


def expire() -> int:
    """Return every evaluation whose lease has expired to its queue. How many there were.

    A database that has just started gives the workers time to renew first.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_postmaster_start_time() > now() - make_interval(secs => %s)", [LEASE_S])
        if cursor.fetchone() == (True,):
            return 0
    late = Evaluation.objects.filter(state__in=[state.value for state in HELD], lease_expires_at__lt=Now())
    count = 0
    for evaluation_id in list(late.values_list("pk", flat=True)):
        with transaction.atomic():
            evaluation = late.select_for_update(skip_locked=True).filter(pk=evaluation_id).first()
            if evaluation is not None:
                put_back(evaluation, f"Worker {evaluation.worker} has gone silent.", burn=True)
                count += 1
    return count


def put_back(evaluation: Evaluation, reason: str, *, burn: bool) -> Evaluation:
    """`give_back` for an evaluation whose row the caller has locked: to its queue, or to its end after the last attempt."""
    if evaluation.claimed_at is not None and burn:
        evaluation.worker_seconds += max(0.0, (timezone.now() - evaluation.claimed_at).total_seconds())
    if evaluation.cancel_requested:
        return conclude(evaluation, ended_without_judge(evaluation, Verdict.CANCELLED, CANCELLED))
    if burn and evaluation.attempt >= ATTEMPTS:
        end = Reason(
            code="attempts_used_up",
            message=f"The evaluation failed {ATTEMPTS} times for reasons of ours. The last one: {reason}",
            hint="This is not your kernel's fault as far as we know. Hand it in again later.",
        )
        return conclude(evaluation, ended_without_judge(evaluation, Verdict.INFRA_ERROR, end))
    events.append(events.evaluation_stream(evaluation.pk), "note", {"text": f"{reason} Back to the queue."})
    evaluation.attempt += int(burn)
    evaluation.worker = ""
    back = RETURNS[State(evaluation.state)]
    move(
        evaluation,
        back,
        attempt=evaluation.attempt,
        worker="",
        claimed_at=None,
        lease_expires_at=None,
        worker_seconds=evaluation.worker_seconds,
    )
    ring(BUILD if back is State.QUEUED else device_queue(evaluation.device))
    return evaluation


CANCELLED = Reason(code="cancelled", message="Cancelled on request.")
