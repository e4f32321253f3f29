"""`/feed/`: recent evaluations, live."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.alike import alike
from leaderboard.feed import FILTERS, KNOWN, RUNNING, cursor, feed
from leaderboard.models import Device, Op
from leaderboard.pages.asked import asked_for, query
from submissions.events import FEED, last_seq
from submissions.pages import words

OFFERED = 300
"""Names of ops that the field offers while somebody types."""


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def feed_page(request: HttpRequest) -> HttpResponse:
    """The newest evaluations, or with `?before=` those before a cursor; the rows alone for a request with `HX-Request`."""
    asked = _as_written(asked_for(request, FILTERS, KNOWN))
    before = request.GET.get("before", "")
    seq = last_seq(FEED)
    page = feed(request.user, asked, before)
    context: dict[str, object] = {
        "section": "feed",
        "page": page,
        "asked": asked,
        "filtered": any(asked.values()),
        "first": cursor(before) is None,
        "newest": query(asked),
        "older": query(asked, before=page.older) if page.older else "",
        "seq": seq,
        "meant": [] if page.evaluations else _meant(asked["op"]),
    }
    if request.headers.get("HX-Request"):
        return render(request, "leaderboard/_feed.html", context)
    context |= {
        "ops": Op.objects.active().values_list("slug", flat=True)[:OFFERED],
        "devices": Device.objects.filter(active=True).values_list("slug", flat=True),
        "verdicts": [(value, words.of(value, "done").title if value != RUNNING else "not done yet") for value in KNOWN["verdict"]],
        "kernel_types": KNOWN["kernel_type"],
        "modes": KNOWN["mode"],
    }
    return render(request, "leaderboard/feed.html", context)


def _as_written(asked: dict[str, str]) -> dict[str, str]:
    """Op and author by their names as they are written, whatever the case that was asked for; others stay as they are."""
    name = get_user_model().USERNAME_FIELD
    op = Op.objects.filter(slug__iexact=asked["op"]).values_list("slug", flat=True).first() if asked["op"] else None
    authors = (
        get_user_model().objects.filter(**{f"{name}__iexact": asked["author"]}).values_list(name, flat=True) if asked["author"] else ()
    )
    author = asked["author"] if asked["author"] in authors else next(iter(authors), None)
    return asked | {"op": op or asked["op"], "author": author or asked["author"], "device": asked["device"].lower()}


def _meant(op: str) -> list[str]:
    """Ops whose names look like one that is none."""
    slugs = list(Op.objects.active().values_list("slug", flat=True)) if op else []
    return [] if op in slugs else alike(op, slugs)
