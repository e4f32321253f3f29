"""What is to be told, written in the transaction that makes it true. Sending comes after the commit (`delivering.py`)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from django.utils import timezone

from evaluator.contract import JSON
from submissions.jobs import WEBHOOKS, ring
from submissions.storable import storable
from submissions.webhooks.models import Delivery, Topic, Webhook


def tell(user_id: int, topic: Topic, key: str, data: Mapping[str, JSON]) -> int:
    """Queue one delivery for each active webhook of the user that wants the topic. Telling the same `key` twice queues one.

    Inside the caller's transaction. Returns how many webhooks want it.
    """
    wanting = Webhook.objects.filter(user_id=user_id, active=True, topics__contains=[topic.value])
    body = body_of(topic, data)
    made = [Delivery(webhook=webhook, topic=topic, key=key, body=body) for webhook in wanting]
    if made:
        Delivery.objects.bulk_create(made, ignore_conflicts=True)
        ring(WEBHOOKS)
    return len(made)


def body_of(topic: str, data: Mapping[str, JSON]) -> str:
    """The JSON that is sent: `{type, timestamp, data}`."""
    return json.dumps({"type": str(topic), "timestamp": timezone.now().isoformat(), "data": storable(dict(data))}, allow_nan=False)
