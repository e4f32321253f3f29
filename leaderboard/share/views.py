"""`/card/<evaluation>.png` and `/badge/…`: public results alone, the same for every reader, so that caches may keep them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from evaluator.contract import State
from leaderboard.models import Entry
from leaderboard.ranking import place_of
from leaderboard.share.badge import badge
from leaderboard.share.card import LOOK, card
from submissions.access import visible_evaluations
from submissions.known_ops import is_known
from submissions.models import Evaluation
from submissions.pages.headline import Headline, headline
from submissions.templatetags.measures import plus_minus, ratio

DONE_S, OPEN_S = 3600, 15
"""How long a cache may keep what is done, and what still moves."""
KEPT_S = 300


@require_safe
def evaluation_card(request: HttpRequest, evaluation_id: str) -> HttpResponseBase:
    """The picture of a public result."""
    evaluation = _public(evaluation_id)
    shown = headline(evaluation)
    return _kept(request, "image/png", f"{LOOK} {shown}", lambda: card(shown), _for_how_long(evaluation))


@require_safe
def evaluation_badge(request: HttpRequest, evaluation_id: str) -> HttpResponseBase:
    """A badge of one public result: its verdict, or its speedup."""
    evaluation = _public(evaluation_id)
    shown = headline(evaluation)
    value = _value(shown) or shown.title.lower()
    drawn = badge(f"{shown.op} · {shown.device}", value, shown.tone, shown.said)
    return _kept(request, "image/svg+xml", drawn, drawn.encode, _for_how_long(evaluation))


@require_safe
def author_badge(request: HttpRequest, op: str, device: str, author: str) -> HttpResponseBase:
    """An author's place on a board as it is now. Somebody who is not there gets a badge that says so, whether they exist or not."""
    if not is_known(op):
        raise Http404(f"There is no op {op[:80]!r}.")
    entries = Entry.objects.eligible().on(op, device).filter(author__username=author).order_by("interpreted").for_rows()
    entry = entries.first()
    label = f"{op} · {device}"
    if entry is None:
        drawn = badge(label, "no entry", "idle", f"{author} has no entry on {op}, {device}")
        return _kept(request, "image/svg+xml", drawn, drawn.encode, KEPT_S)
    place = place_of(entry)
    rank = f"#{place.rank} " if place is not None else ""
    figure = f"{ratio(entry.speedup)} {plus_minus(entry.speedup_low, entry.speedup_high)}".strip()
    said = f"{author} on {op}, {device}: rank {place.rank if place else 'none'}, {figure}"
    drawn = badge(label, f"{rank}{figure}", "good" if entry.speedup_low > 1 else "idle", said)
    return _kept(request, "image/svg+xml", drawn, drawn.encode, KEPT_S)


def _public(evaluation_id: str) -> Evaluation:
    """For anybody: who asks does not matter, so that a picture in a cache shows nobody more than all may see."""
    found = visible_evaluations(AnonymousUser()).light().filter(pk=evaluation_id).first()
    if found is None:
        raise Http404(f"There is no evaluation {evaluation_id!r}, or it is private.")
    return found


def _value(shown: Headline) -> str:
    return f"{shown.figure} {shown.error}".strip() if shown.figure else ""


def _for_how_long(evaluation: Evaluation) -> int:
    return DONE_S if evaluation.state == State.DONE else OPEN_S


def _kept(request: HttpRequest, media_type: str, content: str, make: Callable[[], bytes], max_age_s: int) -> HttpResponseBase:
    """What `make` gives, unless the reader has it already; `content` tells one version from another."""
    etag = f'"{hashlib.sha256(content.encode()).hexdigest()[:24]}"'
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = HttpResponse(make(), content_type=media_type)
        answer["ETag"] = etag
    patch_cache_control(answer, public=True, max_age=max_age_s)
    return answer
