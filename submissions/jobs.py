"""Doorbells: messages that say only that something waits on a queue. The rows in PostgreSQL are the work.

There is a queue `build`, one per device: `device.<slug>`, and `webhooks`. Losing a message loses nothing, the sweeper rings again.
"""

from __future__ import annotations

import functools
import uuid

import dramatiq
import structlog
from django.db import transaction

from submissions.limits import time_limit_ms

BUILD = "build"
WEBHOOKS = "webhooks"
WEBHOOK_LIMIT_MS = 60_000
_BELLS = uuid.UUID("6f1de6a8-6d5e-4a0c-9c86-0a6f5f2b7c11")

log = structlog.get_logger(__name__)


def device_queue(device: str) -> str:
    return f"device.{device}"


@dramatiq.actor(queue_name=BUILD, max_retries=0, time_limit=time_limit_ms())
def build() -> None:
    """Build the next submission that waits for it."""
    from submissions.build_job import build_next

    build_next()


@dramatiq.actor(queue_name=WEBHOOKS, max_retries=0, time_limit=WEBHOOK_LIMIT_MS)
def deliver() -> None:
    """Send the webhook delivery that is due first. Rows say what was tried and when to try again, not the queue."""
    from submissions.webhooks.delivering import deliver_next

    deliver_next()


@functools.cache
def evaluate(device: str) -> dramatiq.Actor[[], None]:
    """The actor of a device's queue: it judges the next evaluation that waits for this device."""

    def job() -> None:
        from submissions.evaluate_job import evaluate_next

        evaluate_next(device)

    return dramatiq.actor(actor_name=f"evaluate_{device}", queue_name=device_queue(device), max_retries=0, time_limit=time_limit_ms())(job)


def actor_of(queue: str) -> dramatiq.Actor[[], None]:
    """The actor that answers the doorbell of `queue`. Raises `ValueError` for a name that is no queue."""
    if queue == BUILD:
        return build
    if queue == WEBHOOKS:
        return deliver
    kind, _, device = queue.partition(".")
    if kind != "device" or not device:
        raise ValueError(f"{queue!r} is no queue; there are build, webhooks and device.<slug>")
    return evaluate(device)


def ring(queue: str) -> None:
    """Ring `queue` when the current transaction commits (at once when there is none)."""
    transaction.on_commit(functools.partial(ring_now, queue))


def ring_now(queue: str) -> None:
    """Ring `queue`. Never raises: when the broker cannot be reached the sweeper rings later.

    The message id belongs to the queue, so that a broker which keys messages by id holds at most one bell per queue.
    """
    message = actor_of(queue).message()
    message = message.copy(message_id=str(uuid.uuid5(_BELLS, queue)))
    try:
        dramatiq.get_broker().enqueue(message)
    except Exception:
        log.warning("doorbell_lost", queue=queue, exc_info=True)
