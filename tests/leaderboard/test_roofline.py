"""The picture of limits: sound for any figures, true to its table, and replaced by a sentence where there is none."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import CaseResult, CaseTiming
from evaluator.roofs import CaseLimit, Roof
from leaderboard.charts import limits_table, roofline_svg, why_no_roofline
from tests.leaderboard.conftest import stats
from tests.leaderboard.test_charts import SVG, checked

TABLE = Roof(3.35e12, 6.7e13, 1.0, 24.4, "bytes", 0.47, 0.30)
MEASURED = Roof(3.0e12, 5.1e13, 1.1, 27.3, "bytes", 0.52, 0.33)
LIMIT = CaseLimit(134217728, 81788928, 83886080, "ieee_fp32", 1.03, TABLE, MEASURED, "measured 2026-11-21", 20.0, "bytes")
NONE = dataclasses.replace(LIMIT, table=None, calibrated=None, calibration="not calibrated: kb doctor --calibrate", least_us=None)


def timed(name: str = "4096x4096", limit: CaseLimit | None = LIMIT, kernel_us: float = 52.0, torch_us: float = 81.0) -> CaseResult:
    timing = CaseTiming("event", stats(kernel_us), stats(torch_us), 1.5, 1.4, 1.6, 20, "precise", limit=limit)
    return CaseResult(name, "performance", True, "", timing=timing)


def test_roofs_and_points_are_drawn_and_told() -> None:
    cases = [timed(), timed("wide & <b>", dataclasses.replace(LIMIT, flops=2**40, intensity=13443.0, precision="fp16"), 900.0, 800.0)]

    svg = roofline_svg(cases)

    root = checked(svg)
    assert len(list(root.iter(f"{SVG}path"))) == 4
    assert len([each for each in root.iter(f"{SVG}path") if each.get("stroke-dasharray")]) == 2
    assert len(list(root.iter(f"{SVG}circle"))) == 4
    words = {each.text for each in root.iter(f"{SVG}text")}
    assert {"fp32 67.0 T, measured 51.0 T", "fp16 67.0 T, measured 51.0 T", "1", "2", "FLOP/s"} <= words
    said = root.findtext(f"{SVG}desc")
    assert said is not None
    assert "ieee_fp32, table: 67.0 TFLOP/s, 3.35 TB/s" in said
    assert "1 4096x4096: 52.0 µs, 47.0 % of the limit by the table, 52.0 % of the limit by calibration; torch eager 81.0 µs" in said
    assert "wide &amp; &lt;b&gt;" in svg


def test_a_point_lies_under_its_roof_where_the_share_is_below_one() -> None:
    intensity = LIMIT.flops / LIMIT.memory_bytes
    limit = dataclasses.replace(LIMIT, intensity=intensity, calibrated=None)

    root = checked(roofline_svg([timed(limit=limit, kernel_us=LIMIT.memory_bytes / 3.35e12 * 1e6)]))

    kernel, path = next(each for each in root.iter(f"{SVG}circle") if each.get("class") == "chart-candidate"), next(root.iter(f"{SVG}path"))
    (x0, y0), (x1, y1) = ([float(part) for part in point.split()] for point in (path.get("d") or "")[1:].partition("H")[0].split("L"))
    at = y0 + (y1 - y0) * (float(kernel.get("cx") or 0) - x0) / (x1 - x0)
    assert float(kernel.get("cy") or 0) == pytest.approx(at, abs=0.1)


def test_roofs_of_close_heights_have_labels_apart() -> None:
    near = dataclasses.replace(LIMIT, precision="tf32", table=dataclasses.replace(TABLE, flops_per_s=6.6e13))

    labels = [each for each in checked(roofline_svg([timed(), timed("b", near)])).iter(f"{SVG}text") if "measured" in (each.text or "")]

    heights = sorted(float(each.get("y") or 0) for each in labels)
    assert [each.text for each in labels] == ["fp32 67.0 T, measured 51.0 T", "tf32 66.0 T, measured 51.0 T"]
    assert heights[1] - heights[0] >= 14


def test_the_table_has_every_timed_case_and_marks_what_has_no_place_on_the_picture() -> None:
    copies = dataclasses.replace(LIMIT, flops=0, intensity=0.0)

    rows = limits_table([timed(), CaseResult("checked", "correctness", True, ""), timed("copy", copies), timed("unlimited", None)])

    assert [(row.number, row.name, row.drawn) for row in rows] == [(1, "4096x4096", True), (2, "copy", False)]
    assert why_no_roofline([timed(), timed("copy", copies)]) == ""


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([], ""),
        ([timed(limit=None)], ""),
        ([timed(limit=NONE)], "the table has no ceilings for this device, and there are no measured ones (not calibrated: kb doctor"),
        ([timed(limit=dataclasses.replace(LIMIT, flops=0, intensity=0.0))], "these cases move bytes and compute nothing"),
        (
            [timed(limit=dataclasses.replace(LIMIT, table=dataclasses.replace(TABLE, flops_per_s=None), calibrated=None))],
            "no peak is known",
        ),
    ],
)
def test_without_a_picture_there_is_a_reason(cases: list[CaseResult], said: str) -> None:
    assert roofline_svg(cases) == ""
    assert said in why_no_roofline(cases) and bool(said) == bool(why_no_roofline(cases))


POSITIVE = st.floats(min_value=0, exclude_min=True, allow_nan=False, allow_infinity=False)
ROOFS = st.none() | st.builds(Roof, st.none() | POSITIVE, st.none() | POSITIVE, st.none(), POSITIVE, st.just("bytes"), st.none(), st.none())
LIMITS = st.builds(
    CaseLimit,
    st.integers(1, 2**53),
    st.integers(1, 2**53),
    st.integers(0, 2**60),
    st.sampled_from(["fp16", "bf16"]),
    st.none() | POSITIVE,
    ROOFS,
    ROOFS,
)


@given(st.lists(st.tuples(LIMITS, POSITIVE, POSITIVE), max_size=4))
def test_any_figures_give_a_sound_picture_or_none(given_cases: list[tuple[CaseLimit, float, float]]) -> None:
    cases = [timed(str(number), limit, kernel, torch) for number, (limit, kernel, torch) in enumerate(given_cases)]

    svg = roofline_svg(cases)

    assert bool(svg) == any(row.drawn for row in limits_table(cases))
    if svg:
        checked(svg)
