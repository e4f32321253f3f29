"""A worker process: `kb worker QUEUE`.

One evaluation at a time, prefetch 1. On SIGTERM or SIGINT what is being worked on goes back to its queue at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import dramatiq
import dramatiq.worker
import structlog
from django.conf import settings

from submissions import jobs, station
from submissions.heartbeat import Heartbeat
from submissions.judge_keeper import FACTS_S
from submissions.patience import AWAY
from submissions.station import Station
from submissions.sweeper import Sweeper

STOP_MS = 4000
POLL_MS = 500
RETRY_S = 0.5
ATTEND_S = 0.5
SENDERS = 4
"""Threads of a `webhooks` worker: somebody's slow server must not hold up everybody's messages. All other queues have one."""
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = structlog.get_logger(__name__)


def run(queue: str, *, gpu_index: int | None = None) -> int:
    """Serve `queue` until SIGTERM or SIGINT. Returns the exit status: 0, or 2 for a name that is no queue."""
    try:
        jobs.actor_of(queue)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    os.environ.setdefault("KB_CALIBRATION_DIR", str(settings.DATA_DIR / "calibration"))
    here = Station(queue, gpu_index)
    station.install(here)
    try:
        with _stop_signals_set(here.stopping):
            serve(here)
    finally:
        dramatiq.get_broker().close()
    return 0


def serve(here: Station) -> None:
    """Register, start the judge, take jobs until `here.stopping` is set, and leave nothing behind."""
    log.info("worker_starts", worker=here.name, queue=here.queue)
    heartbeat, sweeper = Heartbeat(here), Sweeper()
    threads = (here.scribe, heartbeat, sweeper)
    consumer: dramatiq.Worker | None = None
    try:
        here.register(in_service=False, note="starting")
        for thread in threads:
            thread.start()
        if not here.device:
            here.register(in_service=True)
        rung_at = 0.0
        while not here.stopping.is_set():
            if here.device:
                here.judge.attend()
            if not here.ready.is_set() and consumer is not None:
                _end(consumer)
                consumer = None
            elif here.ready.is_set() and (consumer is None or time.monotonic() - rung_at > FACTS_S):
                consumer = consumer or _consumer(here.queue)
                jobs.ring_now(here.queue)
                rung_at = time.monotonic()
            here.stopping.wait(ATTEND_S)
    except AWAY:
        if not here.stopping.is_set():
            raise
    finally:
        _stop(here, consumer)
        for thread in threads:
            thread.end()
        with contextlib.suppress(*AWAY):
            here.leave()
        log.info("worker_stopped", worker=here.name)


def _consumer(queue: str) -> dramatiq.Worker:
    dramatiq.worker.CONSUMER_RESTART_DELAY_SECS = RETRY_S
    dramatiq.worker.POST_PROCESS_MESSAGE_RETRY_DELAY_SECS = RETRY_S  # type: ignore[assignment] # passed to time.sleep
    threads = SENDERS if queue == jobs.WEBHOOKS else 1
    worker = dramatiq.Worker(dramatiq.get_broker(), queues={queue}, worker_timeout=POLL_MS, worker_threads=threads)
    worker.queue_prefetch = worker.delay_prefetch = threads
    worker.start()
    return worker


def _end(consumer: dramatiq.Worker) -> None:
    """Take no more messages, so that none is lost on a worker that is out of service. What was fetched goes back."""
    consumer.stop(timeout=STOP_MS)


def _stop(here: Station, consumer: dramatiq.Worker | None) -> None:
    with contextlib.suppress(*AWAY):
        here.release()
    started = time.monotonic()
    if consumer is not None:
        consumer.stop(timeout=STOP_MS)
    here.judge.close()
    log.info("worker_stopping", took_s=round(time.monotonic() - started, 2))


@contextlib.contextmanager
def _stop_signals_set(stopping: threading.Event) -> Iterator[None]:
    """Set `stopping` on a stop signal, from a thread: a handler may run while the main thread holds the event's lock."""
    reader, writer = os.pipe()
    before = {number: signal.signal(number, lambda *_: _wake(writer)) for number in STOP_SIGNALS}
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def watch() -> None:
        os.read(reader, 1)
        stopping.set()

    watcher = threading.Thread(target=watch, name="stop-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _wake(writer)
        watcher.join()
        os.close(reader)
        os.close(writer)


def _wake(writer: int) -> None:
    os.write(writer, b"x")
