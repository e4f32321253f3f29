"""How a board's record rose: a step for each time it fell to someone."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.safestring import SafeString

from leaderboard.charts.scale import scale
from leaderboard.charts.svg import element, picture
from leaderboard.overview import RecordPoint
from submissions.templatetags.measures import ratio

EDGE = 4.0


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record in words: `held` is None while it stands."""

    author: str
    evaluation: str
    speedup: float
    since: dt.datetime
    held: dt.timedelta | None


def record_table(history: Sequence[RecordPoint]) -> list[RecordRow]:
    """Oldest first."""
    return [
        RecordRow(p.author, p.evaluation, p.speedup, p.held_from, None if p.held_until is None else p.held_until - p.held_from)
        for p in history
    ]


def record_sparkline_svg(
    history: Sequence[RecordPoint], *, width: float = 160, height: float = 36, now: dt.datetime | None = None
) -> SafeString:
    """The record's speedup over time up to `now`, without axes. Empty without records."""
    points = [p for p in history if 0 < p.speedup < math.inf]
    if not points:
        return SafeString()
    first, last = points[0].held_from, max(now or timezone.now(), points[-1].held_from)
    whole = max((last - first).total_seconds(), 1.0)
    axis = scale(min(p.speedup for p in points), max(p.speedup for p in points), height - EDGE, EDGE)

    def x(moment: dt.datetime) -> float:
        return EDGE + (width - 2 * EDGE) * (moment - first).total_seconds() / whole

    path = f"M{x(first):.2f} {axis.at(points[0].speedup):.2f}"
    path += "".join(f"H{x(p.held_from):.2f}V{axis.at(p.speedup):.2f}" for p in points[1:]) + f"H{x(last):.2f}"
    dots = [element("circle", cx=x(p.held_from), cy=axis.at(p.speedup), r=2, class_="chart-dot", fill="currentColor") for p in points]
    standing = points[-1]
    said = f"{len(points)} record{'s' if len(points) > 1 else ''}, from {ratio(points[0].speedup)} to {ratio(standing.speedup)}"
    return picture(
        width,
        height,
        element("path", d=path, class_="chart-steps", fill="none", stroke="currentColor", stroke_width=1.5),
        *dots,
        title="Record history",
        description=f"{said}; now {ratio(standing.speedup)} by {standing.author}.",
        kind="chart-sparkline",
        fixed=True,
    )
