"""Speedup of each performance case with its error bar, against the line where nothing is gained."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluator.contract import CaseResult
from leaderboard.charts.scale import scale
from leaderboard.charts.svg import element, picture, text
from submissions.templatetags.measures import ratio

WIDTH = 640.0
LEFT, RIGHT = 180.0, 560.0
ROW, TOP = 26.0, 6.0
NAME_LENGTH = 24


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
    """A bar per case on a logarithmic axis that starts at 1×: right is faster, left is slower. Empty without timed cases."""
    bars = speedup_table(cases)
    if not bars:
        return SafeString()
    low, high = min(0.9, *(bar.low for bar in bars)), max(1.1, *(bar.high for bar in bars))
    axis = scale(low, high, LEFT, RIGHT, logarithmic=True)
    one, bottom = axis.at(1.0), TOP + ROW * len(bars)
    rows = [_row(bar, axis.at(bar.speedup), axis.at(bar.low), axis.at(bar.high), one, TOP + ROW * i) for i, bar in enumerate(bars)]
    ticks = [text(f"{tick:g}×", axis.at(tick), bottom + 18, anchor="middle", kind="chart-tick") for tick in axis.ticks(4)]
    line = element("line", x1=one, x2=one, y1=TOP, y2=bottom + 5, class_="chart-unit", stroke="currentColor", stroke_dasharray="3 3")
    return picture(
        WIDTH,
        bottom + 26,
        *rows,
        line,
        *ticks,
        title="Speedup per case over torch_eager",
        description=". ".join(f"{bar.name}: {ratio(bar.speedup)} ({ratio(bar.low)} to {ratio(bar.high)})" for bar in bars) + ".",
        kind="chart-speedups",
    )


def _row(bar: SpeedupBar, x: float, low: float, high: float, one: float, top: float) -> str:
    middle = top + ROW / 2
    name = bar.name if len(bar.name) <= NAME_LENGTH else bar.name[: NAME_LENGTH - 1] + "…"
    return element(
        "g",
        text(name, LEFT - 8, middle + 4, anchor="end"),
        element(
            "rect",
            x=min(one, x),
            y=top + 6,
            width=abs(x - one),
            height=ROW - 12,
            class_="chart-bar",
            fill="currentColor",
            fill_opacity=0.45,
        ),
        element("line", x1=low, x2=high, y1=middle, y2=middle, class_="chart-error", stroke="currentColor", stroke_width=2),
        element("line", x1=low, x2=low, y1=middle - 4, y2=middle + 4, class_="chart-error", stroke="currentColor", stroke_width=2),
        element("line", x1=high, x2=high, y1=middle - 4, y2=middle + 4, class_="chart-error", stroke="currentColor", stroke_width=2),
        text(ratio(bar.speedup), max(x, high, one) + 8, middle + 4, kind="chart-value"),
        class_=f"chart-{bar.said.replace(' ', '-')}",
    )
