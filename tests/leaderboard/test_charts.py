"""Pictures: well-formed, fit for a strict CSP, true to their tables."""

from __future__ import annotations

import datetime as dt
import math
import re
from xml.etree import ElementTree as ET

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import CaseResult, CaseTiming
from leaderboard.charts import (
    Curve,
    distribution_svg,
    distribution_table,
    fast_p_svg,
    fast_p_table,
    record_sparkline_svg,
    record_table,
    speedup_bars_svg,
    speedup_table,
)
from leaderboard.charts.distribution import median_interval
from leaderboard.charts.scale import scale
from leaderboard.overview import RecordPoint
from tests.leaderboard.conftest import stats

SVG = "{http://www.w3.org/2000/svg}"
NOW = dt.datetime(2026, 11, 21, tzinfo=dt.UTC)
CAUGHT = re.compile(r"[\s\"']on\w+=|\sstyle=|<style|<script|javascript:|href=")
samples = st.lists(st.floats(allow_nan=True, allow_infinity=True) | st.floats(0.01, 1e7), max_size=50)


def checked(svg: str) -> ET.Element:
    """The picture parsed, after the checks that all pictures share."""
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert not CAUGHT.search(svg)
    assert {element.get("fill") for element in root.iter()} <= {None, "none", "currentColor"}
    for element in root.iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "width", "height"):
            assert math.isfinite(float(element.get(name, "0").removesuffix("%")))
        assert float(element.get("width", "0").removesuffix("%")) >= 0
    return root


def case(name: str, speedup: float, low: float, high: float) -> CaseResult:
    timing = CaseTiming(
        "wall", stats(10), stats(10), speedup, low, high, 20, "interval", samples_us=(1.0, 2.0), baseline_samples_us=(2.0, 3.0)
    )
    return CaseResult(name, "performance", True, "", timing=timing)


def point(author: str, speedup: float, days_ago: float) -> RecordPoint:
    return RecordPoint(author, "e", speedup, speedup * 0.9, speedup * 1.1, 10.0, NOW - dt.timedelta(days_ago), None)


@given(samples, samples)
def test_any_samples_give_a_sound_picture_or_none(candidate: list[float], baseline: list[float]) -> None:
    svg = distribution_svg(candidate, baseline)

    assert bool(svg) == bool(distribution_table(candidate, baseline))
    if svg:
        checked(svg)


def test_a_distribution_shows_both_sides_with_their_medians() -> None:
    svg = distribution_svg([99.0, 100.0, 101.0, 5000.0], [130.0] * 200)

    words = [element.text for element in checked(svg).iter(f"{SVG}text")]
    assert {"kernel", "torch eager", "130 µs"} <= set(words)


def test_fast_p_falls_in_steps_and_its_table_says_the_same() -> None:
    curves = [Curve("alice <b>", (2.0, 1.0, 0.6), 4), Curve("bob", (1.2,), 4)]

    root = checked(fast_p_svg(curves))
    table = fast_p_table(curves)

    assert table.thresholds == (0.25, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0)
    assert table.rows == (("alice <b>", (0.75, 0.75, 0.5, 0.25, 0.25, 0.25, 0.0)), ("bob", (0.25, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0)))
    first = next(root.iter(f"{SVG}path")).get("d", "")
    assert first.count("V") == 3
    heights = [float(y) for y in re.findall(r"(?:V|M52 )([\d.]+)", first)]
    assert heights == sorted(heights) and heights[-1] == 210.0
    assert fast_p_svg([Curve("nobody", (), 4)]) == ""


def test_a_late_call_does_not_flatten_the_rest() -> None:
    svg = distribution_svg([100.0 + i / 100 for i in range(400)] + [9000.0], [110.0] * 400)

    assert "1 later" in svg
    assert "9.00 ms" not in svg


@given(st.lists(st.floats(1, 2), min_size=1, max_size=99))
def test_the_interval_holds_the_median(values: list[float]) -> None:
    ordered = sorted(values)
    low, high = median_interval(ordered)

    assert low <= ordered[(len(ordered) - 1) // 2] <= high or low <= ordered[len(ordered) // 2] <= high


def test_speedups_are_drawn_and_told() -> None:
    cases = [case("fast", 2.0, 1.9, 2.1), case("slow", 0.5, 0.4, 0.6), case("same & <b>", 1.0, 0.9, 1.1)]

    svg = speedup_bars_svg(cases)

    kinds = {element.get("class") for element in checked(svg).iter(f"{SVG}g")}
    assert kinds == {"chart-faster", "chart-slower", "chart-no-difference"}
    assert [bar.said for bar in speedup_table(cases)] == ["faster", "slower", "no difference"]
    assert "same &amp; &lt;b&gt;" in svg


def test_cases_without_usable_timing_are_left_out() -> None:
    assert speedup_bars_svg([CaseResult("c", "correctness", True, "")]) == ""
    assert speedup_bars_svg([case("bad", math.inf, 1.0, math.inf)]) == ""


@given(st.lists(st.tuples(st.floats(0.01, 1000), st.floats(0, 999)), max_size=12))
def test_any_history_gives_a_sound_sparkline(history: list[tuple[float, float]]) -> None:
    points = [point("alice", speedup, days) for speedup, days in sorted(history, key=lambda p: -p[1])]

    svg = record_sparkline_svg(points, now=NOW)

    assert bool(svg) == bool(points)
    if svg:
        checked(svg)
    assert len(record_table(points)) == len(points)


def test_names_in_pictures_are_escaped() -> None:
    svg = record_sparkline_svg([point("<script>alert(1)</script>", 1.5, 1)], now=NOW)

    checked(svg)
    assert "alert(1)&lt;/script&gt;" in svg


@given(st.floats(1e-6, 1e6), st.floats(1, 1e6))
def test_ticks_lie_on_the_axis(low: float, factor: float) -> None:
    axis = scale(low, low * factor, 10, 500)

    ticks = axis.ticks()
    assert len(ticks) >= 1
    assert all(axis.low * 0.99 <= tick <= axis.high * 1.01 for tick in ticks)
    assert [axis.at(tick) for tick in ticks] == sorted(axis.at(tick) for tick in ticks)
    assert len(ticks) <= 12


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 1), (2, 1), (1, math.inf), (math.nan, 1)])
def test_an_axis_of_what_is_not_positive_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="scale"):
        scale(low, high, 0, 1)


def test_templates_can_draw() -> None:
    template = Template(
        "{% load charts %}{% distribution timing %}{% distribution_table timing as rows %}{% for row in rows %}[{{ row.side }}]{% endfor %}"
        "{% speedup_bars cases %}{% record_sparkline history %}"
    )
    drawn = case("one", 1.5, 1.4, 1.6)

    html = template.render(Context({"timing": drawn.timing, "cases": [drawn], "history": [point("alice", 1.5, 1)]}))

    assert html.count("<svg") == 3
    assert "[kernel][torch eager]" in html
