"""Each device as it stands now: judging, ready, paused and why, or without a worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db.models import Count
from django.utils import timezone

from evaluator.contract import State
from leaderboard.models import Device
from leaderboard.site_status import VERSIONS, Queue, SiteStatus, WorkerState
from submissions.models import Evaluation

DAY = timedelta(days=1)
Standing = Literal["judging", "ready", "paused", "no worker"]


@dataclass(frozen=True, slots=True)
class DeviceState:
    """A device, its queue and its living workers. `why`: what its workers that are out of service say. `done`: of the last 24 hours."""

    slug: str
    title: str
    standing: Standing
    why: str
    workers: int
    in_service: int
    waiting: int
    running: int
    oldest_s: float | None
    done: int
    versions: tuple[tuple[str, str], ...]


def device_states(status: SiteStatus) -> tuple[DeviceState, ...]:
    """In two queries: devices with a worker or with work, in the catalogue's order. Others would only be a list of GPUs."""
    queues = {queue.name: queue for queue in status.queues}
    workers: dict[str, list[WorkerState]] = {}
    for worker in status.workers:
        if worker.alive and worker.device:
            workers.setdefault(worker.device, []).append(worker)
    since = timezone.now() - DAY
    ended = Evaluation.objects.filter(state=State.DONE, finished_at__gte=since).order_by().values_list("device")
    done = dict(ended.annotate(n=Count("pk")))
    titles = dict(Device.objects.filter(active=True).values_list("slug", "title"))
    wanted = {*workers, *done, *(name.removeprefix("device.") for name in queues if name.startswith("device."))}
    order = [*(slug for slug in titles if slug in wanted), *sorted(wanted - set(titles))]
    return tuple(
        _state(slug, titles.get(slug, slug), workers.get(slug, ()), queues.get(f"device.{slug}"), done.get(slug, 0)) for slug in order
    )


def _state(slug: str, title: str, workers: Sequence[WorkerState], queue: Queue | None, done: int) -> DeviceState:
    in_service = [worker for worker in workers if worker.in_service]
    running = queue.running if queue else 0
    standing: Standing = "no worker" if not workers else "paused" if not in_service else "judging" if running else "ready"
    return DeviceState(
        slug=slug,
        title=title,
        standing=standing,
        why=", ".join(dict.fromkeys(worker.note or "out of service" for worker in workers if not worker.in_service)),
        workers=len(workers),
        in_service=len(in_service),
        waiting=queue.waiting if queue else 0,
        running=running,
        oldest_s=queue.oldest_s if queue else None,
        done=done,
        versions=tuple(_versions(workers)),
    )


def _versions(workers: Sequence[WorkerState]) -> Iterable[tuple[str, str]]:
    """Each version that a worker has; several where they differ."""
    for name in VERSIONS:
        found = dict.fromkeys(version for worker in workers if (version := worker.versions.get(name)))
        if found:
            yield name, " and ".join(found)
