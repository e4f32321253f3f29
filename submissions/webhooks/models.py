"""A webhook and what is sent to it."""

from __future__ import annotations

import secrets
from base64 import b64encode

from django.conf import settings
from django.db import models
from django.utils import timezone

from submissions.models import new_id

SECRET_BYTES = 32


class Topic(models.TextChoices):
    """What a webhook can tell of."""

    DONE = "done", "An evaluation of mine has ended"
    SUSPECT = "suspect", "One is held for review"
    DECIDED = "decided", "A moderator decided on one, or withdrew that"
    RECORD_LOST = "record_lost", "A record of mine stands no more"


TEST = "test"
"""Topic of a delivery that its owner asked for, to try the address."""


class Standing(models.TextChoices):
    """Where a delivery is."""

    WAITING = "waiting", "waiting"
    DELIVERED = "delivered", "delivered"
    GIVEN_UP = "given_up", "given up"


def new_secret() -> str:
    """Bytes that sign, in the written form of standardwebhooks.com."""
    return f"whsec_{b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


class Webhook(models.Model):
    """An address of one user. The secret must be kept as it is, because it signs; the page shows it once."""

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    topics = models.JSONField(default=list)
    secret = models.CharField(max_length=80, default=new_secret)
    active = models.BooleanField(default=True)
    off_because = models.TextField(blank=True, default="", help_text="Why the site switched it off.")
    failed_in_a_row = models.PositiveIntegerField(default=0, help_text="Attempts since the last that arrived.")
    failing_since = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return f"{self.url} of {self.user_id}"


class Delivery(models.Model):
    """One message to one webhook: made in the transaction that made its event, sent until it arrives or is given up.

    `key` names what it tells of, so that telling twice makes one. `leased_until` fences: who sent under another lease writes nothing.
    """

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    topic = models.CharField(max_length=16)
    key = models.CharField(max_length=120)
    body = models.TextField(help_text="JSON, as it is signed and sent.")
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="HTTP status of the last answer.")
    error = models.CharField(max_length=200, blank=True, default="", help_text="Why the last attempt failed.")
    took_ms = models.PositiveIntegerField(null=True, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = [models.UniqueConstraint(fields=["webhook", "key"], name="one_delivery_per_webhook_and_key")]
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(standing="waiting"), name="waiting_deliveries"),
            models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} to {self.webhook_id}: {self.standing}"
