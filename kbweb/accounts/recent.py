"""When this session was signed in, for what should not be done with a session that somebody left open."""

from __future__ import annotations

import time

from django.http import HttpRequest

RECENT_S = 10 * 60
KEY = "signed_in_at"


def on_signed_in(sender: object, *, request: HttpRequest, **kwargs: object) -> None:
    """Django's signal, whichever way somebody came in."""
    request.session[KEY] = int(time.time())


def signed_in_recently(request: HttpRequest) -> bool:
    at = request.session.get(KEY)
    return isinstance(at, int) and 0 <= time.time() - at < RECENT_S
