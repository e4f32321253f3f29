"""Tell the holder of a record that it stands no more: an outbox row in the transaction that ends it, whoever ends it and why.

Hears Django's own signal of the `Record` table, so that no way of ending a record is left out. A record that its own holder beats is not
lost. One that ends with its epoch is closed in bulk and told to nobody: everybody's ends then.
"""

from __future__ import annotations

import json
from datetime import timedelta

from django.conf import settings
from django.urls import reverse

from evaluator.contract import JSON
from leaderboard.models import Record, RecordEnd
from submissions.webhooks.models import Delivery, Standing, Topic
from submissions.webhooks.outbox import tell

A_MOMENT = timedelta(seconds=5)
"""The end of one record and the beginning of the next lie closer together when they are one change."""


def on_record_saved(sender: object, *, instance: Record, created: bool, **kwargs: object) -> None:
    if created:
        _name_successor(instance)
    elif instance.held_until is not None and instance.ended_by != RecordEnd.EPOCH:
        tell(instance.author_id, Topic.RECORD_LOST, _key(instance), _data(instance))


def _name_successor(record: Record) -> None:
    """Say in what was queued a moment ago who took the record; nobody has read it, because the transaction is still open."""
    ended = Record.objects.filter(op_id=record.op_id, device_id=record.device_id, held_until__gt=record.held_from - A_MOMENT)
    lost = ended.order_by("-held_until").first()
    if lost is None:
        return
    queued = Delivery.objects.filter(webhook__user_id=lost.author_id, key=_key(lost), standing=Standing.WAITING, attempts=0)
    if lost.author_id == record.author_id:
        queued.delete()
        return
    for delivery in queued:
        body = json.loads(delivery.body)
        body["data"]["taken_by"] = _facts(record)
        delivery.body = json.dumps(body)
        delivery.save(update_fields=["body"])


def _key(record: Record) -> str:
    return f"record_lost:{record.pk}"


def _data(record: Record) -> dict[str, JSON]:
    return {
        "op": record.op_id,
        "device": record.device_id,
        "url": f"{settings.SITE_URL}{reverse('board', args=[record.op_id, record.device_id])}",
        "why": str(record.ended_by),
        "held_from": record.held_from.isoformat(),
        "held_until": record.held_until.isoformat() if record.held_until else None,
        "record": _facts(record),
        "taken_by": None,
    }


def _facts(record: Record) -> dict[str, JSON]:
    return {
        "author": record.author.get_username(),
        "evaluation": record.evaluation_id,
        "speedup": record.speedup,
        "speedup_low": record.speedup_low,
        "speedup_high": record.speedup_high,
        "time_us": record.time_us,
    }
