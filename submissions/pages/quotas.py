"""What a user has used of what is allowed, for `/me/`."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Sum
from rest_framework.settings import api_settings

from submissions.limits import artefact_bytes_per_author, quota, webhooks_per_user
from submissions.models import Artefact
from submissions.quota import HOUR, used
from submissions.webhooks.models import Webhook


@dataclass(frozen=True, slots=True)
class Line:
    """`note` says what happens at the end of it, `free_at` when there is room again (None: there is)."""

    name: str
    used: int
    allowed: int
    note: str
    in_bytes: bool = False
    free_at: dt.datetime | None = None

    @property
    def left(self) -> int:
        return max(0, self.allowed - self.used)

    @property
    def share(self) -> float:
        """In percent, for the bar."""
        return min(100.0, round(100 * self.used / self.allowed, 2)) if self.allowed else 100.0

    @property
    def tone(self) -> str:
        return "bad" if self.left == 0 else "warn" if self.share >= 80 else "good"


def quotas(user: AbstractBaseUser) -> list[Line]:
    """In five queries."""
    going, allowed = used(user), quota()
    packed = Artefact.objects.filter(evaluation__author_id=user.pk).aggregate(total=Sum("packed_bytes"))["total"] or 0
    over = len(going.this_hour) - allowed.submissions_per_hour
    free_at = going.this_hour[over] + HOUR if over >= 0 and going.this_hour else None
    return [
        Line("evaluations not done", going.open_evaluations, allowed.open_evaluations, "One that ends, or that you cancel, makes room."),
        Line(
            "handed in within the hour",
            len(going.this_hour),
            allowed.submissions_per_hour,
            "Submissions and reruns. Each counts for an hour. What the site runs by itself counts for nobody.",
            free_at=free_at,
        ),
        Line("files of profilers", packed, artefact_bytes_per_author(), "The oldest go when it is full.", in_bytes=True),
        Line("webhooks", Webhook.objects.filter(user_id=user.pk).count(), webhooks_per_user(), "Delete one to make another."),
    ]


def api_rate() -> str:
    """How often one user may call the API: `3000/min`."""
    return str(api_settings.DEFAULT_THROTTLE_RATES["user"])
