"""Speedup of each performance case with its error bar, against the line where nothing is gained."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluator.contract import CaseResult
from leaderboard.charts.scale import Scale, scale
from leaderboard.charts.svg import element, fluid, percent, text
from submissions.templatetags.measures import plus_minus, ratio

START, END = 1.5, 98.5
"""Ends of the axis, in per cent of the picture's width: a dot at an end is not cut."""
ROW, TOP, AXIS = 38.0, 4.0, 26.0
NAME_LENGTH = 34
DOT = 4.5
CAP = 5.0
OUTERMOST = 12.0
"""Per cent from the edge within which a label is no longer centred on its tick."""


@dataclass(frozen=True, slots=True)
class SpeedupBar:
    """One case: median of baseline time / candidate time and its 95 % confidence interval."""

    name: str
    speedup: float
    low: float
    high: float

    @property
    def said(self) -> str:
        """`faster`, `slower`, or `no difference` when the interval holds 1."""
        if self.low > 1:
            return "faster"
        return "slower" if self.high < 1 else "no difference"


def speedup_table(cases: Sequence[CaseResult]) -> list[SpeedupBar]:
    """The timed cases, in order: what the picture shows."""
    bars = [SpeedupBar(case.name, case.timing.speedup, case.timing.low, case.timing.high) for case in cases if case.timing is not None]
    return [bar for bar in bars if 0 < bar.low <= bar.speedup <= bar.high < math.inf]


def speedup_bars_svg(cases: Sequence[CaseResult]) -> SafeString:
    """A row per case on one logarithmic axis that holds 1×: right of it is faster, left is slower. Empty without timed cases.

    A dot stands at the median, a bar spans the 95 % interval, and a faint line leads from 1× to it.
    """
    bars = speedup_table(cases)
    if not bars:
        return SafeString()
    low, high = min(0.9, *(bar.low * 0.98 for bar in bars)), max(1.1, *(bar.high * 1.02 for bar in bars))
    axis = scale(low, high, START, END, logarithmic=True)
    bottom = TOP + ROW * len(bars)
    return fluid(
        bottom + AXIS,
        *_grid(axis, bottom),
        *(_row(bar, axis, TOP + ROW * i) for i, bar in enumerate(bars)),
        title="Speedup per case over torch_eager",
        description=". ".join(f"{bar.name}: {ratio(bar.speedup)} ({ratio(bar.low)} to {ratio(bar.high)})" for bar in bars) + ".",
        kind="chart-speedups",
    )


def _grid(axis: Scale, bottom: float) -> Iterator[SafeString]:
    """A line at each tick, the one at 1× stronger, and their labels below. Ticks too near to 1× give way to it."""
    for tick in axis.ticks(4):
        if abs(axis.at(tick) - axis.at(1.0)) < OUTERMOST / 2:
            continue
        yield _line(axis.at(tick), bottom, stroke_opacity=0.15)
        yield _label(f"{tick:g}×", axis.at(tick), bottom)
    yield _line(axis.at(1.0), bottom, class_="chart-unit", stroke_dasharray="3 3", stroke_opacity=0.8)
    yield _label("1×", axis.at(1.0), bottom)


def _line(at: float, bottom: float, **look: str | float) -> SafeString:
    return element("line", x1=percent(at), x2=percent(at), y1=TOP, y2=bottom + 5, stroke="currentColor", **look)


def _label(words: str, at: float, bottom: float) -> SafeString:
    anchor = "start" if at < OUTERMOST else "end" if at > 100 - OUTERMOST else "middle"
    return text(words, percent(at), bottom + 20, anchor=anchor, kind="chart-tick")


def _row(bar: SpeedupBar, axis: Scale, top: float) -> SafeString:
    """Name and figure above, the interval below them."""
    name = bar.name if len(bar.name) <= NAME_LENGTH else bar.name[: NAME_LENGTH - 1] + "…"
    y = top + 25
    low, x, high, one = (percent(axis.at(value)) for value in (bar.low, bar.speedup, bar.high, 1.0))
    error: dict[str, str | float] = {"class_": "chart-error", "stroke": "currentColor", "stroke_width": 2}
    return element(
        "g",
        text(name, "0%", top + 13),
        text(f"{ratio(bar.speedup)} {plus_minus(bar.low, bar.high)}".strip(), "100%", top + 13, anchor="end", kind="chart-value"),
        element("line", x1=one, x2=x, y1=y, y2=y, class_="chart-bar", stroke="currentColor", stroke_width=2, stroke_opacity=0.3),
        element("line", x1=low, x2=high, y1=y, y2=y, **error),
        element("line", x1=low, x2=low, y1=y - CAP, y2=y + CAP, **error),
        element("line", x1=high, x2=high, y1=y - CAP, y2=y + CAP, **error),
        element("circle", cx=x, cy=y, r=DOT, class_="chart-dot", fill="currentColor"),
        class_=f"chart-{bar.said.replace(' ', '-')}",
    )
