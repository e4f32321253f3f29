"""How a board's record rose: a step for each time it fell to someone."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.safestring import SafeString

from evaluator.contract import EPOCH
from leaderboard.charts.scale import scale
from leaderboard.charts.svg import element, picture
from leaderboard.overview import RecordPoint
from submissions.templatetags.measures import ratio

EDGE = 4.0


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record in words: `held_s` counts up to now while it stands. `gain`: over the record before, of its epoch."""

    point: RecordPoint
    held_s: float
    gain: float | None


def record_table(history: Sequence[RecordPoint], *, now: dt.datetime | None = None) -> list[RecordRow]:
    """Oldest first."""
    rows: list[RecordRow] = []
    before: RecordPoint | None = None
    for p in history:
        held = max((p.held_until or now or timezone.now()) - p.held_from, dt.timedelta(0))
        gain = p.speedup / before.speedup if before is not None and before.epoch == p.epoch and before.speedup > 0 else None
        rows.append(RecordRow(p, held.total_seconds(), gain))
        before = p
    return rows


def record_sparkline_svg(
    history: Sequence[RecordPoint], *, width: float = 160, height: float = 36, now: dt.datetime | None = None
) -> SafeString:
    """The record's speedup over time up to `now`, without axes: of the present epoch, because those of another are not comparable.

    Empty without records.
    """
    points = [p for p in history if 0 < p.speedup < math.inf and p.epoch == EPOCH]
    if not points:
        return SafeString()
    standing = points[-1]
    first, last = points[0].held_from, standing.held_until or max(now or timezone.now(), standing.held_from)
    whole = max((last - first).total_seconds(), 1.0)
    axis = scale(min(p.speedup for p in points), max(p.speedup for p in points), height - EDGE, EDGE)

    def x(moment: dt.datetime) -> float:
        return EDGE + (width - 2 * EDGE) * (moment - first).total_seconds() / whole

    path = f"M{x(first):.2f} {axis.at(points[0].speedup):.2f}"
    path += "".join(f"H{x(p.held_from):.2f}V{axis.at(p.speedup):.2f}" for p in points[1:]) + f"H{x(last):.2f}"
    dots = [element("circle", cx=x(p.held_from), cy=axis.at(p.speedup), r=2, class_="chart-dot", fill="currentColor") for p in points]
    said = f"{len(points)} record{'s' if len(points) > 1 else ''}, from {ratio(points[0].speedup)} to {ratio(standing.speedup)}"
    return picture(
        width,
        height,
        element("path", d=path, class_="chart-steps", fill="none", stroke="currentColor", stroke_width=1.5),
        *dots,
        title="Record history",
        description=f"{said}; {'now' if standing.stands else 'the last was'} {ratio(standing.speedup)} by {standing.author}.",
        kind="chart-sparkline",
        fixed=True,
    )
