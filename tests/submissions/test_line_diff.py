"""What changed between two sources: the fewest lines, and nothing that a hostile pair can stretch."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.line_diff import Diff, diff, kept_diff

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def applied(lines: list[str], found: Diff) -> list[str]:
    """What the hunks make of the earlier lines."""
    result = list(lines)
    for hunk in reversed(found.hunks):
        old = [line for line in hunk if line.before is not None]
        start = old[0].before - 1 if old and old[0].before else 0
        assert result[start : start + len(old)] == [line.text for line in old]
        result[start : start + len(old)] = [line.text for line in hunk if line.after is not None]
    return result


def longest_common(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for at, y in enumerate(b):
            row.append(before[at] + 1 if x == y else max(before[at + 1], row[at]))
    return row[-1]


@given(LINES, LINES, st.integers(1, 4))
def test_hunks_make_the_later_source_of_the_earlier(before: list[str], after: list[str], context: int) -> None:
    found = diff(text(before), text(after), context)

    assert applied(before, found) == after
    assert found.added + found.removed == len(before) + len(after) - 2 * longest_common(before, after)


def test_only_changed_lines_and_those_around_them_are_told() -> None:
    before = [str(number) for number in range(100)]
    after = [*before[:10], "new", *before[10:50], *before[51:]]

    first, second = diff(text(before), text(after)).hunks

    assert [(line.kind, line.text, line.before, line.after) for line in first][2:5] == [
        ("same", "9", 10, 10),
        ("added", "new", None, 11),
        ("same", "10", 11, 12),
    ]
    assert [line.text for line in second] == ["47", "48", "49", "50", "51", "52", "53"]
    assert [line.kind for line in second].count("removed") == 1


def test_how_lines_end_is_no_change() -> None:
    assert diff("a\r\nb", "a\nb\n") == Diff(0, 0, ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n" * 150_000, "b\nb\na\n" * 110_000),
        ("".join(f"{number}\n" for number in range(90_000)), "".join(f"{2 * number}\n" for number in range(90_000))),
        ("\n" * 500_000 + "x", "y\n" + "\n" * 499_000),
        ("a\nb\n" * 9_000, "b\nb\na\n" * 6_000),
        ("".join(f"a{number}\n" for number in range(3_000)), "".join(f"b{number}\n" for number in range(3_000))),
        (
            "".join(f"a{number}\n" for number in range(300)) + "a\n" * 19_000,
            "".join(f"b{number}\n" for number in range(300)) + "a\n" * 19_000,
        ),
    ],
    ids=["few words", "nothing alike", "blank lines", "fewer words", "nothing alike in fewer", "a long end"],
)
def test_hostile_pairs_take_bounded_time(before: str, after: str) -> None:
    started = time.thread_time()
    found = diff(before, after)
    took_s = time.thread_time() - started
    tracemalloc.start()
    diff(before, after)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert took_s < 1
    assert most_bytes < 10e6
    assert found.too_different or found.hunks


def test_a_pair_that_is_asked_for_again_is_kept() -> None:
    first = kept_diff("a\n" * 9, "b\n" * 9)

    assert first == kept_diff("a\n" * 9, "b\n" * 9) == diff("a\n" * 9, "b\n" * 9)
    assert kept_diff("b\n" * 9, "a\n" * 9) != first
