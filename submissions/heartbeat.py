"""A worker's signs of life: its row, the lease of what it holds, and a look at whether that was cancelled."""

from __future__ import annotations

import threading
import time

import structlog
from django.db import connection
from django.db.models.functions import Now

from submissions.lease import renew
from submissions.limits import LOOK_S, RENEW_S
from submissions.models import Evaluation, Worker
from submissions.patience import AWAY
from submissions.station import Station

log = structlog.get_logger(__name__)


class Heartbeat(threading.Thread):
    """Runs beside the jobs with a connection of its own. While the database is away it tries on."""

    def __init__(self, station: Station) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._station = station
        self._ended = threading.Event()
        self._renewed_at = float("-inf")

    def end(self) -> None:
        self._ended.set()

    def run(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                self.beat()
            except AWAY as error:
                log.warning("heartbeat_missed", error=str(error).strip().split("\n")[0])
                connection.close()
            except Exception:
                log.exception("heartbeat_failed")
                connection.close()
        connection.close()

    def beat(self) -> None:
        holding = self._station.holding
        if holding is not None and not holding.dropped:
            held = Evaluation.objects.filter(pk=holding.evaluation_id, attempt=holding.attempt, worker=holding.worker)
            wanted = held.values_list("cancel_requested", flat=True).first()
            if wanted:
                holding.cancelled.set()
        if time.monotonic() - self._renewed_at < RENEW_S:
            return
        if (
            holding is not None
            and not holding.dropped
            and not renew(holding.evaluation_id, attempt=holding.attempt, worker=holding.worker)
            and self._station.holding is holding
        ):
            holding.lost.set()
        if Worker.objects.filter(name=self._station.name).update(seen_at=Now()) == 0:
            self._station.write_row()
        self._renewed_at = time.monotonic()
