"""Switch a webhook on and off."""

from __future__ import annotations

import functools

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse

from submissions.webhooks.models import Delivery, Standing, Webhook

log = structlog.get_logger(__name__)

MAIL = """Your webhook {url} has been switched off, and nothing more is sent to it.

{why}

What was sent and what came back: {page}
Switch it on again there when it works; what it missed can be sent again from there, too.
"""


def switch_off(webhook: Webhook, why: str = "") -> None:
    """Send nothing more. With a reason it was the site's doing: the owner reads it on the page, and by mail at a confirmed address."""
    webhook.active, webhook.off_because = False, why
    webhook.save(update_fields=["active", "off_because"])
    waiting = Delivery.objects.filter(webhook=webhook, standing=Standing.WAITING)
    waiting.filter(error="").update(error="The webhook was switched off.")
    waiting.update(standing=Standing.GIVEN_UP, leased_until=None)
    if why:
        transaction.on_commit(functools.partial(_mail, webhook, why))


def switch_on(webhook: Webhook) -> None:
    """Tell of what happens from now on."""
    webhook.active, webhook.off_because = True, ""
    webhook.failed_in_a_row, webhook.failing_since = 0, None
    webhook.save(update_fields=["active", "off_because", "failed_in_a_row", "failing_since"])


def _mail(webhook: Webhook, why: str) -> None:
    from allauth.account.models import EmailAddress

    address = EmailAddress.objects.filter(user_id=webhook.user_id, verified=True).order_by("-primary").first()
    if address is None:
        return
    page = f"{settings.SITE_URL}{reverse('webhook', args=[webhook.pk])}"
    try:
        send_mail("A webhook was switched off", MAIL.format(url=webhook.url, why=why, page=page), None, [address.email])
    except OSError:
        log.warning("webhook_mail_failed", webhook=webhook.pk, exc_info=True)
