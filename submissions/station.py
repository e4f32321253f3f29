"""What a worker process has for its jobs: its name, what it holds right now, and the judge of its device."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from typing import cast

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from evaluator.contract import to_json
from evaluator.runners.local import LocalRunner, RunnerError
from evaluator.sandbox import Mode
from submissions.holding import Holding
from submissions.jobs import BUILD, device_queue
from submissions.lease import give_back
from submissions.models import Evaluation, Worker
from submissions.scribe import Scribe
from submissions.states import Fenced
from submissions.storable import storable

LONGEST_PAUSE_S = 30.0
FACTS_S = 3600.0
"""How often a judge is asked anew about its device and sandbox."""

log = structlog.get_logger(__name__)


class Station:
    """One per worker process. `stopping` is set once, at shutdown."""

    def __init__(self, queue: str, gpu_index: int | None = None) -> None:
        self.queue = queue
        self.device = "" if queue == BUILD else queue.removeprefix(device_queue(""))
        self.gpu_index = gpu_index
        self.host = socket.gethostname()[:60]
        self.name = f"{self.device or BUILD}@{self.host}:{os.getpid()}-{secrets.token_hex(2)}"
        self.stopping = threading.Event()
        self.ready = threading.Event()
        self.scribe = Scribe()
        self.holding: Holding | None = None
        self._runner: LocalRunner | None = None
        self._facts: dict[str, object] = {}
        self._facts_at = 0.0
        self._lock = threading.Lock()

    def register(self, *, in_service: bool, note: str = "") -> None:
        """Write this worker's row, with what its judge last said about the device."""
        facts = self._facts
        values: dict[str, object] = {
            "queue": self.queue,
            "device": self.device,
            "host": self.host,
            "pid": os.getpid(),
            "in_service": in_service,
            "note": note,
            "seen_at": Now(),
        }
        if facts:
            values["device_name"] = str(facts.get("device_name") or "")[:120]
            values["environment"] = storable(to_json(facts.get("environment") or {}))
            values["sandbox"] = storable(to_json(facts.get("sandbox") or {}))
        (self.ready.set if in_service else self.ready.clear)()
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

    def runner(self) -> LocalRunner:
        """The judge of this device, started when it is not there, its facts not older than an hour.

        Takes the device out of service until one starts. Only the thread that works on jobs may call this and use the judge.
        Raises `RunnerError` when told to stop meanwhile.
        """
        pause_s = 1.0
        if self._runner is not None and time.monotonic() - self._facts_at > FACTS_S:
            self.drop_runner()
        while self._runner is None:
            runner = LocalRunner(self.device, gpu_index=self.gpu_index, sandbox_mode=cast(Mode, settings.SANDBOX))
            try:
                runner.start()
                self._facts, self._facts_at = runner.facts(), time.monotonic()
            except RunnerError as error:
                runner.close()
                log.error("judge_does_not_start", error=str(error), again_in_s=pause_s)
                self.register(in_service=False, note=f"The judge does not start: {error}")
                if self.stopping.wait(pause_s):
                    raise
                pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
                continue
            self._runner = runner
            self.register(in_service=True)
        return self._runner

    def drop_runner(self) -> None:
        """Close the judge; the next job gets a new one."""
        runner, self._runner = self._runner, None
        if runner is not None:
            try:
                runner.close()
            except Exception:
                log.exception("judge_does_not_close")

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
