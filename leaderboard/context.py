"""What every page of staff shows."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.evidence import waiting_count
from submissions.access import is_staff


def moderation(request: HttpRequest) -> dict[str, object]:
    """`moderation_waiting`: how many evaluations wait for a decision. One query, for staff alone, in templates that show it."""
    user = getattr(request, "user", None)
    return {"moderation_waiting": SimpleLazyObject(waiting_count)} if user is not None and is_staff(user) else {}
