"""`/results/`: a suite on a device in the figures that the field uses, per author or per agent label, and op by op."""

from __future__ import annotations

from typing import get_args

from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.charts import Curve
from leaderboard.figures import THRESHOLDS, OpResult
from leaderboard.models import Device, Entry
from leaderboard.pages.meanings import Column
from leaderboard.results import By, Results, Row
from leaderboard.results import results as counted
from leaderboard.suites import Suite, suites

PREFERRED = "core"
FIRST = 20
"""Ops that are listed one by one where nobody's were asked for."""
CURVES = 5
"""Writers whose curves are drawn, best first."""


FAST_SAYS = (
    "Share of all ops of the suite that are accepted and more than p times as fast as torch eager (KernelBench's fast_p). "
    "Below it, the share of the ops attempted."
)
COLUMNS = (
    Column(
        "attempted",
        "Ops with an evaluation that ended with a verdict on the kernel, of all ops of the suite. What was cancelled, failed through "
        "our fault or ran with a seed of the author's choice does not count.",
    ),
    Column(
        "correctness rate",
        "Share of all ops of the suite with an accepted evaluation (KernelBench): an op never attempted counts as not correct. "
        "Below it, the share of the ops attempted.",
    ),
    Column(
        "correctness_score",
        "Share of an op's cases that the best evaluation passes, as a mean over the ops attempted (BackendBench). Accepted counts 1, "
        "held for review or rejected counts 0. Below it, the mean over all ops, with 0 for those never attempted.",
    ),
    *(Column(f"fast_{p:g}", FAST_SAYS) for p in THRESHOLDS),
    Column(
        "geomean",
        "Geometric mean of the speedups over torch eager. It is over the accepted ops that stand on a board, and below it is how many: "
        "failed ops are left out.",
    ),
    Column("evaluations", "How many evaluations these are the best of. The best of many tries says less than the first."),
)
MEANINGS = (*COLUMNS[:3], Column("fast_p", FAST_SAYS), *COLUMNS[-2:])


@require_safe
@never_cache
def results(request: HttpRequest) -> HttpResponse:
    """`?suite=`, `?device=` and `?by=author|agent` choose the table; `?author=` or `?agent=` whose ops are listed one by one."""
    asked = {name: request.GET.get(name, "").replace("\0", "").strip()[:150] for name in ("suite", "device", "by", "author", "agent")}
    by: By = next((known for known in get_args(By) if known == asked["by"]), "author")
    shelf = suites()
    devices = list(Device.objects.filter(active=True))
    context: dict[str, object] = {
        "section": "results",
        "suites": shelf.values(),
        "devices": devices,
        "by": by,
        "columns": COLUMNS,
        "meanings": MEANINGS,
    }
    suite = _suite(shelf, asked["suite"])
    device = _device(devices, asked["device"], suite)
    if suite is not None and device is not None:
        context |= _tables(request, suite, device, by, asked[by])
    return render(request, "leaderboard/results.html", context)


def _tables(request: HttpRequest, suite: Suite, device: Device, by: By, chosen: str) -> dict[str, object]:
    found = counted(suite, device.pk, reader=request.user, by=by)
    details, everything = _details(found, by, chosen), bool(chosen) or request.GET.get("all") == "1"
    table = {"suite": suite.slug, "device": device.pk, "by": by}
    return {
        "suite": suite,
        "device": device,
        "found": found,
        "everybody": found.together if by == "author" and len(found.rows) > 1 else None,
        "chosen": chosen,
        "details": [(one, one.per_op if everything else _attempted(one)) for one in details],
        "curves": _curves(found, by, chosen),
        "query": urlencode(table),
    }


def _attempted(row: Row) -> tuple[OpResult, ...]:
    return tuple(result for result in row.per_op if result.attempt is not None)[:FIRST]


def _curves(found: Results, by: By, chosen: str) -> tuple[Curve, ...]:
    """Of the first writers and of the one that was chosen; of all together where there are several."""
    rows = [(row.author if by == "author" else row.agent or "no label", row) for row in found.rows]
    shown = [*rows[:CURVES], *(pair for pair in rows[CURVES:] if pair[0] == chosen)]
    if by == "author" and len(rows) > 1 and len(shown) <= CURVES:
        shown.append(("best of everybody", found.together))
    return tuple(Curve(name, tuple(one.speed.speedup for one in row.per_op if one.speed), len(row.per_op)) for name, row in shown)


def _details(found: Results, by: By, chosen: str) -> tuple[Row, ...]:
    """Whose results are listed op by op: those of the author or label that was chosen, else the best of everybody.

    Labels have no best of everybody: their speeds come from other runs than the entries do.
    """
    if chosen:
        return tuple(row for row in (*found.rows, *found.interpreted) if (row.author if by == "author" else row.agent) == chosen)
    if by == "agent":
        return ()
    if found.only_interpreted and found.interpreted_together:
        return (found.interpreted_together,)
    return (found.together,) if found.rows else ()


def _suite(shelf: dict[str, Suite], asked: str) -> Suite | None:
    """The suite that was asked for, else the preferred one. None when there are none at all."""
    if asked and asked not in shelf:
        raise Http404(f"There is no suite {asked!r}.")
    return shelf[asked] if asked else shelf.get(PREFERRED) or next(iter(shelf.values()), None)


def _device(devices: list[Device], asked: str, suite: Suite | None) -> Device | None:
    """The device that was asked for, else the one with most entries of the suite, else the first."""
    known = {device.pk: device for device in devices}
    if asked:
        if asked not in known:
            raise Http404(f"There is no device {asked!r}.")
        return known[asked]
    slugs = [op.slug for op in suite.ops] if suite else []
    busiest = Entry.objects.eligible().filter(op__in=slugs, device__in=known).order_by().values_list("device").annotate(n=Count("pk"))
    first = busiest.order_by("-n", "device__position").first()
    return known[first[0]] if first else next(iter(devices), None)
