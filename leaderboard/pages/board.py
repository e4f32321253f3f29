"""`/ops/<slug>/<device>/`: the leaderboard of an op on a device, live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboard.models import Device, Op
from leaderboard.overview import record_history
from leaderboard.pages.ops import op as op_page
from leaderboard.ranking import AuthorKind, Row
from leaderboard.ranking import board as ranked
from submissions.events import board_stream, last_seq
from submissions.pages.sheet import Whisker, whiskers


@dataclass(frozen=True, slots=True)
class Line:
    """A row, its error bar, and whether a band of ties starts with it."""

    row: Row
    whisker: Whisker | None
    starts_band: bool


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def board(request: HttpRequest, slug: str, device: str) -> HttpResponse:
    """The board, or its rows alone for a request with `HX-Request`. An op's own slug may look like `<op>/<device>`."""
    if not Op.objects.filter(pk=slug).exists():
        return op_page(request, f"{slug}/{device}")
    asked = {name: request.GET.get(name, "") for name in ("kernel_type", "mine", "author")}
    kind: AuthorKind | None = next((known for known in get_args(AuthorKind) if known == asked["author"]), None)
    seq = last_seq(board_stream(slug, device))  # before the rows: what comes between is told again by the socket
    shown = ranked(slug, device, viewer=request.user, kernel_type=asked["kernel_type"] or None, mine=asked["mine"] == "1", author_kind=kind)
    context: dict[str, object] = {
        "section": "ops",
        "board": shown,
        "compiled": lines(shown.rows),
        "interpreted": lines(shown.interpreted),
        "filtered": any(asked.values()),
    }
    if request.headers.get("HX-Request"):
        return render(request, "leaderboard/_board.html", context)
    query = urlencode({name: value for name, value in asked.items() if value})
    context |= {
        "op": get_object_or_404(Op.objects.defer("definition"), pk=slug),
        "device": get_object_or_404(Device, pk=device),
        "devices": Device.objects.filter(active=True),
        "history": record_history(slug, device),
        "asked": asked,
        "query": query,
        "seq": seq,
    }
    return render(request, "leaderboard/board.html", context)


def lines(rows: tuple[Row, ...]) -> list[Line]:
    bars = whiskers([(row.speedup_low, row.speedup, row.speedup_high) for row in rows])
    bands = [0, *(row.band for row in rows)]
    return [Line(row, bar, row.band != before) for row, bar, before in zip(rows, bars, bands, strict=False)]
