"""`/competitions/` and `/competitions/<slug>/`: what is open, coming and closed; one of them with boards, standings and rules."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.competition_boards import listed, results
from submissions.access import is_staff
from submissions.competitions.access import access_competition, groups_to_manage, may_change, may_take_part, visible_groups
from submissions.competitions.models import Phase
from submissions.competitions.rules import as_html
from submissions.events import last_seq
from submissions.streams import competition_stream

PAGE = 30
COLUMNS = 8
"""Boards that have a column of their own in the standings; with more the table would be a wall."""


@require_safe
@never_cache
def competitions(request: HttpRequest) -> HttpResponse:
    now, found = timezone.now(), listed(request.user)
    context = {
        "section": "competitions",
        "open": found.in_phase(Phase.OPEN, now).order_by("closes_at", "pk"),
        "coming": found.in_phase(Phase.COMING, now).order_by("opens_at", "pk"),
        "page": Paginator(found.in_phase(Phase.CLOSED, now).order_by("-closes_at", "pk"), PAGE).get_page(request.GET.get("page")),
        "may_organise": is_staff(request.user) or groups_to_manage(request.user).exists(),
    }
    return render(request, "leaderboard/competitions.html", context)


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def competition(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole page, or its live part alone for a request with `HX-Request`."""
    found = access_competition(request.user, slug)
    seq = last_seq(competition_stream(found.pk))  # before the rows: what comes between is told again by the socket
    shown = results(found, request.user)
    context: dict[str, object] = {
        "section": "competitions",
        "competition": found,
        "phase": found.phase,
        "results": shown,
        "columns": [f"{op}/{device}" for op, device in found.boards] if len(found.boards) <= COLUMNS else [],
        "may_take_part": may_take_part(request.user, found),
    }
    if request.headers.get("HX-Request"):
        return render(request, "leaderboard/_competition.html", context)
    context |= {
        "seq": seq,
        "rules": as_html(found.rules),
        "may_change": may_change(request.user, found),
        "member": found.group is not None and visible_groups(request.user).filter(pk=found.group_id).exists(),
    }
    return render(request, "leaderboard/competition.html", context)
