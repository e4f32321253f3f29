"""How long single calls took: candidate above, baseline below, on one axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.charts.scale import Scale, scale
from leaderboard.charts.svg import element, picture, text
from submissions.templatetags.measures import time_us

WIDTH, HEIGHT = 640.0, 196.0
LEFT, RIGHT = 92.0, 628.0
STRIP, GAP, TOP = 60.0, 16.0, 8.0
BINS = 60
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
    samples_us: Sequence[float], baseline_us: Sequence[float], *, baseline: str = "torch_eager"
) -> list[DistributionRow]:
    """The numbers of the picture. A side without usable samples has no row."""
    sides = (("candidate", _usable(samples_us)), (baseline, _usable(baseline_us)))
    return [_row(side, values) for side, values in sides if values]


def distribution_svg(samples_us: Sequence[float], baseline_us: Sequence[float], *, baseline: str = "torch_eager") -> SafeString:
    """A histogram per side with the median, its 95 % interval and an axis in a fitting unit. Empty when neither side has samples.

    The axis ends at the 99th percentile, because one late call would press all others into one bar; what lies beyond is counted.
    """
    rows = distribution_table(samples_us, baseline_us, baseline=baseline)
    if not rows:
        return SafeString()
    values = {"candidate": _usable(samples_us), baseline: _usable(baseline_us)}
    low = min(row.min_us for row in rows)
    high = max(_quantile(values[row.side], 0.99) for row in rows)
    axis = scale(low, max(low, high, *(row.high_us for row in rows)), LEFT, RIGHT)
    strips = [_strip(row, values[row.side], axis, TOP + i * (STRIP + GAP)) for i, row in enumerate(rows)]
    bottom = TOP + len(rows) * (STRIP + GAP)
    return picture(
        WIDTH,
        HEIGHT - (2 - len(rows)) * (STRIP + GAP),
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
    floor = top + STRIP
    counts = [0] * BINS
    beyond = sum(value > axis.high for value in ordered)
    width = (axis.end - axis.start) / BINS
    for value in ordered[: len(ordered) - beyond]:
        counts[min(BINS - 1, int((axis.at(value) - axis.start) / width))] += 1
    tallest = max(counts)
    bars = [
        element("rect", x=axis.start + i * width, y=floor - 44 * n / tallest, width=width, height=44 * n / tallest)
        for i, n in enumerate(counts)
        if n
    ]
    side = "chart-candidate" if row.side == "candidate" else "chart-baseline"
    middle, low, high = axis.at(row.median_us), axis.at(row.low_us), axis.at(row.high_us)
    near_end = middle > (axis.start + axis.end) / 2
    extra = [text(f"{beyond} later", axis.end, top + 24, anchor="end", kind="chart-note")] if beyond else []
    return element(
        "g",
        text(row.side, LEFT - 8, floor - 4, anchor="end"),
        element("g", *bars, class_="chart-bars", fill="currentColor", fill_opacity=0.45),
        element("line", x1=axis.start, x2=axis.end, y1=floor, y2=floor, class_="chart-line", stroke="currentColor", stroke_opacity=0.4),
        element(
            "rect", x=low, y=top, width=max(high - low, 0.5), height=STRIP, class_="chart-interval", fill="currentColor", fill_opacity=0.25
        ),
        element("line", x1=middle, x2=middle, y1=top, y2=floor, class_="chart-median", stroke="currentColor", stroke_width=2),
        text(time_us(row.median_us), middle + (-6 if near_end else 6), top + 10, anchor="end" if near_end else "start", kind="chart-value"),
        *extra,
        class_=side,
    )


def _axis(axis: Scale, top: float) -> str:
    marks: list[str] = []
    for tick in axis.ticks():
        x = axis.at(tick)
        marks.append(element("line", x1=x, x2=x, y1=top, y2=top + 5, stroke="currentColor", stroke_opacity=0.6))
        marks.append(text(time_us(tick), x, top + 20, anchor="end" if x > RIGHT - 24 else "middle", kind="chart-tick"))
    line = element("line", x1=axis.start, x2=axis.end, y1=top, y2=top, stroke="currentColor", stroke_opacity=0.6)
    return element("g", line, *marks, class_="chart-axis")
