"""No right kernel is refused for being fast, and a time that cannot be is: what a result is held against, and what caps a speedup."""

from __future__ import annotations

import dataclasses

import pytest

from evaluator.contract import CaseTiming, SampleStats
from evaluator.devices import DEVICES, DeviceClass, device_class
from evaluator.ops.definition import Case, Cost, TensorSpec
from evaluator.ops.registry import all_ops, get
from evaluator.timing.least import BELIEVED, LAUNCH_US, ROUTES, least_flops, least_time, too_fast
from evaluator.timing.sol import Ceilings, precision_of, speed_of_light, with_limit

GPUS = [slug for slug, device in DEVICES.items() if device.kind == "cuda"]
N = 8192
PRODUCT_FLOPS = 2 * N**3


def stats(median_us: float) -> SampleStats:
    return SampleStats(100, median_us, median_us, median_us, median_us, median_us, median_us, 0.0, 0.0)


def timed(candidate_us: float, baseline_us: float) -> CaseTiming:
    speedup = baseline_us / candidate_us
    return CaseTiming("event", stats(candidate_us), stats(baseline_us), speedup, speedup * 0.99, speedup * 1.01, 20, "precise")


def product(dtype: str = "float32") -> Case:
    return Case("square", "performance", (TensorSpec((N, N), dtype), TensorSpec((N, N), dtype)))


def limited(slug: str, case: Case, candidate_us: float, ceilings: Ceilings, baseline_us: float = 1e6) -> CaseTiming:
    return with_limit(timed(candidate_us, baseline_us), get(slug), case, ceilings)


def measured(table: DeviceClass, **changes: object) -> DeviceClass:
    return dataclasses.replace(table, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("device", GPUS)
def test_it_is_never_above_the_speed_of_light(device: str) -> None:
    """Where the table has the peak of the case's class; a T4 has no TF32, and its float16 meets that tolerance."""
    table = DEVICES[device]
    for op, case in [(each, case) for each in all_ops("core") for case in each.performance_cases(device)]:
        light = speed_of_light(op.cost(case), table, precision_of(op, case))
        least = least_time(op, case, table)

        assert least is not None and light.floor_us is not None
        assert least.us > 0
        assert least.us <= light.floor_us or precision_of(op, case) not in table.flops_per_s, (op.slug, case.name)


def test_float32_products_out_of_tf32_ones_are_believed() -> None:
    """Three TF32 products for one in float32 run at 165 TFLOP/s on an H100, whose float32 arithmetic ends at 67."""
    by_three = PRODUCT_FLOPS / (494.7e12 / 3) * 1e6
    by_three_of_float16 = PRODUCT_FLOPS / (989.4e12 / 3) * 1e6

    assert limited("mm", product(), by_three, Ceilings(DEVICES["h100"])).sol_share == pytest.approx(494.7 / 3 / 67)
    for us in (by_three, by_three_of_float16):
        assert too_fast("square", limited("mm", product(), us, Ceilings(DEVICES["h100"]))) is None


def test_float32_products_at_the_rate_of_one_tf32_product_are_not() -> None:
    at_tf32 = PRODUCT_FLOPS / 494.7e12 * 1e6

    reason = too_fast("square", limited("mm", product(), at_tf32, Ceilings(DEVICES["h100"])))

    assert reason is not None and reason.code == "faster_than_light"
    assert "2,223 µs by the kernel's clock" in reason.message and "2,552 µs here" in reason.message
    assert "3 products for one" in reason.detail and "by the table the limit is 16,411 µs (flops)" in reason.detail


@pytest.mark.parametrize(("share", "believed"), [(1.0, True), (BELIEVED + 0.001, True), (BELIEVED - 0.001, False)])
def test_the_least_time_is_believed_but_for_a_margin(share: float, believed: bool) -> None:
    case = product("float16")
    least = least_time(get("mm"), case, DEVICES["h200"])
    assert least is not None

    reason = too_fast("square", limited("mm", case, least.us * share, Ceilings(DEVICES["h200"])))

    assert (reason is None) is believed


def test_a_table_that_is_too_low_condemns_nobody() -> None:
    """Bytes: an H100 whose memory really does 4 TB/s."""
    op = get("add")
    case = op.performance_cases("h100")[0]
    crossing = op.cost(case).input_bytes + max(0, op.cost(case).output_bytes - DEVICES["h100"].l2_bytes)
    us = crossing / 3.9e12 * 1e6

    alone = too_fast("a", with_limit(timed(us, 1e6), op, case, Ceilings(DEVICES["h100"])))
    beside = with_limit(timed(us, 1e6), op, case, Ceilings(DEVICES["h100"], measured(DEVICES["h100"], dram_bytes_per_s=4e12)))

    assert alone is not None
    assert too_fast("a", beside) is None
    assert beside.limit is not None and "4,000 GB/s (calibrated)" in beside.limit.least_from


def test_what_was_measured_condemns_nobody_that_the_table_allows() -> None:
    op = get("add")
    case = op.performance_cases("h100")[0]
    slow = measured(DEVICES["h100"], dram_bytes_per_s=1e12, flops_per_s={"ieee_fp32": 1e12}, launch_us=50.0)
    at_table = least_time(op, case, DEVICES["h100"])
    assert at_table is not None

    assert least_time(op, case, DEVICES["h100"], slow) == at_table


@pytest.mark.parametrize("slug", ["cpu", "rtx-4090"])
def test_where_the_table_knows_nothing_nothing_is_suspect_and_nothing_capped(slug: str) -> None:
    found = measured(device_class(slug), dram_bytes_per_s=1e10, flops_per_s={"ieee_fp32": 1e11}, launch_us=1.0)

    timing = limited("mm", product(), 0.01, Ceilings(device_class(slug), found, "measured 2026-11-21"), baseline_us=100.0)

    assert timing.limit is not None and timing.limit.least_us is None and timing.limit.table is None
    assert timing.limit.calibrated is not None and timing.limit.calibrated.share is not None and timing.limit.calibrated.share > 1000
    assert timing.sol_share is None
    assert timing.speedup == 10_000
    assert too_fast("square", timing) is None


def test_a_speedup_ends_where_the_least_time_does() -> None:
    case = product("float16")
    least = least_time(get("mm"), case, DEVICES["h200"])
    assert least is not None

    capped = limited("mm", case, least.us / 10, Ceilings(DEVICES["h200"]), baseline_us=3 * least.us)
    possible = limited("mm", case, least.us * 1.5, Ceilings(DEVICES["h200"]), baseline_us=3 * least.us)

    assert (capped.low, capped.speedup, capped.high) == (pytest.approx(3), pytest.approx(3), pytest.approx(3))
    assert capped.limit is not None and capped.limit.uncapped_speedup == pytest.approx(30)
    assert (possible.speedup, possible.high) == (pytest.approx(2), pytest.approx(2.02))
    assert possible.limit is not None and possible.limit.uncapped_speedup is None


def test_a_speedup_that_another_clock_lowered_keeps_its_interval_in_order() -> None:
    case = product("float16")
    least = least_time(get("mm"), case, DEVICES["h200"])
    assert least is not None
    told = dataclasses.replace(timed(least.us / 10, 3 * least.us), speedup=5.0, low=1.0, high=6.0)

    capped = with_limit(told, get("mm"), case, Ceilings(DEVICES["h200"]))

    assert capped.low == 1.0 and capped.low <= capped.speedup <= capped.high == pytest.approx(3)


def test_a_lane_that_may_end_early_is_held_to_what_is_sure() -> None:
    op = get("any")
    case = op.performance_cases("h100")[0]

    least = least_time(op, case, DEVICES["h100"])

    assert least is not None and least.us == LAUNCH_US
    assert speed_of_light(op.cost(case), DEVICES["h100"], "fp16").floor_us == pytest.approx(14336 * 4096 * 2 / 3350e3, rel=0.01)


def test_a_convolution_needs_one_product_for_each_output_and_channel() -> None:
    op = get("conv2d")
    case = next(case for case in op.performance_cases("h100") if case.tensors[1].shape[2:] == (3, 3))
    cost = op.cost(case)

    assert least_flops(op, case, cost) == pytest.approx(cost.flops * 49 / 64 / 9)


def test_flops_of_imported_ops_bound_nothing() -> None:
    imported = dataclasses.replace(get("mm"), document={"target": "torch.mm"})

    least = least_time(imported, product(), DEVICES["h100"])

    assert least_flops(imported, product(), Cost(1, 1, 10)) == 0
    assert least is not None and "bytes" in least.because


def test_every_precision_class_has_its_own_arithmetic_among_its_ways() -> None:
    for precision, ways in ROUTES.items():
        assert (precision, 1) in ways
