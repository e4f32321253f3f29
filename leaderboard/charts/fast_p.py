"""fast_p over p: which share of a suite's ops each writer solves more than p times as fast as torch eager, as steps (FlashInfer-Bench)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.charts.scale import Scale, drawable, scale
from leaderboard.charts.svg import element, picture, text

WIDTH = 640.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 628.0, 12.0, 210.0
LINE = 18.0
"""Height of a name below the picture."""
LEAST_P, LEAST_REACH = 0.25, 2.5
"""Where the axis of p begins, and how far it reaches at least."""
MOST = 6
"""Curves that can be told apart."""
TABLE = (0.25, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
ROOFS = (0.05, 0.1, 0.25, 0.5, 1.0)
"""Where the axis of shares may end: few ops of a large suite would be a line at the bottom."""
DASHES = ("none", "7 3", "2 3", "10 3 2 3", "12 5", "1 5")


@dataclass(frozen=True, slots=True)
class Curve:
    """Somebody's accepted speedups over a suite of `ops` ops, in any order."""

    name: str
    speedups: tuple[float, ...]
    ops: int

    def share(self, p: float) -> float:
        """fast_p: a speedup of exactly p does not count."""
        return sum(speedup > p for speedup in self.speedups) / self.ops


@dataclass(frozen=True, slots=True)
class FastPTable:
    """The same as numbers: shares of each curve at each p."""

    thresholds: tuple[float, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]


def fast_p_table(curves: Sequence[Curve]) -> FastPTable:
    """Up to the first p at which everybody is at zero."""
    reached = [p for p in TABLE if any(curve.share(p) for curve in curves)]
    thresholds = TABLE[: max(len(reached) + 1, 4)]
    return FastPTable(thresholds, tuple((curve.name, tuple(curve.share(p) for p in thresholds)) for curve in curves[:MOST]))


def fast_p_svg(curves: Sequence[Curve]) -> SafeString:
    """A falling line of steps for each; p is logarithmic. Empty where nobody has a speedup."""
    usable = (Curve(curve.name, tuple(filter(drawable, curve.speedups)), curve.ops) for curve in curves[:MOST])
    shown = [curve for curve in usable if curve.speedups]
    if not shown:
        return SafeString()
    fastest = max(speedup for curve in shown for speedup in curve.speedups)
    highest = max(curve.share(LEAST_P) for curve in shown)
    up = Scale(0.0, next(roof for roof in ROOFS if roof >= highest), BOTTOM, TOP, logarithmic=False)
    across = scale(LEAST_P, max(fastest * 1.1, LEAST_REACH), LEFT, RIGHT, logarithmic=True)
    height = BOTTOM + 34 + LINE * len(shown)
    return picture(
        WIDTH,
        height,
        _axes(across, up),
        *(_curve(curve, number, across, up) for number, curve in enumerate(shown)),
        title="fast_p: share of the suite's ops that are more than p times as fast as torch eager",
        description=". ".join(
            f"{curve.name}: {curve.share(1.0):.0%} faster than torch eager, {curve.share(2.0):.0%} twice" for curve in shown
        )
        + ".",
        kind="chart-fast-p",
    )


def _curve(curve: Curve, number: int, across: Scale, up: Scale) -> str:
    """Its steps, and its name with a piece of its line below the axis."""
    steps = [f"M{LEFT:g} {up.at(curve.share(LEAST_P)):.2f}"]
    falls = sorted({one for one in curve.speedups if one > LEAST_P})
    steps += [f"H{across.at(speedup):.2f}V{up.at(curve.share(speedup)):.2f}" for speedup in falls]
    steps.append(f"H{RIGHT:g}")
    below = BOTTOM + 34 + LINE * number
    return element(
        "g",
        _line("".join(steps), number),
        _line(f"M{LEFT:g} {below:g}H{LEFT + 34:g}", number),
        text(curve.name, LEFT + 42, below + 4),
        class_=f"chart-curve-{number}",
    )


def _line(path: str, number: int) -> str:
    return element("path", d=path, fill="none", stroke="currentColor", stroke_width=2, stroke_dasharray=DASHES[number])


def _axes(across: Scale, up: Scale) -> str:
    marks: list[str] = []
    for share in (part * up.high for part in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)):
        y = up.at(share)
        marks.append(element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="chart-grid", stroke="currentColor", stroke_opacity=0.18))
        marks.append(text(f"{share * 100:g}%", LEFT - 8, y + 4, anchor="end", kind="chart-tick"))
    for tick in across.ticks(5):
        x = across.at(tick)
        marks.append(element("line", x1=x, x2=x, y1=BOTTOM, y2=BOTTOM + 5, stroke="currentColor", stroke_opacity=0.6))
        marks.append(text(f"{tick:g}×", x, BOTTOM + 18, anchor="middle" if LEFT < x < RIGHT - 20 else "end", kind="chart-tick"))
    return element("g", *marks, class_="chart-axis")
