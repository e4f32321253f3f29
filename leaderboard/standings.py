"""Standings of a competition over all its boards: pure arithmetic over one speedup per participant and board.

The rule, as `docs/competitions.md` gives it:

- A board counts as `max(1, speedup)` of the participant's entry there, and as 1 without one: whoever has no faster kernel uses torch eager,
  so a board that was not solved is no worse than that, and handing in never costs anything.
- The score is the geometric mean over all boards of the competition. Twice as fast on one board weighs as much as on any other.
- Its 95 % interval comes from those of the boards, taken as independent, in logarithms. Scores that overlap the leader's of a band share a
  rank, by the rule of boards (`leaderboard/bands.py`).
- What ran in Triton's interpreter says nothing about speed and does not count.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.bands import AS_FAST_AS_TORCH, Interval, places

Board = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """One participant. `results` holds the speedup per board, in the competition's order; None without an entry. `led`: boards in whose
    first band they stand."""

    rank: int
    band_size: int
    author_id: int
    score: Interval
    results: tuple[Interval | None, ...]
    led: int

    @property
    def boards(self) -> int:
        return sum(result is not None for result in self.results)

    @property
    def tied(self) -> bool:
        return self.band_size > 1


def standings(boards: Sequence[Board], speedups: Mapping[tuple[int, Board], Interval]) -> list[Standing]:
    """Best first, by author and board. Authors with equal scores stand in the order of boards led, boards solved, then as they came."""
    of_author: dict[int, dict[Board, Interval]] = defaultdict(dict)
    for (author_id, board), interval in speedups.items():
        of_author[author_id][board] = interval
    led = _led(boards, of_author)
    found = [(score([own.get(board) for board in boards]), author_id, own) for author_id, own in of_author.items()]
    found.sort(key=lambda each: (-each[0].speedup, -led[each[1]], -len(each[2])))
    ranks = places([interval for interval, _, _ in found])
    return [
        Standing(place.rank, place.band_size, author_id, interval, tuple(own.get(board) for board in boards), led[author_id])
        for (interval, author_id, own), place in zip(found, ranks, strict=True)
    ]


def score(results: Sequence[Interval | None]) -> Interval:
    """Geometric mean with its interval; one board or more."""
    counted = [result for result in results if result is not None]
    middle = math.fsum(math.log(max(AS_FAST_AS_TORCH, result.speedup)) for result in counted) / len(results)
    half = math.sqrt(math.fsum(_half_width(result) ** 2 for result in counted)) / len(results)
    return Interval(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def _half_width(result: Interval) -> float:
    """Of the logarithm of what counts: the part of the interval that lies below torch eager counts as torch eager."""
    return (math.log(max(AS_FAST_AS_TORCH, result.high)) - math.log(max(AS_FAST_AS_TORCH, result.low))) / 2


def _led(boards: Iterable[Board], of_author: Mapping[int, Mapping[Board, Interval]]) -> Mapping[int, int]:
    """How many boards each author leads, alone or tied."""
    led: dict[int, int] = defaultdict(int)
    for board in boards:
        here = sorted(((own[board], author) for author, own in of_author.items() if board in own), key=lambda each: -each[0].speedup)
        for (_, author), place in zip(here, places([interval for interval, _ in here]), strict=True):
            led[author] += place.rank == 1
    return led
