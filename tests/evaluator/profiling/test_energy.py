"""From two readings of a counter and what a process says of its calls."""

from __future__ import annotations

import pytest

from evaluator.profiles import Energy
from evaluator.profiling.energy import energy
from evaluator.profiling.running import ToolFailed


def test_joules_a_call_and_mean_power() -> None:
    assert energy(900.0, 3.0, 1_000_000) == Energy(joules_per_call=0.0009, mean_watts=300.0, calls=1_000_000, seconds=3.0)


@pytest.mark.parametrize("calls", [0, -1, True, None, "7", 1.5, 10**12])
def test_a_number_of_calls_that_nobody_believes(calls: object) -> None:
    with pytest.raises(ToolFailed, match="how many calls"):
        energy(900.0, 3.0, calls)


@pytest.mark.parametrize(("joules", "seconds"), [(0.0, 3.0), (-5.0, 3.0), (float("nan"), 3.0), (1e9, 3.0), (900.0, 0.0)])
def test_a_counter_that_makes_no_sense(joules: float, seconds: float) -> None:
    with pytest.raises(ToolFailed, match="counter"):
        energy(joules, seconds, 10)
