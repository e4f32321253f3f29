"""What two events count is taken off samples, within reason. How much it is, only a GPU can tell (`tests/gpu/test_timing.py`)."""

from __future__ import annotations

import pytest

from evaluator.judge.events import MOST_US, within_reason, without_overhead


@pytest.mark.parametrize(("sample", "left"), [(100.0, 98.0), (27.0, 25.0), (4.0, 2.0), (3.0, 1.5), (1.3, 0.65)])
def test_at_least_half_of_a_sample_is_left(sample: float, left: float) -> None:
    assert without_overhead(sample, 2.0) == pytest.approx(left)


def test_who_took_less_takes_less_without_it() -> None:
    samples = [n / 10 for n in range(1, 100)]

    left = [without_overhead(sample, 2.1) for sample in samples]

    assert left == sorted(left)
    assert len(set(left)) == len(left)


def test_an_overhead_is_neither_negative_nor_what_a_neighbour_makes_of_it() -> None:
    assert [within_reason(us) for us in (-0.3, 2.1, 900.0)] == [0.0, 2.1, MOST_US]
