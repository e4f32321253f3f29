"""What the owner of webhooks does with them: make, change, try, send again, end."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from submissions.jobs import WEBHOOKS, ring
from submissions.limits import webhooks_per_user
from submissions.models import new_id
from submissions.quota import one_at_a_time
from submissions.webhooks.models import TEST, Delivery, Standing, Topic, Webhook, new_secret
from submissions.webhooks.outbox import body_of
from submissions.webhooks.targets import BadTarget, parse

TESTS_WAITING = 3
"""So many tests of one webhook may wait at once."""


class WebhookError(Exception):
    """Nothing was changed. `errors` maps each wrong field to sentences."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{field}: {' '.join(said)}" for field, said in errors.items()))


def access_webhook(user: AbstractBaseUser, webhook_id: str) -> Webhook:
    """A webhook of the user. Raises `Http404`."""
    webhook = Webhook.objects.filter(user_id=user.pk, pk=webhook_id).first()
    if webhook is None:
        raise Http404(f"You have no webhook {webhook_id[:20]!r}.")
    return webhook


def make_webhook(user: AbstractBaseUser, url: str, topics: Iterable[str]) -> Webhook:
    """Raises `WebhookError`."""
    wanted = _checked(url, topics)
    with transaction.atomic():
        one_at_a_time(user)
        if Webhook.objects.filter(user_id=user.pk).count() >= webhooks_per_user():
            raise WebhookError({"url": [f"You have {webhooks_per_user()} webhooks, and more are not kept. Delete one first."]})
        return Webhook.objects.create(user_id=user.pk, url=url, topics=wanted)


def change_webhook(webhook: Webhook, url: str, topics: Iterable[str]) -> Webhook:
    """Raises `WebhookError`."""
    webhook.topics, webhook.url = _checked(url, topics), url
    webhook.save(update_fields=["url", "topics"])
    return webhook


def renew_secret(webhook: Webhook) -> str:
    """A new secret. The old one signs nothing more."""
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret"])
    return webhook.secret


def send_test(webhook: Webhook) -> Delivery:
    """Queue a delivery of the topic `test`, whatever the webhook wants. Raises `WebhookError` while it is off or tests wait already."""
    _must_be_on(webhook)
    with transaction.atomic():
        Webhook.objects.select_for_update().get(pk=webhook.pk)
        if Delivery.objects.filter(webhook=webhook, topic=TEST, standing=Standing.WAITING).count() >= TESTS_WAITING:
            raise WebhookError({"webhook": ["Some tests wait already. Look at the last ones first."]})
        body = body_of(TEST, {"webhook": webhook.pk, "message": "It works when you can read this and the signature is right."})
        made = Delivery.objects.create(webhook=webhook, topic=TEST, key=f"{TEST}:{new_id()}", body=body)
        ring(WEBHOOKS)
    return made


def send_again(webhook: Webhook, delivery_id: str) -> Delivery:
    """Queue a delivery that is over once more, under the same id. One that waits stays as it is.

    Raises `Http404`, and `WebhookError` while the webhook is off.
    """
    _must_be_on(webhook)
    with transaction.atomic():
        delivery = Delivery.objects.select_for_update().filter(webhook=webhook, pk=delivery_id).first()
        if delivery is None:
            raise Http404("This webhook has no such delivery.")
        if delivery.standing != Standing.WAITING:
            delivery.standing, delivery.attempts, delivery.due_at = Standing.WAITING, 0, timezone.now()
            delivery.save(update_fields=["standing", "attempts", "due_at"])
            ring(WEBHOOKS)
    return delivery


def _must_be_on(webhook: Webhook) -> None:
    if not webhook.active:
        raise WebhookError({"webhook": ["The webhook is switched off. Switch it on first."]})


def _checked(url: str, topics: Iterable[str]) -> list[str]:
    errors: dict[str, list[str]] = {}
    try:
        parse(url)
    except BadTarget as error:
        errors["url"] = [str(error)]
    wanted = set(topics)
    if not wanted:
        errors["topics"] = ["Choose at least one."]
    elif unknown := wanted - set(Topic.values):
        errors["topics"] = [f"There is no topic {min(unknown)[:40]!r}. There are {', '.join(Topic.values)}."]
    if errors:
        raise WebhookError(errors)
    return [topic for topic in Topic.values if topic in wanted]
