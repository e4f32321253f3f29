"""Take the next evaluation of a queue, in fair-share order.

The author who cost the workers least goes first (worker seconds of the last hour, plus what is running now), then the older
evaluation. The house's own evaluations cost their author nothing, and come after everybody's until the oldest have waited for
`limits.house_patience_s`: these take part in the order as if the site were one author more, at the cost of all that it had run. Among
themselves confirming runs go before others, then those of the author for whom the house has spent least, then the older. Claims of one
queue run one at a time under an advisory lock: with SKIP LOCKED alone two claimers would see the same costs and both take the same
author.
"""

from __future__ import annotations

from django.db import connection, transaction
from django.utils import timezone

from evaluator.contract import State
from submissions.jobs import BUILD, ring
from submissions.lease import expiry
from submissions.limits import house_patience_s
from submissions.models import HOUSE, Evaluation
from submissions.states import HELD, move

RUNNING_S = 5.0
"""What a running evaluation counts at least, so that an author's second one waits for others' first."""

COSTS = """
    SELECT author_id, purpose = ANY(%(house)s) AS house,
           SUM(worker_seconds + CASE WHEN state = ANY(%(held)s)
                                     THEN %(running_s)s + EXTRACT(EPOCH FROM now() - COALESCE(claimed_at, now()))
                                     ELSE 0 END) AS cost_s
    FROM submissions_evaluation
    WHERE state <> 'done' OR finished_at > now() - interval '1 hour'
    GROUP BY author_id, house
"""
"""Per author what his own evaluations cost, and apart from it what the house spent on his kernels."""

_NEXT = f"""
WITH cost AS ({COSTS}),
waiting AS (
    SELECT evaluation.id, evaluation.queued_at, cost.house, cost.cost_s,
           cost.house AND evaluation.queued_at > now() - make_interval(secs => %(patience_s)s) AS behind,
           array_position(%(house)s, evaluation.purpose::text) AS kind
    FROM submissions_evaluation AS evaluation
    JOIN cost ON cost.author_id = evaluation.author_id AND cost.house = (evaluation.purpose = ANY(%(house)s))
    WHERE evaluation.state = %(state)s AND (%(device)s = '' OR evaluation.device = %(device)s)
),
competing AS (
    SELECT id, queued_at, house, behind,
           CASE WHEN house THEN (SELECT SUM(cost_s) FROM cost WHERE house) ELSE cost_s END AS account_s,
           ROW_NUMBER() OVER (PARTITION BY house, behind ORDER BY kind, cost_s, queued_at, id) AS turn
    FROM waiting
)
SELECT evaluation.id
FROM submissions_evaluation AS evaluation
JOIN competing ON competing.id = evaluation.id
WHERE evaluation.state = %(state)s AND (NOT competing.house OR competing.turn = 1)
ORDER BY competing.behind, competing.account_s, competing.queued_at, competing.id
LIMIT 1 FOR UPDATE OF evaluation SKIP LOCKED
"""
"""Of the house's own those that still stand behind everybody compete apart from those that have waited long enough, each with its first.

The state is asked twice: what a row becomes between the snapshot and its lock is checked against the outer condition alone.
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
    return {"held": [state.value for state in HELD], "running_s": RUNNING_S, "house": [purpose.value for purpose in HOUSE]}


def _next(queue: str, state: State, device: str) -> Evaluation | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.claim'), hashtext(%s))", [queue])
        cursor.execute(_NEXT, {**cost_parameters(), "state": state.value, "device": device, "patience_s": house_patience_s()})
        row = cursor.fetchone()
    return None if row is None else Evaluation.objects.select_related("submission").get(pk=row[0])


def _device(queue: str) -> str:
    return queue.partition(".")[2]
