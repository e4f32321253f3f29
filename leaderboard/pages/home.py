"""`/`: what this is, what can be optimised, what just happened."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.competition_boards import open_now
from leaderboard.feed import recent
from leaderboard.overview import recent_entries, recent_records
from leaderboard.shelf import lately_moved, open_ops
from leaderboard.site_status import site_status
from submissions.access import Reader
from submissions.events import FEED, last_seq

RECENT, OPS = 5, 8


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def home(request: HttpRequest) -> HttpResponse:
    """The whole page, or its live part alone for a request with `HX-Request`."""
    context = {"section": "home", "seq": last_seq(FEED), "competitions": open_now(request.user)} | live_context(request.user)
    return render(request, "leaderboard/_home.html" if request.headers.get("HX-Request") else "leaderboard/home.html", context)


def live_context(user: Reader) -> dict[str, object]:
    unclaimed, all_ops = open_ops()
    return {
        "ops": lately_moved(OPS),
        "open_ops": unclaimed,
        "all_ops": all_ops,
        "records": recent_records(RECENT),
        "entries": recent_entries(RECENT),
        "evaluations": recent(user).order_by("-queued_at", "-pk")[:RECENT],
        "status": site_status(),
    }
