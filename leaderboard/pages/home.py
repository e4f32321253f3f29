"""`/`, `/rules/`: what this is, what can be optimised, what just happened."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.overview import home_ops, recent_entries
from leaderboard.site_status import site_status
from submissions.access import Reader, visible_evaluations
from submissions.events import FEED, last_seq

RECENT = 8


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def home(request: HttpRequest) -> HttpResponse:
    """The whole page, or its live part alone for a request with `HX-Request`."""
    context = {"section": "home", "seq": last_seq(FEED)} | live_context(request.user)
    return render(request, "leaderboard/_home.html" if request.headers.get("HX-Request") else "leaderboard/home.html", context)


def live_context(user: Reader) -> dict[str, object]:
    recent = visible_evaluations(user).defer("outcome", "log", "build", "submission__source").order_by("-queued_at")
    return {
        "ops": home_ops(),
        "entries": recent_entries(RECENT),
        "evaluations": recent[:RECENT],
        "status": site_status(),
    }


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/rules.html", {"section": "rules"})
