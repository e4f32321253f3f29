"""What a worker process has for its jobs: its name, its row, what it holds right now, and the keeper of its judge."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from typing import cast

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from evaluator.contract import JSON, to_json
from evaluator.sandbox import Mode
from submissions.holding import Holding
from submissions.jobs import device_queue
from submissions.judge_keeper import JudgeKeeper
from submissions.lease import give_back
from submissions.models import Evaluation, Worker
from submissions.patience import persistently
from submissions.proof import PROBE
from submissions.scribe import Scribe
from submissions.states import Fenced
from submissions.storable import storable, storable_text

MAX_NOTE = 2000


class Station:
    """One per worker process. `stopping` is set once, at shutdown."""

    def __init__(self, queue: str, gpu_index: int | None = None) -> None:
        self.queue = queue
        self.device = queue.removeprefix(device_queue("")) if queue.startswith(device_queue("")) else ""
        self.gpu_index = gpu_index
        self.host = socket.gethostname()[:60]
        self.name = f"{self.device or queue}@{self.host}:{os.getpid()}-{secrets.token_hex(2)}"
        self.stopping = threading.Event()
        self.ready = threading.Event()
        self.scribe = Scribe()
        self.holding: Holding | None = None
        self.judge = JudgeKeeper(self.device, gpu_index, cast(Mode, settings.SANDBOX), self.register)
        self._note = ""
        self._lock = threading.Lock()

    def register(self, *, in_service: bool, note: str = "") -> None:
        """Take this worker into service or out of it, and write that to its row, however long the database is away."""
        (self.ready.set if in_service else self.ready.clear)()
        self._note = note
        persistently(self.write_row, give_up=self.stopping.is_set)

    def write_row(self) -> None:
        """This worker's row, with what its judge last said about the device and what the probe found."""
        facts, judge = self.judge.facts, self.judge
        values: dict[str, object] = {
            "queue": self.queue,
            "device": self.device,
            "host": self.host,
            "pid": os.getpid(),
            "in_service": self.ready.is_set(),
            "note": storable_text(self._note, MAX_NOTE),
            "seen_at": Now(),
        }
        if facts:
            values["device_name"] = str(facts.get("device_name") or "")[:120]
            values["environment"] = storable(to_json(facts.get("environment") or {}))
            values["calibration"] = storable(to_json(facts.get("calibration") or {}))
        if facts or judge.proof:
            layers = cast("dict[str, JSON]", to_json(facts.get("sandbox") or judge.layers))
            values["sandbox"] = storable({**layers, PROBE: judge.proof})
        Worker.objects.update_or_create(name=self.name, defaults=values, create_defaults={**values, "started_at": timezone.now()})

    @contextlib.contextmanager
    def hold(self, evaluation: Evaluation) -> Iterator[Holding]:
        """Keep the evaluation's lease alive and watch for a cancel for as long as the block runs."""
        holding = Holding(evaluation)
        with self._lock:
            self.holding = holding
            late = self.stopping.is_set()
        if late:
            self.release()
        try:
            yield holding
        finally:
            with self._lock:
                self.holding = None

    def release(self) -> None:
        """Give back at once what is being worked on, without counting the attempt. Called when the process is told to stop."""
        self.stopping.set()
        with self._lock:
            holding = self.holding
        if holding is None or holding.released.is_set():
            return
        holding.released.set()
        with contextlib.suppress(Fenced):
            give_back(
                holding.evaluation_id, attempt=holding.attempt, worker=holding.worker, reason="The worker was told to stop.", burn=False
            )

    def leave(self) -> None:
        """Take this worker's row away."""
        with transaction.atomic():
            Worker.objects.filter(name=self.name).delete()
        connection.close()


_current: Station | None = None


def current() -> Station:
    """The station of this process. Raises `RuntimeError` outside of a worker."""
    if _current is None:
        raise RuntimeError("jobs run in a worker process: kb worker QUEUE")
    return _current


def install(station: Station | None) -> None:
    global _current
    _current = station
