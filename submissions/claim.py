"""Take the next evaluation of a queue, in fair-share order.

The author who cost the workers least goes first (worker seconds of the last hour, plus what is running now), then the older
evaluation. Claims of one queue run one at a time under an advisory lock: with SKIP LOCKED alone two claimers would see the same
costs and both take the same author.
"""

from __future__ import annotations

from django.db import connection, transaction
from django.utils import timezone

from evaluator.contract import State
from submissions.jobs import BUILD, ring
from submissions.lease import expiry
from submissions.models import Evaluation
from submissions.states import HELD, move

RUNNING_S = 5.0
"""What a running evaluation counts at least, so that an author's second one waits for others' first."""

COSTS = """
    SELECT author_id, SUM(worker_seconds + CASE WHEN state = ANY(%(held)s)
                                                THEN %(running_s)s + EXTRACT(EPOCH FROM now() - COALESCE(claimed_at, now()))
                                                ELSE 0 END) AS cost_s
    FROM submissions_evaluation
    WHERE state <> 'done' OR finished_at > now() - interval '1 hour'
    GROUP BY author_id
"""

_NEXT = f"""
WITH cost AS ({COSTS})
SELECT evaluation.id
FROM submissions_evaluation AS evaluation JOIN cost ON cost.author_id = evaluation.author_id
WHERE evaluation.state = %(state)s AND (%(device)s = '' OR evaluation.device = %(device)s)
ORDER BY cost.cost_s, evaluation.queued_at, evaluation.id
LIMIT 1 FOR UPDATE OF evaluation SKIP LOCKED
"""


def claim(queue: str, worker: str) -> Evaluation | None:
    """Give `worker` the next evaluation of `queue` under a lease, None when nothing waits. If more waits, ring the queue again."""
    entry, to, device = (State.QUEUED, State.BUILDING, "") if queue == BUILD else (State.WAITING, State.CHECKING, _device(queue))
    with transaction.atomic():
        evaluation = _next(queue, entry, device)
        if evaluation is None:
            return None
        now = timezone.now()
        move(
            evaluation,
            to,
            worker=worker,
            claimed_at=now,
            started_at=evaluation.started_at or now,
            lease_expires_at=expiry(),
        )
        waiting = Evaluation.objects.filter(state=entry).exclude(pk=evaluation.pk)
        if (waiting.filter(device=device) if device else waiting).exists():
            ring(queue)
    return evaluation


def cost_parameters() -> dict[str, list[str] | float | str]:
    """What the SQL in `COSTS` asks for."""
    return {"held": [state.value for state in HELD], "running_s": RUNNING_S}


def _next(queue: str, state: State, device: str) -> Evaluation | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.claim'), hashtext(%s))", [queue])
        cursor.execute(_NEXT, {**cost_parameters(), "state": state.value, "device": device})
        row = cursor.fetchone()
    return None if row is None else Evaluation.objects.select_related("submission").get(pk=row[0])


def _device(queue: str) -> str:
    return queue.partition(".")[2]
