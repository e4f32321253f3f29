"""How long single calls took: candidate above, baseline below, on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.charts.scale import Scale, scale
from leaderboard.charts.svg import element, fluid, percent, text
from submissions.templatetags.measures import time_us

START, END = 0.5, 99.5
"""Ends of the axis, in per cent of the picture's width."""
NAME, STRIP, GAP, AXIS = 17.0, 46.0, 12.0, 24.0
"""Heights: of a side's name, of its bars, of what is left free below, of the axis."""
NEAR_END = 8.0
"""Per cent from the edge within which a label is no longer centred on its tick."""
BINS = 60
KERNEL = "kernel"
"""How the side of what was handed in is called on pages."""
LEAST_US, MOST_US = 1e-6, 1e12
"""Times outside cannot be: a picosecond, eleven days. They may still be reported, by a candidate that lies."""


@dataclass(frozen=True, slots=True)
class DistributionRow:
    """One side's samples summed up, in microseconds; `low`, `high`: 95 % confidence interval of the median."""

    side: str
    n: int
    median_us: float
    low_us: float
    high_us: float
    p5_us: float
    p95_us: float
    min_us: float
    max_us: float


def distribution_table(
    samples_us: Sequence[float], baseline_us: Sequence[float], *, baseline: str = "torch eager"
) -> list[DistributionRow]:
    """The numbers of the picture. A side without usable samples has no row."""
    sides = ((KERNEL, _usable(samples_us)), (baseline, _usable(baseline_us)))
    return [_row(side, values) for side, values in sides if values]


def distribution_svg(samples_us: Sequence[float], baseline_us: Sequence[float], *, baseline: str = "torch eager") -> SafeString:
    """A histogram per side with the median, its 95 % interval and an axis in a fitting unit. Empty when neither side has samples.

    The axis ends at the 99th percentile, because one late call would press all others into one bar; what lies beyond is counted.
    """
    rows = distribution_table(samples_us, baseline_us, baseline=baseline)
    if not rows:
        return SafeString()
    values = {KERNEL: _usable(samples_us), baseline: _usable(baseline_us)}
    low = min(row.min_us for row in rows)
    high = max(_quantile(values[row.side], 0.99) for row in rows)
    axis = scale(low, max(low, high, *(row.high_us for row in rows)), START, END)
    side = NAME + STRIP + GAP
    strips = [_strip(row, values[row.side], axis, i * side) for i, row in enumerate(rows)]
    bottom = len(rows) * side
    return fluid(
        bottom + AXIS,
        *strips,
        _axis(axis, bottom),
        title="Distribution of call times",
        description=". ".join(_sentence(row) for row in rows) + ".",
        kind="chart-distribution",
    )


def median_interval(ordered: Sequence[float]) -> tuple[float, float]:
    """95 % confidence interval of the median from order statistics (ranks n/2 ± 0.98·√n; normal approximation of the binomial)."""
    n = len(ordered)
    reach = 0.98 * math.sqrt(n)
    return ordered[max(0, math.floor(n / 2 - reach))], ordered[min(n - 1, math.ceil(n / 2 + reach) - 1)]


def _usable(samples: Sequence[float]) -> list[float]:
    return sorted(value for value in samples if LEAST_US <= value <= MOST_US)


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _row(side: str, ordered: Sequence[float]) -> DistributionRow:
    low, high = median_interval(ordered)
    return DistributionRow(
        side=side,
        n=len(ordered),
        median_us=_quantile(ordered, 0.5),
        low_us=low,
        high_us=high,
        p5_us=_quantile(ordered, 0.05),
        p95_us=_quantile(ordered, 0.95),
        min_us=ordered[0],
        max_us=ordered[-1],
    )


def _sentence(row: DistributionRow) -> str:
    return f"{row.side}: median {time_us(row.median_us)} ({time_us(row.low_us)} to {time_us(row.high_us)}), {row.n} samples"


def _strip(row: DistributionRow, ordered: Sequence[float], axis: Scale, top: float) -> str:
    """The side's name and its median above its bars; the interval of the median is a shade over them."""
    roof, floor = top + NAME, top + NAME + STRIP
    counts = [0] * BINS
    beyond = sum(value > axis.high for value in ordered)
    width = (axis.end - axis.start) / BINS
    for value in ordered[: len(ordered) - beyond]:
        counts[min(BINS - 1, int((axis.at(value) - axis.start) / width))] += 1
    tallest = max(counts)
    bars = [
        element("rect", x=percent(axis.start + i * width), y=floor - STRIP * n / tallest, width=percent(width), height=STRIP * n / tallest)
        for i, n in enumerate(counts)
        if n
    ]
    middle, low, high = (axis.at(value) for value in (row.median_us, row.low_us, row.high_us))
    late = f", {beyond} later" if beyond else ""
    return element(
        "g",
        text(row.side, "0%", top + 12),
        text(f"{time_us(row.median_us)}{late}", "100%", top + 12, anchor="end", kind="chart-value"),
        element("g", *bars, class_="chart-bars", fill="currentColor", fill_opacity=0.45),
        _level(axis, floor, 0.4),
        element(
            "rect",
            x=percent(low),
            y=roof,
            width=percent(max(high - low, 0.15)),
            height=STRIP,
            class_="chart-interval",
            fill="currentColor",
            fill_opacity=0.25,
        ),
        element(
            "line", x1=percent(middle), x2=percent(middle), y1=roof, y2=floor, class_="chart-median", stroke="currentColor", stroke_width=2
        ),
        class_="chart-candidate" if row.side == KERNEL else "chart-baseline",
    )


def _axis(axis: Scale, top: float) -> str:
    marks: list[str] = []
    for tick in axis.ticks(3):
        at = axis.at(tick)
        anchor = "start" if at < NEAR_END else "end" if at > 100 - NEAR_END else "middle"
        marks.append(element("line", x1=percent(at), x2=percent(at), y1=top, y2=top + 5, stroke="currentColor", stroke_opacity=0.6))
        marks.append(text(time_us(tick), percent(at), top + 18, anchor=anchor, kind="chart-tick"))
    return element("g", _level(axis, top, 0.6), *marks, class_="chart-axis")


def _level(axis: Scale, y: float, opacity: float) -> str:
    return element("line", x1=percent(axis.start), x2=percent(axis.end), y1=y, y2=y, stroke="currentColor", stroke_opacity=opacity)
