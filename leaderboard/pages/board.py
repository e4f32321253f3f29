"""`/ops/<slug>/<device>/`: the leaderboard of an op on a device, live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from evaluator.contract import EPOCH, KernelType
from leaderboard.bands import place_behind
from leaderboard.baselines import BaselineRow
from leaderboard.competition_boards import open_now
from leaderboard.models import Device, Op
from leaderboard.overview import record_history
from leaderboard.pages.asked import asked_for, query
from leaderboard.pages.meanings import BOARD
from leaderboard.pages.ops import op as op_page
from leaderboard.ranking import AuthorKind, Row, epochs_of
from leaderboard.ranking import board as ranked
from leaderboard.scope import Scope, epoch_of, scope_for
from submissions.competitions.access import visible_groups
from submissions.events import board_stream, last_seq
from submissions.pages.sheet import Whisker, whiskers
from submissions.streams import competition_stream

FILTERS = ("kernel_type", "mine", "author", "agent", "baselines", "epoch", "competition", "group", "all")
FIRST = 100
"""Entries of a ranking that are shown without `?all=1`; the reader's own stands below them."""


@dataclass(frozen=True, slots=True)
class Line:
    """An entry or a baseline, its error bar, and whether a band of ties starts with it."""

    row: Row | BaselineRow
    whisker: Whisker | None
    starts_band: bool


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def board(request: HttpRequest, slug: str, device: str) -> HttpResponse:
    """The board, or its rows alone for a request with `HX-Request`. An op's own slug may look like `<op>/<device>`."""
    if not Op.objects.filter(pk=slug).exists():
        return op_page(request, f"{slug}/{device}")
    here = get_object_or_404(Device, pk=device)
    asked = asked_for(request, FILTERS)
    scope = scope_for(request.user, slug, device, competition=asked["competition"], group=asked["group"])
    present = epoch_of(scope.competition.pk) if scope.competition else EPOCH
    epoch = _epoch(asked["epoch"], present)
    kind: AuthorKind | None = next((known for known in get_args(AuthorKind) if known == asked["author"]), None)
    seq = last_seq(_stream(slug, device, scope))  # before the rows: what comes between is told again by the socket
    shown = ranked(
        slug,
        device,
        viewer=request.user,
        kernel_type=asked["kernel_type"] or None,
        mine=asked["mine"] == "1",
        author_kind=kind,
        agent=asked["agent"],
        baselines=asked["baselines"] != "false",
        epoch=epoch,
        scope=scope,
    )
    compiled, interpreted = (_first(rows, everything=asked["all"] == "1") for rows in (shown.rows, shown.interpreted))
    context: dict[str, object] = {
        "section": "ops",
        "board": shown,
        "compiled": lines(compiled, shown.baselines),
        "absent": [row for row in shown.baselines if not row.has_figures],
        "interpreted": lines(interpreted),
        "not_shown": {"compiled": len(shown.rows) - len(compiled), "interpreted": len(shown.interpreted) - len(interpreted)},
        "most": FIRST,
        "query": query(asked),
        "not_confirmed": lines(shown.not_confirmed),
        "filtered": any(asked[name] for name in ("kernel_type", "mine", "author", "agent", "group")),
        "asked": asked,
        "scope": scope,
        "history": [] if scope.competition else record_history(slug, device),
    }
    if request.headers.get("HX-Request"):
        return render(request, "leaderboard/_board.html", context)
    export = {"author_kind" if name == "author" else name: value for name, value in asked.items() if name != "all"}
    context |= {
        "op": get_object_or_404(Op.objects.defer("definition"), pk=slug),
        "device": here,
        "devices": Device.objects.filter(active=True, **({"pk__in": scope.competition.devices} if scope.competition else {})),
        "competitions": open_now(request.user, op=slug, device=device),
        "groups": visible_groups(request.user) if request.user.is_authenticated else [],
        "epochs": [(one, query(asked, epoch="" if one == present else one)) for one in epochs_of(slug, device, scope)],
        "kernel_types": shown.kernel_types or tuple(KernelType),
        "meanings": BOARD,
        "export": query(export),
        "csv": query(export, format="csv"),
        "kept": query({name: asked[name] for name in ("epoch", "competition")}),
        "seq": seq,
    }
    return render(request, "leaderboard/board.html", context)


def _first(rows: Sequence[Row], *, everything: bool) -> list[Row]:
    return [row for number, row in enumerate(rows) if everything or number < FIRST or row.is_mine]


def _stream(op: str, device: str, scope: Scope) -> str:
    return competition_stream(scope.competition.pk) if scope.competition else board_stream(op, device)


def _epoch(asked: str, present: int) -> int:
    """The epoch whose board is shown: the present one (of a competition the one that it ranks) unless an earlier is asked for."""
    if not asked:
        return present
    if asked not in map(str, range(1, EPOCH + 1)):
        raise Http404(f"There is no epoch {asked[:20]!r}; the evaluator is in epoch {EPOCH}.")
    return int(asked)


def lines(rows: Sequence[Row], baselines: Sequence[BaselineRow] = ()) -> list[Line]:
    """Entries in their order, and each baseline that has figures where its speedup puts it; those without a speedup come last."""
    placed: list[Row | BaselineRow] = list(rows)
    for baseline in (row for row in baselines if row.has_figures):
        placed.insert(place_behind(baseline.speedup, [row.speedup for row in placed]), baseline)
    bars = whiskers([_interval(row) for row in placed])
    band: int | None = 0
    found = []
    for row, bar in zip(placed, bars, strict=True):
        starts_band = isinstance(row, Row) and row.band != band
        band = row.band if isinstance(row, Row) else band
        found.append(Line(row, bar if row.speedup_low is not None else None, starts_band))
    return found


def _interval(row: Row | BaselineRow) -> tuple[float, float, float]:
    """What the axis of the error bars must hold: an interval, or a point at a speedup that has none."""
    middle = row.speedup or 1.0
    low, high = row.speedup_low, row.speedup_high
    return (middle, middle, middle) if low is None or high is None else (low, middle, high)
