"""Send what waits: claimed from the rows one by one, tried again with growing pauses, and safe to run twice.

A worker that dies leaves its claim to expire, and the delivery is sent again under the same id: receivers know it by that.
"""

from __future__ import annotations

import time
from datetime import timedelta

import structlog
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from submissions.jobs import WEBHOOKS, ring
from submissions.webhooks.models import Delivery, Standing, Webhook
from submissions.webhooks.sender import WITHIN_S, Answer, post
from submissions.webhooks.signing import signed_headers
from submissions.webhooks.switching import switch_off
from submissions.webhooks.targets import BadTarget, parse

PAUSES_S = (30, 2 * 60, 10 * 60, 3600, 6 * 3600)
"""Between attempts; after the last of them it is given up."""
LEASE = timedelta(seconds=WITHIN_S + 50)
KEPT = timedelta(days=14)
OFF_AFTER = timedelta(hours=24)
OFF_ATTEMPTS = 10
"""A webhook at which nothing arrived for so long, and so many attempts failed, is switched off."""
GONE = 410

log = structlog.get_logger(__name__)


def deliver_next() -> None:
    """Send the delivery that is due first, if any."""
    delivery = claim()
    if delivery is None:
        return
    answer = send(delivery)
    settle(delivery, answer)


def due() -> QuerySet[Delivery]:
    """What could be sent now: one at a time of each user, so that a slow receiver holds up its own messages alone."""
    now = timezone.now()
    free = Q(leased_until__isnull=True) | Q(leased_until__lt=now)
    busy = Delivery.objects.filter(webhook__user=OuterRef("webhook__user"), standing=Standing.WAITING, leased_until__gte=now)
    waiting = Delivery.objects.filter(free, standing=Standing.WAITING, due_at__lte=now, webhook__active=True)
    return waiting.filter(~Exists(busy)).order_by("due_at", "pk")


def claim() -> Delivery | None:
    """Take the next delivery under a lease. If more waits, ring again. Claims run one at a time, so that each sees the others'."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.claim'), hashtext(%s))", [WEBHOOKS])
        found = due().select_for_update(of=("self",), skip_locked=True).select_related("webhook").first()
        if found is None:
            return None
        found.attempts += 1
        found.leased_until = timezone.now() + LEASE
        found.save(update_fields=["attempts", "leased_until"])
        if due().exists():
            ring(WEBHOOKS)
    return found


def send(delivery: Delivery) -> Answer:
    """One attempt. The signature is of now; id and body are those of every attempt."""
    body = delivery.body.encode()
    try:
        target = parse(delivery.webhook.url)
    except BadTarget as error:
        return Answer(None, str(error), 0)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "kbweb-webhook/1",
        "Connection": "close",
        **signed_headers(delivery.webhook.secret, delivery.pk, int(time.time()), body),
    }
    return post(target, body, headers)


def settle(delivery: Delivery, answer: Answer) -> None:
    """Write down what came of the attempt, unless another has begun since."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
        current = Delivery.objects.select_for_update().filter(pk=delivery.pk, leased_until=delivery.leased_until).first()
        if webhook is None or current is None:
            return
        now = timezone.now()
        current.status, current.error, current.took_ms = answer.status, answer.error[:200], answer.took_ms
        current.tried_at, current.leased_until = now, None
        if not answer.error:
            current.standing = Standing.DELIVERED
            webhook.failed_in_a_row, webhook.failing_since = 0, None
        else:
            webhook.failed_in_a_row += 1
            webhook.failing_since = webhook.failing_since or now
            if current.attempts > len(PAUSES_S):
                current.standing = Standing.GIVEN_UP
            else:
                current.due_at = now + timedelta(seconds=PAUSES_S[current.attempts - 1])
        current.save()
        webhook.save(update_fields=["failed_in_a_row", "failing_since"])
        if answer.error and (why := _enough(webhook, answer)):
            switch_off(webhook, why)
        if due().exists():
            ring(WEBHOOKS)
    log.info(
        "webhook_sent", webhook=webhook.pk, delivery=delivery.pk, attempt=delivery.attempts, status=answer.status, took_ms=answer.took_ms
    )


def _enough(webhook: Webhook, answer: Answer) -> str:
    """Why it is time to stop, empty when it is not."""
    if answer.status == GONE:
        return "It answered 410 Gone."
    since = webhook.failing_since
    if since is None or webhook.failed_in_a_row < OFF_ATTEMPTS or timezone.now() - since < OFF_AFTER:
        return ""
    return f"Nothing arrived since {since:%Y-%m-%d %H:%M} UTC, in {webhook.failed_in_a_row} attempts. The last: {answer.error}"


def forget_old(sender: object, **kwargs: object) -> None:
    """Deliveries are kept for two weeks."""
    Delivery.objects.exclude(standing=Standing.WAITING).filter(created_at__lt=timezone.now() - KEPT).delete()
