"""What makes losing messages and workers harmless: every two seconds one process of all looks for what was left lying."""

from __future__ import annotations

import threading
import time
from collections import Counter
from datetime import timedelta

import structlog
from django.db import connection
from django.db.models.functions import Now

from evaluator.contract import State
from submissions.jobs import BUILD, WEBHOOKS, device_queue, ring_now
from submissions.lease import expire
from submissions.limits import SWEEP_S
from submissions.models import Evaluation, Worker
from submissions.patience import AWAY
from submissions.signals import housekeeping
from submissions.states import HELD
from submissions.webhooks.delivering import due

FORGET = timedelta(minutes=10)
HOUSEKEEPING_S = 60.0

log = structlog.get_logger(__name__)


class Sweeper(threading.Thread):
    """Runs in every worker process; a session's advisory lock lets one of them sweep."""

    def __init__(self) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._ended = threading.Event()
        self._chosen = False
        self._kept_house_at = -HOUSEKEEPING_S

    def end(self) -> None:
        self._ended.set()

    def run(self) -> None:
        while not self._ended.wait(SWEEP_S):
            try:
                self._chosen = self._chosen or _try_lock()
                if self._chosen:
                    sweep()
                    self.keep_house()
            except AWAY as error:
                log.warning("sweep_missed", error=str(error).strip().split("\n")[0])
                self._step_down()
            except Exception:
                log.exception("sweep_failed")
                self._step_down()
        self._step_down()

    def keep_house(self) -> None:
        if time.monotonic() - self._kept_house_at >= HOUSEKEEPING_S:
            self._kept_house_at = time.monotonic()
            housekeeping.send(sender=Sweeper)

    def _step_down(self) -> None:
        """Closing the session gives the lock up."""
        self._chosen = False
        connection.close()


def sweep() -> None:
    """Return what dead workers held, ring where something waits for an idle worker, forget workers that are long gone."""
    if expired := expire():
        log.warning("leases_expired", count=expired)
    for queue in queues_to_ring():
        ring_now(queue)
    Worker.objects.filter(seen_at__lt=Now() - FORGET).delete()


def queues_to_ring() -> list[str]:
    """Queues on which something waits while a worker has nothing to do. (Bells for nobody would pile up in a broker.)"""
    waiting = set()
    if Evaluation.objects.filter(state=State.QUEUED).exists():
        waiting.add(BUILD)
    devices = Evaluation.objects.filter(state=State.WAITING).order_by().values_list("device", flat=True).distinct()
    waiting.update(device_queue(device) for device in devices)
    if due().exists():
        waiting.add(WEBHOOKS)
    if not waiting:
        return []
    alive = Worker.objects.serving().filter(queue__in=waiting)
    busy = set(Evaluation.objects.filter(state__in=[s.value for s in HELD]).values_list("worker", flat=True))
    idle = Counter(queue for name, queue in alive.values_list("name", "queue") if name not in busy)
    return sorted(queue for queue in waiting if idle[queue])


def _try_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext('kb'), hashtext('sweeper'))")
        return bool(cursor.fetchone() == (True,))
