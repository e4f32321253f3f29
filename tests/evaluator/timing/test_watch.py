"""What is concluded from the clocks and the processes that NVML reports."""

from __future__ import annotations

import pytest

from evaluator.timing.watch import NoWatch, Reading, alike, clock_stats, strangers, throttled, watch_of

HEAT, POWER = 0x20, 0x04


def at(sm_mhz: int, reasons: int = 0) -> Reading:
    return Reading(sm_mhz, 2619, reasons)


@pytest.mark.parametrize(
    ("clocks", "same"), [((1980, 1980, 1980, 1980), True), ((1980, 1960, 1950, 1942), True), ((1980, 1980, 1935, 1980), False)]
)
def test_clocks_within_two_percent_are_the_same(clocks: tuple[int, ...], same: bool) -> None:
    assert alike([at(mhz) for mhz in clocks]) is same


def test_unknown_clocks_are_no_difference() -> None:
    assert alike([None, at(1980), None]) and alike([None] * 4)


def test_a_slowdown_counts_from_a_tenth_of_the_commands() -> None:
    seldom = clock_stats([at(1500, HEAT)] + [at(1980)] * 19, redone=2)
    often = clock_stats([at(1500, HEAT)] * 2 + [at(1980)] * 18, redone=0)

    assert seldom is not None and often is not None
    assert (seldom.sm_low_mhz, seldom.sm_high_mhz, seldom.memory_mhz, seldom.redone) == (1500, 1980, 2619, 2)
    assert seldom.slowdowns == () and not throttled(seldom)
    assert often.slowdowns == ("sw_thermal_slowdown",) and throttled(often)


def test_a_power_limit_is_told_and_is_no_throttling() -> None:
    stats = clock_stats([at(1700, POWER)] * 20, redone=0)

    assert stats is not None
    assert stats.slowdowns == ("sw_power_cap",)
    assert not throttled(stats)


def test_the_highest_power_and_temperature_are_told_where_there_are_sensors() -> None:
    stats = clock_stats([Reading(1980, 2619, 0, 512.5, 61), Reading(1980, 2619, 0, 640.0, 63), Reading(1980, 2619, 0, None, 62)], redone=0)
    without = clock_stats([at(1980)] * 4, redone=0)

    assert stats is not None and without is not None
    assert (stats.power_w, stats.temperature_c) == (640.0, 63)
    assert (without.power_w, without.temperature_c) == (None, None)


def test_no_gpu_no_clocks() -> None:
    assert isinstance(watch_of(None), NoWatch)
    assert clock_stats([None, None], redone=0) is None
    assert not throttled(None)


def test_strangers_are_those_at_work_who_are_not_ours() -> None:
    assert strangers({10, 11, 12}, {10, 11, 12, 13}, 10, {11}) == {12}
    assert strangers({10, 11}, {10, 11, 12}, 10, {11, 13}) == set()


def test_ids_of_another_host_say_nothing() -> None:
    assert strangers({70011}, {70010, 70011}, 10, {11}) == set()
