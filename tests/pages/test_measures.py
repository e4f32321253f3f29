"""Numbers as pages say them, and source that is highlighted without being changed."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from submissions.pages.highlight import LONGEST, LONGEST_PIECE, highlight, lexed
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


def shown(text: SafeString) -> str:
    """What a reader sees, whatever has colours."""
    return html.unescape(re.sub(r"<[^>]*>", "", text)).rstrip("\n")


@pytest.mark.parametrize(
    "source",
    [
        "/" * 120_000,
        "x = 1\n" + "y" * (LONGEST_PIECE + 1),
        " \n" * 60_000,
        "match x" + "\n" * (LONGEST_PIECE + 1),
        "a = 1\n" * (LONGEST // 6 + 1),
    ],
    ids=["one line", "a long line", "blank lines", "a long gap", "all of it long"],
)
def test_what_keeps_lexers_busy_is_not_lexed(source: str) -> None:
    """The expressions of Pygments' lexers take time that grows with the square of a line's, or of a gap's, length."""
    assert not lexed(source)
    assert shown(highlight(source)) == source.rstrip("\n")
    assert "<span class=" not in highlight(source, anchors=False)


def test_ordinary_source_is_lexed_whole() -> None:
    source = Path(__file__).read_text()

    assert lexed(source)
    assert '<span class="kn">from</span>' in highlight(source)
    assert shown(highlight(source)) == source.rstrip("\n")


def test_when_lexing_takes_too_long_the_rest_has_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.pages.highlight.MOST_S", 0.0)
    source = "import a\n\nimport <b>\n"

    found = highlight(source)

    assert found.count('class="kn"') == 1
    assert shown(found) == source.rstrip("\n")
    assert found.count('class="ln"') == 3
    assert "<b>" not in found


def test_text_that_is_no_source_meets_no_lexer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("submissions.pages.highlight.PythonLexer")

    assert highlight("import <a>", python=False, anchors=False) == "import &lt;a&gt;\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(end: str) -> None:
    for python in (True, False):
        assert highlight(f"a{end}{end}b{end}", python=python).count('class="ln"') == 3


def test_lines_have_anchors() -> None:
    assert re.findall(r'id="(L\d+)"', highlight("a = 1\n\n\nb = 2\n")) == ["L1", "L2", "L3", "L4"]


def test_words_between_backticks_are_code() -> None:
    assert with_code("a `step` <b>") == "a <code>step</code> &lt;b&gt;"
