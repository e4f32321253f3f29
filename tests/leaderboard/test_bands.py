"""Ranks with ties."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.bands import Interval, Place, places


@st.composite
def boards(draw: st.DrawFn) -> list[Interval]:
    def interval() -> Interval:
        speedup = draw(st.floats(0.01, 100))
        return Interval(speedup, speedup * (1 - draw(st.floats(0, 0.5))), speedup * (1 + draw(st.floats(0, 0.5))))

    return sorted((interval() for _ in range(draw(st.integers(0, 30)))), key=lambda i: -i.speedup)


@given(boards())
def test_a_band_is_its_leader_and_those_who_overlap_it(board: list[Interval]) -> None:
    found = places(board)

    assert len(found) == len(board)
    leader = 0
    for i, place in enumerate(found):
        if i and place.band != found[i - 1].band:
            assert place.band == found[i - 1].band + 1
            assert not board[i].overlaps(board[leader])
            leader = i
        assert board[i].overlaps(board[leader])
        assert place.rank == leader + 1


@given(boards())
def test_band_sizes_add_up_to_the_board(board: list[Interval]) -> None:
    found = places(board)

    assert sum({place.band: place.band_size for place in found}.values()) == len(board)
    assert all(sum(other.band == place.band for other in found) == place.band_size for place in found)


@given(boards())
def test_the_best_entry_is_first_and_ranks_never_fall(board: list[Interval]) -> None:
    ranks = [place.rank for place in places(board)]

    assert ranks == sorted(ranks)
    assert not ranks or ranks[0] == 1


def test_a_chain_of_small_steps_is_not_one_tie() -> None:
    chain = [Interval(3.0, 2.9, 3.1), Interval(2.85, 2.75, 2.95), Interval(2.7, 2.6, 2.8), Interval(2.55, 2.45, 2.65)]

    assert places(chain) == [Place(1, 1, 2), Place(1, 1, 2), Place(3, 2, 2), Place(3, 2, 2)]


def test_intervals_that_touch_are_a_tie() -> None:
    assert places([Interval(2.0, 1.5, 2.5), Interval(1.2, 1.0, 1.5)]) == [Place(1, 1, 2)] * 2
