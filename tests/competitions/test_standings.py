"""Standings over all boards: the documented rule, as arithmetic."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.bands import Interval
from leaderboard.standings import score, standings

BOARDS = [("softmax", "cpu"), ("relu", "cpu")]
speeds = st.floats(0.01, 100.0)


def interval(speedup: float, error: float = 0.01) -> Interval:
    return Interval(speedup, speedup * (1 - error), speedup * (1 + error))


intervals = st.builds(interval, speeds, st.floats(0.0, 0.5))
some = st.lists(st.none() | intervals, min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([interval(2.0), interval(8.0)], 4.0),
        ([interval(4.0), None], 2.0),  # a board without an entry counts as torch eager
        ([interval(4.0), interval(0.25)], 2.0),  # so does one that is slower
        ([None, None], 1.0),
        ([interval(0.5)], 1.0),
    ],
)
def test_scores(results: list[Interval | None], expected: float) -> None:
    assert score(results).speedup == pytest.approx(expected)


@given(results=some)
def test_a_score_lies_in_its_interval_and_is_never_below_torch_eager(results: list[Interval | None]) -> None:
    found = score(results)

    assert found.speedup >= 1.0
    assert found.low <= found.speedup * (1 + 1e-12)
    assert found.speedup <= found.high * (1 + 1e-12)


@given(results=some, more=intervals, at=st.integers(0, 5))
def test_handing_in_never_costs_anything(results: list[Interval | None], more: Interval, at: int) -> None:
    place = at % len(results)
    without = [*results[:place], None, *results[place + 1 :]]
    with_it = [*results[:place], more, *results[place + 1 :]]

    assert score(with_it).speedup >= score(without).speedup * (1 - 1e-12)


@given(results=st.lists(intervals.filter(lambda each: each.low > 1), min_size=2, max_size=6), factor=st.floats(1.0, 10.0))
def test_twice_as_fast_weighs_the_same_on_every_board(results: list[Interval], factor: float) -> None:
    faster = [[*results[:place], interval(results[place].speedup * factor), *results[place + 1 :]] for place in range(len(results))]

    gains = [score(one).speedup / score(results).speedup for one in faster]

    assert all(gain == pytest.approx(factor ** (1 / len(results))) for gain in gains)


def test_errors_of_boards_are_independent() -> None:
    one, both = score([interval(2.0)]), score([interval(2.0), interval(2.0)])

    def half(found: Interval) -> float:
        return math.log(found.high / found.low) / 2

    assert half(both) == pytest.approx(half(one) / math.sqrt(2))


def test_ranks_bands_and_boards_led() -> None:
    alice, bob, charlie = 1, 2, 3
    found = standings(
        BOARDS,
        {
            (alice, BOARDS[0]): interval(2.0),
            (bob, BOARDS[0]): interval(1.995),
            (bob, BOARDS[1]): interval(1.0),
            (charlie, BOARDS[1]): interval(1.2),
        },
    )

    assert [(row.author_id, row.rank, row.boards, row.led) for row in found] == [(alice, 1, 1, 1), (bob, 1, 2, 1), (charlie, 3, 1, 1)]
    assert found[0].tied
    assert found[2].results == (None, interval(1.2))


def test_nobody_gives_no_rows() -> None:
    assert standings(BOARDS, {}) == []
