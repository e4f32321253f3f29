"""Axes: from values to positions, and round numbers to write at them."""

from __future__ import annotations

import math
from dataclasses import dataclass

LOG_FROM = 4.0
"""A range whose ends differ by more than this factor is drawn logarithmic, because the smaller side would be a line."""

LEAST_SPEEDUP, MOST_SPEEDUP = 1e-6, 1e9
"""Speedups outside are no measurements, and are not drawn."""


def drawable(speedup: float) -> bool:
    return LEAST_SPEEDUP <= speedup <= MOST_SPEEDUP


@dataclass(frozen=True, slots=True)
class Scale:
    """Positive values from `low` to `high` on positions from `start` to `end`, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        """Position of a value; beyond the ends it stays at the end."""
        inside = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def value(self, share: float) -> float:
        """The value at a share of the way."""
        if self.logarithmic:
            return self.low * math.pow(self.high / self.low, share)
        return self.low + share * (self.high - self.low)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Round values inside the range, about as many as wanted, at least two of them where the range holds two."""
        return _log_ticks(self.low, self.high, wanted) if self.logarithmic else _linear_ticks(self.low, self.high, wanted)


def scale(low: float, high: float, start: float, end: float, *, logarithmic: bool | None = None) -> Scale:
    """A scale over positive values; a range of no width is widened by 5 % to each side. Raises `ValueError` for what is not positive."""
    if not (0 < low <= high < math.inf):
        raise ValueError(f"a scale needs 0 < low <= high, not {low} and {high}")
    if high / low < 1.0001:
        low, high = low * 0.95, high * 1.05
    return Scale(low, high, start, end, high / low > LOG_FROM if logarithmic is None else logarithmic)


def _linear_ticks(low: float, high: float, wanted: int) -> list[float]:
    """Steps of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float, wanted: int) -> list[float]:
    """1, 2, 5 per decade while that is few, else powers of ten, else every n-th power. A short range falls back to linear steps."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        ticks = [f * 10.0**d for d in decades for f in factors if low * 0.999 <= f * 10.0**d <= high * 1.001]
        if len(ticks) <= wanted + 2:
            return ticks if len(ticks) > 1 else _linear_ticks(low, high, wanted)
    return ticks[:: math.ceil(len(ticks) / wanted)]
