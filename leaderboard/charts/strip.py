"""Where the entries of a board lie: a tick for each on one axis of speedup, and the baselines among them."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from leaderboard.baselines import BaselineRow
from leaderboard.charts.scale import drawable, scale
from leaderboard.charts.svg import element, picture, text
from leaderboard.ranking import Row
from submissions.templatetags.measures import ratio

WIDTH, HEIGHT = 640.0, 84.0
LEFT, RIGHT = 12.0, 628.0
TOP, BOTTOM = 26.0, 52.0
LETTER = 7.3


def strip_svg(rows: Sequence[Row], baselines: Sequence[BaselineRow] = ()) -> SafeString:
    """The board's table in a line, so it needs no table of its own. Empty with fewer than two entries.

    Confirmed entries are full ticks, others thin ones; a baseline is a dashed line with its name, where there is room.
    """
    entries = [row for row in rows if drawable(row.speedup)]
    if len(entries) < 2:
        return SafeString()
    beside = sorted((row.speedup, row.name) for row in baselines if row.speedup is not None and drawable(row.speedup))
    values = [row.speedup for row in entries] + [speedup for speedup, _ in beside]
    axis = scale(min(values), max(values), LEFT, RIGHT, logarithmic=True)
    ticks = [
        element(
            "line",
            x1=axis.at(row.speedup),
            x2=axis.at(row.speedup),
            y1=TOP,
            y2=BOTTOM,
            class_="strip-mine" if row.is_mine else "strip-entry",
            stroke="currentColor",
            stroke_width=3 if row.confirmed else 1.5,
            stroke_opacity=1 if row.is_mine or row.confirmed else 0.55,
        )
        for row in entries
    ]
    marks, free_from = [], 0.0
    for speedup, name in beside:
        at = axis.at(speedup)
        marks.append(
            element("line", x1=at, x2=at, y1=TOP - 8, y2=BOTTOM + 4, class_="strip-baseline", stroke="currentColor", stroke_dasharray="3 3")
        )
        width = len(name) * LETTER
        start = min(max(at - width / 2, LEFT), RIGHT - width)
        if start >= free_from:
            marks.append(text(name, start, TOP - 12, kind="chart-tick"))
            free_from = start + width + 8
    scale_marks = [
        text(f"{tick:g}×", axis.at(tick), BOTTOM + 24, anchor="end" if axis.at(tick) > RIGHT - 20 else "middle", kind="chart-tick")
        for tick in axis.ticks(5)
    ]
    best, worst = max(row.speedup for row in entries), min(row.speedup for row in entries)
    return picture(
        WIDTH,
        HEIGHT,
        element("line", x1=LEFT, x2=RIGHT, y1=BOTTOM + 4, y2=BOTTOM + 4, stroke="currentColor", stroke_opacity=0.4),
        *ticks,
        *marks,
        *scale_marks,
        title="Speedups of all entries",
        description=f"{len(entries)} entries from {ratio(worst)} to {ratio(best)}; the table below has the same figures.",
        kind="chart-strip",
    )
