"""What the site is doing: queues, workers, versions, totals. Shown at `/status/` and by the API."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass
from datetime import datetime

import django
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import BooleanField, Count, ExpressionWrapper, Min, Q
from django.utils import timezone

from evaluator.contract import CONTRACT_VERSION, State
from leaderboard.models import Entry, Op
from submissions.jobs import BUILD, WEBHOOKS
from submissions.models import Evaluation, Submission, Worker, lately_seen
from submissions.proof import apart

VERSIONS = ("driver", "cuda", "torch", "triton", "python")


@dataclass(frozen=True, slots=True)
class Queue:
    """Evaluations that wait for a worker of one kind (`build`, `device.<slug>`), those under way, and the age of the oldest waiting."""

    name: str
    waiting: int
    running: int
    oldest_s: float | None


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker as it last reported itself. `alive`: it was seen lately."""

    name: str
    queue: str
    device: str
    device_name: str
    alive: bool
    in_service: bool
    note: str
    sandbox: dict[str, object]
    """Layers of the judge's candidates by name."""
    probe: dict[str, object]
    """What the probe found that tried to break out (`submissions.proof.proof`), {} before the first."""
    seen_at: datetime
    calibration: dict[str, object]
    """Ceilings measured there, or a note that says why there are none; {} before the judge has said."""
    versions: dict[str, str]
    """Of what judges there: driver, cuda, torch, triton, python."""


@dataclass(frozen=True, slots=True)
class SiteStatus:
    queues: tuple[Queue, ...]
    workers: tuple[WorkerState, ...]
    versions: dict[str, str]

    @property
    def in_service(self) -> int:
        """Device workers that are alive and take work."""
        return sum(bool(worker.alive and worker.in_service and worker.device) for worker in self.workers)

    @property
    def judging(self) -> bool:
        """Whether what is built can be judged: at least one device worker is alive and in service."""
        return self.in_service > 0

    @property
    def building(self) -> bool:
        """Whether what is handed in can be built: at least one build worker is alive and in service."""
        return any(worker.alive and worker.in_service and worker.queue == BUILD for worker in self.workers)

    @property
    def under_way(self) -> int:
        """Evaluations that workers hold."""
        return sum(queue.running for queue in self.queues)


def site_status() -> SiteStatus:
    """Queues, workers and versions now, in two queries."""
    known = Worker.objects.annotate(alive=ExpressionWrapper(lately_seen(), BooleanField())).order_by("queue", "name")
    workers = tuple(_worker(worker, alive=getattr(worker, "alive")) for worker in known)  # noqa: B009 (annotated)
    return SiteStatus(
        queues=_queues({worker.queue for worker in workers if worker.alive and worker.queue != WEBHOOKS}),
        workers=workers,
        versions=versions(),
    )


def stats() -> dict[str, object]:
    """Totals over all time."""
    verdicts = Evaluation.objects.filter(state=State.DONE).order_by("verdict").values_list("verdict").annotate(n=Count("pk"))
    return {
        "submissions": Submission.objects.count(),
        "evaluations": dict(verdicts),
        "entries": Entry.objects.eligible().count(),
        "ops": Op.objects.filter(active=True).count(),
        "authors": get_user_model().objects.filter(submissions__isnull=False).distinct().count(),
    }


def versions() -> dict[str, str]:
    """Versions of what answers this request. torch and triton belong to workers, whose environment tells them."""
    connection.ensure_connection()
    server = connection.connection.info.server_version
    return {
        "kbweb": _version("kbweb"),
        "contract": str(CONTRACT_VERSION),
        "django": django.get_version(),
        "python": platform.python_version(),
        "postgresql": f"{server // 10000}.{server % 10000}",
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _worker(worker: Worker, *, alive: bool) -> WorkerState:
    layers, proof = apart(worker.sandbox)
    return WorkerState(
        name=worker.name,
        queue=worker.queue,
        device=worker.device,
        device_name=worker.device_name,
        alive=alive,
        in_service=worker.in_service,
        note=worker.note,
        sandbox=layers,
        probe=proof,
        seen_at=worker.seen_at,
        calibration=worker.calibration if isinstance(worker.calibration, dict) else {},
        versions={name: str(worker.environment[name]) for name in VERSIONS if worker.environment.get(name)},
    )


def _queues(served: set[str]) -> tuple[Queue, ...]:
    """Queues with work and those that a living worker serves."""
    now = timezone.now()
    counts = {name: Queue(name, 0, 0, None) for name in served}
    waiting = Q(state__in=(State.QUEUED, State.WAITING))
    building = Q(state__in=(State.QUEUED, State.BUILDING))
    rows = (
        Evaluation.objects.exclude(state=State.DONE)
        .order_by()
        .values("device", in_build=building)
        .annotate(waiting=Count("pk", filter=waiting), running=Count("pk", filter=~waiting), oldest=Min("state_at", filter=waiting))
    )
    for row in rows:
        name = "build" if row["in_build"] else f"device.{row['device']}"
        before = counts.get(name, Queue(name, 0, 0, None))
        ages = [before.oldest_s, None if row["oldest"] is None else (now - row["oldest"]).total_seconds()]
        counts[name] = Queue(
            name=name,
            waiting=before.waiting + row["waiting"],
            running=before.running + row["running"],
            oldest_s=max((age for age in ages if age is not None), default=None),
        )
    return tuple(counts[name] for name in sorted(counts))
