"""Ranks with ties: which results the measurement cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

AS_FAST_AS_TORCH = 1.0
"""The speedup over torch eager of what takes the same time."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A speedup and its 95 % confidence interval."""

    speedup: float
    low: float
    high: float

    def overlaps(self, other: Interval) -> bool:
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands. `rank` is shared by the whole band: 1 + the number of entries in better bands. `band` counts from 1."""

    rank: int
    band: int
    band_size: int


def places(best_first: Sequence[Interval]) -> list[Place]:
    """The place of each interval, in the order given (best speedup first).

    A band starts at its best entry, the leader, and holds the following entries whose interval overlaps the leader's; the first that
    does not starts the next band. Comparing with the leader alone keeps a long chain of small steps from becoming one tie.
    """
    result: list[Place] = []
    for number, (start, size) in enumerate(_bands(best_first), start=1):
        result += [Place(rank=start + 1, band=number, band_size=size)] * size
    return result


def place_behind(speedup: float | None, best_first: Sequence[float | None]) -> int:
    """Where what has no rank, such as a baseline, is put among others: behind all that is as fast or faster; without a speedup, last."""
    slower = (number for number, other in enumerate(best_first) if speedup is not None and (other is None or other < speedup))
    return next(slower, len(best_first))


def _bands(best_first: Sequence[Interval]) -> Iterator[tuple[int, int]]:
    """Start and size of each band."""
    start = 0
    for i in range(1, len(best_first) + 1):
        if i == len(best_first) or not best_first[i].overlaps(best_first[start]):
            yield start, i - start
            start = i
