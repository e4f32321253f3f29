"""Where a waiting evaluation stands, and about how long it will wait."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Avg, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from evaluator.contract import State
from submissions.claim import COSTS, cost_parameters
from submissions.jobs import BUILD, device_queue
from submissions.limits import house_patience_s
from submissions.models import HOUSE, Evaluation, Purpose, Worker
from submissions.states import HELD

TYPICAL_S = 5.0
"""What an evaluation is taken to cost where none has been done yet."""
LEAST_LEFT = 0.1
"""What a running evaluation is taken to need still, as a part of the typical time, however long it runs already."""
SAMPLE = 50
WAITING = (State.QUEUED.value, State.WAITING.value)
_SITE = 0
"""Where authors are told apart by their ids, the site."""
Costs = Mapping[tuple[int, bool], float]
"""By author, and whether it is what the house spent on him."""


@dataclass(frozen=True, slots=True)
class Position:
    """`ahead` evaluations go first as things stand; fair share can move that.

    `estimate_s` is None when a worker that it needs is not there; `lacks` says which: "build" or "device", "" when all are.
    """

    ahead: int
    estimate_s: float | None
    lacks: str = ""


def position(evaluation: Evaluation) -> Position | None:
    """The position of an evaluation that waits for its device (or for its build before that), None for any other."""
    return positions([evaluation]).get(evaluation.pk)


def positions(evaluations: Iterable[Evaluation]) -> dict[str, Position]:
    """The positions of those that wait, by their ids. The costs are asked for once, each device's queue and workers once."""
    by_device: dict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        if evaluation.state in WAITING:
            by_device[evaluation.device].append(evaluation)
    if not by_device:
        return {}
    costs, serving = _costs(), Counter(Worker.objects.serving().order_by().values_list("queue", flat=True))
    found = {}
    for device, runs in by_device.items():
        queue, pace = _queue(device, costs), _pace(device, serving[device_queue(device)])
        for run in runs:
            ahead = queue.ahead_of(run)
            lacks = "build" if run.state == State.QUEUED and not serving[BUILD] else "" if pace.workers else "device"
            found[run.pk] = Position(ahead, None if lacks else pace.estimate_s(ahead), lacks)
    return found


@dataclass(frozen=True, slots=True)
class _Queue:
    """What waits for a device: when what each author handed in was queued, and the house's own as `_house` tells them."""

    own: Mapping[int, Sequence[datetime]]
    behind: Sequence[str]
    competing: Sequence[str]
    costs: Costs

    def ahead_of(self, evaluation: Evaluation) -> int:
        if evaluation.pk in self.behind:
            return sum(map(len, self.own.values())) + len(self.competing) + self.behind.index(evaluation.pk)
        accounts = [(author, len(waits), self.costs.get((author, False), 0.0)) for author, waits in self.own.items()]
        if self.competing:
            accounts.append((_SITE, len(self.competing), sum(cost for (_, is_house), cost in self.costs.items() if is_house)))
        if evaluation.pk in self.competing:
            me, mine = _SITE, self.competing.index(evaluation.pk)
        else:
            me = evaluation.author_id
            mine = sum(at < evaluation.queued_at for at in self.own.get(me, ()))
        my_cost = next((cost for account, _, cost in accounts if account == me), 0.0)
        return mine + sum(min(count, mine + (cost <= my_cost)) for account, count, cost in accounts if account != me)


def _queue(device: str, costs: Costs) -> _Queue:
    waiting = Evaluation.objects.filter(device=device, state__in=WAITING)
    own: dict[int, list[datetime]] = defaultdict(list)
    for author, at in waiting.exclude(purpose__in=HOUSE).order_by().values_list("author_id", "queued_at"):
        own[author].append(at)
    return _Queue(own, *_house(waiting, costs), costs)


def _house(waiting: QuerySet[Evaluation], costs: Costs) -> tuple[list[str], list[str]]:
    """Ids of the house's own in the order of claims: those that stand behind everybody, and those that compete."""
    rows = waiting.filter(purpose__in=HOUSE).order_by().values_list("pk", "purpose", "author_id", "queued_at")
    ordered = sorted(rows, key=lambda row: (HOUSE.index(Purpose(row[1])), costs.get((row[2], True), 0.0), row[3], row[0]))
    since = timezone.now() - timedelta(seconds=house_patience_s())
    return [pk for pk, _, _, at in ordered if at > since], [pk for pk, _, _, at in ordered if at <= since]


def _costs() -> dict[tuple[int, bool], float]:
    with connection.cursor() as cursor:
        cursor.execute(COSTS, cost_parameters())
        return {(author, house): float(cost) for author, house, cost in cursor.fetchall()}


@dataclass(frozen=True, slots=True)
class _Pace:
    """How fast a device works: what an evaluation usually takes there, what those that run still need, and how many workers there are."""

    workers: int
    typical_s: float
    left_s: float

    def estimate_s(self, ahead: int) -> float:
        return round((ahead * self.typical_s + self.left_s) / self.workers, 1)


def _pace(device: str, workers: int) -> _Pace:
    if workers == 0:
        return _Pace(0, TYPICAL_S, 0.0)
    running = Evaluation.objects.filter(device=device, state__in=[s.value for s in HELD - {State.BUILDING}])
    ages = running.annotate(age=Now() - Coalesce("claimed_at", Now())).order_by().values_list("age", flat=True)
    recent = Evaluation.objects.filter(device=device, state=State.DONE, worker_seconds__gt=0).order_by("-finished_at")[:SAMPLE]
    typical_s: float = recent.aggregate(mean=Avg("worker_seconds"))["mean"] or TYPICAL_S
    left_s: float = sum(max(typical_s - age.total_seconds(), LEAST_LEFT * typical_s) for age in ages)
    return _Pace(workers, typical_s, left_s)
