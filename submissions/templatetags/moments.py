"""Moments to come and past: in UTC, in words, and with a place where a script writes the reader's own time."""

from __future__ import annotations

import datetime as dt

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def utc(moment: dt.datetime) -> SafeString:
    """`2026-05-01 12:00 UTC` as a `<time>`."""
    there = moment.astimezone(dt.UTC)
    return format_html('<time datetime="{}">{}</time>', there.isoformat(), f"{there:%Y-%m-%d %H:%M} UTC")


@register.filter
def local(moment: dt.datetime) -> SafeString:
    """An empty line that `static/js/moments.js` fills with the reader's own time."""
    return format_html('<span class="needs-js local" data-local="{}"></span>', moment.astimezone(dt.UTC).isoformat())


@register.filter
def away(moment: dt.datetime) -> str:
    """`in 3 days 4 h`, `in 12 min`, `2 h 5 min ago`: true without scripts."""
    return in_words(moment - timezone.now())


@register.filter
def countdown(moment: dt.datetime) -> SafeString:
    """The same words, which `static/js/moments.js` counts down by the server's clock."""
    now = timezone.now()
    return format_html(
        '<span class="countdown" data-countdown="{}" data-now="{}">{}</span>',
        moment.astimezone(dt.UTC).isoformat(),
        now.astimezone(dt.UTC).isoformat(),
        in_words(moment - now),
    )


def in_words(distance: dt.timedelta) -> str:
    """In the two largest units that say something."""
    total_min = int(abs(distance).total_seconds()) // 60
    days, hours, minutes = total_min // 1440, total_min // 60 % 24, total_min % 60
    if days >= 10:
        said = f"{days} days"
    elif days:
        said = f"{days} day{'s' if days > 1 else ''}" + (f" {hours} h" if hours else "")
    elif hours:
        said = f"{hours} h" + (f" {minutes} min" if minutes else "")
    else:
        said = f"{minutes} min" if minutes else "less than a minute"
    return f"in {said}" if distance > dt.timedelta() else f"{said} ago"
