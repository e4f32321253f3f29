"""Where a waiting evaluation stands, and about how long it will wait."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Avg
from django.db.models.functions import Now

from evaluator.contract import State
from submissions.claim import COSTS, cost_parameters
from submissions.jobs import device_queue
from submissions.limits import WORKER_GONE_S
from submissions.models import Evaluation, Worker
from submissions.states import HELD

TYPICAL_S = 5.0
"""What an evaluation is taken to cost where none has been done yet."""
SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Position:
    """`ahead` evaluations go first as things stand; fair share can move that. `estimate_s` is None when no worker is there."""

    ahead: int
    estimate_s: float | None


def position(evaluation: Evaluation) -> Position | None:
    """The position of an evaluation that waits for its device (or for its build before that), None for any other."""
    waiting_states = [State.QUEUED.value, State.WAITING.value]
    if evaluation.state not in waiting_states:
        return None
    waiting = Evaluation.objects.filter(device=evaluation.device, state__in=waiting_states)
    authors = Counter(waiting.order_by().values_list("author_id", flat=True))
    mine = waiting.filter(author_id=evaluation.author_id, queued_at__lt=evaluation.queued_at).count()
    costs = _costs()
    own_cost = costs.get(evaluation.author_id, 0.0)
    ahead = mine + sum(
        min(count, mine + (costs.get(author, 0.0) <= own_cost)) for author, count in authors.items() if author != evaluation.author_id
    )
    return Position(ahead, _estimate(evaluation.device, ahead))


def _costs() -> dict[int, float]:
    with connection.cursor() as cursor:
        cursor.execute(COSTS, cost_parameters())
        return {author: float(cost) for author, cost in cursor.fetchall()}


def _estimate(device: str, ahead: int) -> float | None:
    since = Now() - timedelta(seconds=WORKER_GONE_S)
    workers = Worker.objects.filter(queue=device_queue(device), in_service=True, seen_at__gt=since).count()
    if workers == 0:
        return None
    running = Evaluation.objects.filter(device=device, state__in=[s.value for s in HELD - {State.BUILDING}]).count()
    recent = Evaluation.objects.filter(device=device, state=State.DONE, worker_seconds__gt=0).order_by("-finished_at")[:SAMPLE]
    typical_s = recent.aggregate(mean=Avg("worker_seconds"))["mean"] or TYPICAL_S
    return round((ahead + running * 0.5) * typical_s / workers, 1)
