"""`/compare/?ids=a,b,…`: evaluations side by side."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.compare import LEAST, MOST, CasePair, Comparison, NotComparableError, Pair, Side, compare, wanted_ids
from submissions.line_diff import Diff, kept_diff
from submissions.pages.sheet import Whisker, whiskers


@dataclass(frozen=True, slots=True)
class Card:
    """A side, the address that makes it the first, and the one that leaves it out (empty where two are left)."""

    side: Side
    first: str
    without: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A pair, its cases with error bars, and the difference of the sources; None where the reader may not read both."""

    pair: Pair
    rows: tuple[tuple[CasePair, Whisker | None], ...]
    diff: Diff | None


@require_safe
@never_cache
def compare_page(request: HttpRequest) -> HttpResponse:
    """Without ids a form that explains itself; with wrong ones the form, and what is wrong (400)."""
    ids = wanted_ids(request.GET.getlist("ids"))
    context: dict[str, object] = {"section": "compare", "given": ", ".join(ids), "least": LEAST, "most": MOST}
    if not ids:
        return render(request, "leaderboard/compare.html", context)
    try:
        found = compare(ids, request.user)
    except NotComparableError as error:
        return render(request, "leaderboard/compare.html", context | {"errors": error.errors}, status=400)
    context |= {"found": found, "cards": _cards(found), "shown": [_shown(found.base, pair) for pair in found.pairs], "ids": ",".join(ids)}
    return render(request, "leaderboard/compare.html", context)


def _cards(found: Comparison) -> list[Card]:
    ids = [side.id for side in found.sides]
    return [
        Card(
            side,
            ",".join([side.id, *(other for other in ids if other != side.id)]),
            ",".join(other for other in ids if other != side.id) if len(ids) > LEAST else "",
        )
        for side in found.sides
    ]


def _shown(base: Side, pair: Pair) -> Shown:
    ratios = [case.ratio for case in pair.cases if case.ratio is not None]
    bars = iter(whiskers([(one.low, one.ratio, one.high) for one in ratios]))
    readable = base.may_read_source and pair.side.may_read_source
    return Shown(
        pair,
        tuple((case, next(bars) if case.ratio is not None else None) for case in pair.cases),
        kept_diff(base.evaluation.submission.source, pair.side.evaluation.submission.source) if readable else None,
    )
