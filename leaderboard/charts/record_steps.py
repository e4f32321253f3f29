"""Who held a board's record, and for how long: a step for each record, with its interval, on axes of time and speedup."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Sequence

from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString

from evaluator.contract import EPOCH
from leaderboard.charts.scale import Scale, drawable, scale
from leaderboard.charts.svg import element, picture, text
from leaderboard.overview import RecordPoint
from submissions.templatetags.measures import ratio

WIDTH, HEIGHT = 640.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 628.0, 22.0, 190.0
LETTER = 7.3
"""Width of a letter of a holder's name, in units."""
DATES = 4


def record_steps_svg(history: Sequence[RecordPoint], *, epoch: int = EPOCH, now: dt.datetime | None = None) -> SafeString:
    """The records of one epoch, because those of another are not comparable. Empty without records.

    A step ends where its record fell; while nobody held it, there is none. A name stands on each step that has room for it.
    """
    points = [p for p in history if p.epoch == epoch and all(map(drawable, (p.speedup_low, p.speedup, p.speedup_high)))]
    if not points:
        return SafeString()
    first = points[0].held_from
    last = max(now or timezone.now(), *(p.held_until or p.held_from for p in points)) if points[-1].stands else _end(points[-1])
    whole = max((last - first).total_seconds(), 1.0)
    lowest, highest = min(p.speedup_low for p in points), max(p.speedup_high for p in points)
    room = (highest / lowest) ** (0.5 if len(points) == 1 else 0.05)  # so that one interval does not fill the picture
    axis = scale(lowest / room, highest * room, BOTTOM, TOP)

    def x(moment: dt.datetime) -> float:
        return LEFT + (RIGHT - LEFT) * min(max((moment - first).total_seconds() / whole, 0.0), 1.0)

    steps = [_step(p, x(p.held_from), x(p.held_until or last), axis) for p in points]
    falls = [
        element(
            "line",
            x1=x(b.held_from),
            x2=x(b.held_from),
            y1=axis.at(a.speedup),
            y2=axis.at(b.speedup),
            class_="chart-fall",
            stroke="currentColor",
        )
        for a, b in itertools.pairwise(points)
        if a.held_until is not None and abs((b.held_from - a.held_until).total_seconds()) < 1
    ]
    leader = points[-1]
    return picture(
        WIDTH,
        HEIGHT,
        _axes(axis, first, last),
        *falls,
        *steps,
        title="Record history",
        description=f"{len(points)} record{'' if len(points) == 1 else 's'}, from {ratio(points[0].speedup)} to {ratio(leader.speedup)}; "
        f"{'now' if leader.stands else 'the last was'} {ratio(leader.speedup)} by {leader.author}.",
        kind="chart-records",
    )


def _end(point: RecordPoint) -> dt.datetime:
    return point.held_until or point.held_from


def _step(point: RecordPoint, start: float, end: float, axis: Scale) -> str:
    y, low, high = axis.at(point.speedup), axis.at(point.speedup_low), axis.at(point.speedup_high)
    room = int((end - start - 4) / LETTER)
    name = point.author if len(point.author) <= room else f"{point.author[: room - 1]}…" if room > 4 else ""
    label = [text(name, start + 4, max(high - 5, 12), kind="chart-holder")] if name else []
    return element(
        "g",
        element("title", _said(point)),
        element(
            "rect",
            x=start,
            y=high,
            width=max(end - start, 1),
            height=max(low - high, 0.5),
            class_="chart-interval",
            fill="currentColor",
            fill_opacity=0.18,
        ),
        element("line", x1=start, x2=max(end, start + 1), y1=y, y2=y, class_="chart-steps", stroke="currentColor", stroke_width=2),
        element("circle", cx=start, cy=y, r=3, class_="chart-dot", fill="currentColor"),
        *label,
        class_="chart-record-stands" if point.stands else "chart-record",
    )


def _said(point: RecordPoint) -> str:
    return escape(f"{ratio(point.speedup)} by {point.author}, from {point.held_from:%Y-%m-%d}")


def _axes(axis: Scale, first: dt.datetime, last: dt.datetime) -> str:
    marks: list[str] = []
    for tick in axis.ticks(4):
        y = axis.at(tick)
        marks.append(element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="chart-grid", stroke="currentColor", stroke_opacity=0.18))
        marks.append(text(f"{tick:.4g}×", LEFT - 8, y + 4, anchor="end", kind="chart-tick"))
    form = "%Y-%m-%d" if (last - first).days >= DATES else "%m-%d %H:%M UTC"
    for number in range(DATES):
        share = number / (DATES - 1)
        at = LEFT + (RIGHT - LEFT) * share
        anchor = "start" if number == 0 else "end" if number == DATES - 1 else "middle"
        marks.append(element("line", x1=at, x2=at, y1=BOTTOM, y2=BOTTOM + 5, stroke="currentColor", stroke_opacity=0.6))
        marks.append(text(f"{first + (last - first) * share:{form}}", at, BOTTOM + 20, anchor=anchor, kind="chart-tick"))
    line = element("line", x1=LEFT, x2=RIGHT, y1=BOTTOM, y2=BOTTOM, stroke="currentColor", stroke_opacity=0.6)
    return element("g", line, *marks, class_="chart-axis")
