"""How near each case comes to what its device can do: FLOP/s over FLOPs a byte, under the roofs of the table and of calibration.

The picture is that of S. Williams, A. Waterman and D. Patterson, "Roofline: an insightful visual performance model", 2009.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString

from evaluator.contract import CaseResult, CaseTiming
from evaluator.roofs import CaseLimit
from leaderboard.charts.scale import Scale, scale
from leaderboard.charts.svg import element, picture, text
from submissions.templatetags.measures import amount, percent, time_us

WIDTH, HEIGHT = 480.0, 360.0
LEFT, RIGHT = 64.0, 468.0
TOP, BOTTOM = 20.0, 306.0
LINE = 15.0
"""Room that a label needs."""
LEAST_RATE, MOST_RATE = 1.0, 1e21
"""Bytes and FLOPs a second outside cannot be: what claims them has no place on the picture."""


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One timed case beside its limits. `number` stands at its points in the picture, where `drawn`."""

    number: int
    name: str
    timing: CaseTiming
    limit: CaseLimit
    drawn: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """One roof: of which figures, for which precision."""

    source: str
    precision: str
    bytes_per_s: float
    flops_per_s: float

    def at(self, intensity: float) -> float:
        return min(self.bytes_per_s * intensity, self.flops_per_s)

    @property
    def said(self) -> str:
        return f"{self.precision}, {self.source}: {amount(self.flops_per_s)}FLOP/s, {amount(self.bytes_per_s)}B/s"


def limits_table(cases: Sequence[CaseResult]) -> list[LimitRow]:
    """The timed cases whose limits are known, in order."""
    timed = [(case.name, case.timing, case.timing.limit) for case in cases if case.timing is not None and case.timing.limit is not None]
    return [LimitRow(n, name, timing, limit, _has_place(timing, limit)) for n, (name, timing, limit) in enumerate(timed, 1)]


def roofline_svg(cases: Sequence[CaseResult]) -> SafeString:
    """Both axes logarithmic; solid roofs by the table, dashed ones by calibration; a disc for the kernel, a ring for torch eager.

    Empty where no case has both FLOPs and a roof.
    """
    drawn = [row for row in limits_table(cases) if row.drawn]
    lines = list(dict.fromkeys(line for row in drawn for line in _lines(row.limit)))
    if not lines:
        return SafeString()
    across = scale(*_widths(drawn, lines), LEFT, RIGHT, logarithmic=True)
    rates = [rate for row in drawn for rate in (_rate(row, row.timing.candidate.median_us), _rate(row, row.timing.baseline.median_us))]
    up = scale(
        min(*rates, *(line.at(across.low) for line in lines)) / 2,
        2 * max(*rates, *(line.flops_per_s for line in lines)),
        BOTTOM,
        TOP,
        logarithmic=True,
    )
    return picture(
        WIDTH,
        HEIGHT,
        _axes(across, up),
        *(_roof(line, across, up) for line in lines),
        *_labels(lines, up),
        *(_points(row, across, up) for row in drawn),
        title="Roofline: how near each case comes to the limits of the device",
        description=". ".join([*(line.said for line in lines), *(_sentence(row) for row in drawn)]) + ".",
        kind="chart-roofline",
    )


def why_no_roofline(cases: Sequence[CaseResult]) -> str:
    """What to say in place of a picture; "" where there is one, or nothing was timed."""
    rows = limits_table(cases)
    if not rows or any(row.drawn for row in rows):
        return ""
    if all(row.limit.table is None and row.limit.calibrated is None for row in rows):
        return f"No picture: the table has no ceilings for this device, and there are no measured ones ({rows[0].limit.calibration})."
    if all(row.limit.flops == 0 for row in rows):
        return "No picture: these cases move bytes and compute nothing, so a rate of FLOPs says nothing about them."
    return "No picture: no peak is known for the precision of these cases."


def _has_place(timing: CaseTiming, limit: CaseLimit) -> bool:
    rates = [limit.flops / us * 1e6 for us in (timing.candidate.median_us, timing.baseline.median_us) if us > 0]
    return bool(limit.flops and limit.intensity and list(_lines(limit)) and len(rates) == 2 and all(map(_possible, rates)))


def _lines(limit: CaseLimit) -> Iterator[_Line]:
    for roof, source in ((limit.table, "table"), (limit.calibrated, "measured")):
        if roof is not None and roof.bytes_per_s and roof.flops_per_s and _possible(roof.bytes_per_s) and _possible(roof.flops_per_s):
            yield _Line(source, limit.precision, roof.bytes_per_s, roof.flops_per_s)


def _possible(rate: float) -> bool:
    return LEAST_RATE < rate < MOST_RATE


def _widths(drawn: Sequence[LimitRow], lines: Sequence[_Line]) -> tuple[float, float]:
    """From half of the least FLOPs a byte to twice the most, with every corner of a roof inside."""
    places = [row.limit.intensity for row in drawn if row.limit.intensity] + [line.flops_per_s / line.bytes_per_s for line in lines]
    return min(places) / 2, max(places) * 4


def _rate(row: LimitRow, us: float) -> float:
    return row.limit.flops / us * 1e6


def _roof(line: _Line, across: Scale, up: Scale) -> str:
    corner = line.flops_per_s / line.bytes_per_s
    start = max(across.low, up.low / line.bytes_per_s)
    path = f"M{across.at(start):.2f} {up.at(line.at(start)):.2f}L{across.at(corner):.2f} {up.at(line.flops_per_s):.2f}H{RIGHT:.2f}"
    look = {"stroke_dasharray": "5 4"} if line.source == "measured" else {}
    return element(
        "g",
        element("title", escape(line.said)),
        element("path", d=path, fill="none", stroke="currentColor", stroke_width=1.75, **look),
        class_=f"chart-roof chart-roof-{line.source}",
    )


def _labels(lines: Sequence[_Line], up: Scale) -> Iterator[str]:
    """The peaks of each precision class, above the higher one; lower where that place is taken."""
    last = -math.inf
    by_class: dict[str, list[_Line]] = {}
    for line in sorted(lines, key=lambda line: -line.flops_per_s):
        by_class.setdefault(line.precision, []).append(line)
    for precision, roofs in by_class.items():
        last = max(up.at(roofs[0].flops_per_s) - 5, last + LINE)
        peaks = sorted((("measured " if line.source == "measured" else "") + amount(line.flops_per_s).strip() for line in roofs), key=len)
        yield text(f"{precision.removeprefix('ieee_')} {', '.join(peaks)}", RIGHT, last, anchor="end")


def _points(row: LimitRow, across: Scale, up: Scale) -> str:
    assert row.limit.intensity is not None
    x = across.at(row.limit.intensity)
    kernel, torch = (up.at(_rate(row, side.median_us)) for side in (row.timing.candidate, row.timing.baseline))
    return element(
        "g",
        element("title", escape(_sentence(row))),
        element("line", x1=x, x2=x, y1=kernel, y2=torch, stroke="currentColor", stroke_opacity=0.4),
        element("circle", cx=x, cy=torch, r=4.5, class_="chart-baseline", fill="none", stroke="currentColor", stroke_width=1.75),
        element("circle", cx=x, cy=kernel, r=4.5, class_="chart-candidate", fill="currentColor"),
        text(str(row.number), x + 8, kernel + 4, kind="chart-value"),
    )


def _sentence(row: LimitRow) -> str:
    shares = ((row.limit.table, "the table"), (row.limit.calibrated, "calibration"))
    said = [f"{percent(roof.share)} of the limit by {source}" for roof, source in shares if roof is not None and roof.share is not None]
    kernel, torch = time_us(row.timing.candidate.median_us), time_us(row.timing.baseline.median_us)
    return f"{row.number} {row.name}: {', '.join([kernel, *said])}; torch eager {torch}"


def _axes(across: Scale, up: Scale) -> str:
    marks: list[str] = []
    for tick in across.ticks():
        x = across.at(tick)
        marks.append(element("line", x1=x, x2=x, y1=BOTTOM, y2=BOTTOM + 5, stroke="currentColor", stroke_opacity=0.6))
        marks.append(text(f"{tick:g}", x, BOTTOM + 20, anchor="middle", kind="chart-tick"))
    for tick in up.ticks():
        y = up.at(tick)
        marks.append(element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, stroke="currentColor", stroke_opacity=0.12))
        marks.append(text(amount(tick).strip(), LEFT - 8, y + 4, anchor="end", kind="chart-tick"))
    marks.append(text("FLOP/s", 4, TOP - 4, kind="chart-note"))
    marks.append(text("FLOPs a byte that crosses memory", (LEFT + RIGHT) / 2, HEIGHT - 8, anchor="middle", kind="chart-note"))
    bottom = element("line", x1=LEFT, x2=RIGHT, y1=BOTTOM, y2=BOTTOM, stroke="currentColor", stroke_opacity=0.6)
    side = element("line", x1=LEFT, x2=LEFT, y1=TOP, y2=BOTTOM, stroke="currentColor", stroke_opacity=0.6)
    return element("g", side, bottom, *marks, class_="chart-axis")
