"""Numbers as pages say them, and source that is highlighted without being changed."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.pages.highlight import highlight
from submissions.pages.sheet import whiskers
from submissions.templatetags.measures import plus_minus, ratio, seconds, significant, time_us, with_code

POSITIVE = st.floats(min_value=1e-3, max_value=1e9)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0123, "12.3 ns"), (0.9999, "1.00 µs"), (12.345, "12.3 µs"), (999.7, "1.00 ms"), (4560, "4.56 ms"), (1.2e6, "1.20 s"), (None, "–")],
)
def test_times(value: float | None, said: str) -> None:
    assert time_us(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(1.0, "1.000×"), (1.3249, "1.32×"), (0.012, "0.0120×"), (123.4, "123×"), (None, "–"), (float("nan"), "–")]
)
def test_ratios(value: float | None, said: str) -> None:
    assert ratio(value) == said


@pytest.mark.parametrize(("value", "said"), [(0.84, "0.8 s"), (59.6, "60 s"), (185, "3 min 05 s"), (7300, "2 h 01 min")])
def test_seconds(value: float, said: str) -> None:
    assert seconds(value) == said


def test_an_interval_is_relative_to_its_middle() -> None:
    assert plus_minus(0.99, 1.01) == "± 1.0 %"


@given(POSITIVE)
def test_significant_keeps_three_digits(value: float) -> None:
    assert float(significant(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


@given(st.lists(st.tuples(POSITIVE, POSITIVE, POSITIVE).map(lambda three: tuple(sorted(three))), min_size=1, max_size=5))
def test_whiskers_stay_inside_the_box_and_in_order(intervals: list[tuple[float, float, float]]) -> None:
    for bar in whiskers(intervals):
        assert bar is not None
        assert 0 <= bar.low <= bar.middle <= bar.high <= 100
        assert 0 <= bar.unit <= 100


def test_an_interval_that_is_not_positive_has_no_whisker() -> None:
    assert whiskers([(0.0, 1.0, 2.0), (1.0, 1.1, 1.2)])[0] is None


@given(
    st.text(
        alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), max_size=300
    )
)
def test_highlighting_changes_no_character(source: str) -> None:
    shown = html.unescape(re.sub(r"<[^>]*>", "", highlight(source)))

    assert shown.rstrip("\n") == source.rstrip("\n")


def test_lines_have_anchors() -> None:
    assert re.findall(r'id="(L\d+)"', highlight("a = 1\n\n\nb = 2\n")) == ["L1", "L2", "L3", "L4"]


def test_words_between_backticks_are_code() -> None:
    assert with_code("a `step` <b>") == "a <code>step</code> &lt;b&gt;"
