"""Speed of light of known cases."""

from __future__ import annotations

import dataclasses

import pytest

from evaluator.contract import CaseTiming, SampleStats
from evaluator.devices import DEVICES, device_class
from evaluator.ops.definition import Cost
from evaluator.ops.registry import all_ops, get
from evaluator.timing.sol import Ceilings, SpeedOfLight, gb_per_s, precision_of, sol_share, speed_of_light, tflop_per_s, with_limit

MIB = 1024 * 1024


def test_softmax_4096_on_an_h100_is_bound_by_bytes() -> None:
    op = get("softmax")
    case = next(c for c in op.performance_cases("h100") if c.name == "4096x4096")

    cost = op.cost(case)
    light = speed_of_light(cost, DEVICES["h100"], precision_of(op, case))

    assert (cost.input_bytes, cost.output_bytes) == (64 * MIB, 64 * MIB)
    assert light.bound == "bytes"
    assert light.floor_us == pytest.approx((64 + 14) * MIB / 3350e3)


def test_large_product_is_bound_by_flops_of_its_dtype() -> None:
    op = get("mm")
    case = next(c for c in op.performance_cases("h100") if c.name == "llama3_8b_mlp_fp16")

    light = speed_of_light(op.cost(case), DEVICES["h100"], precision_of(op, case))

    assert precision_of(op, case) == "fp16"
    assert light.bound == "flops"
    assert light.floor_us == pytest.approx(2 * 2048 * 4096 * 14336 / 989.4e6)


def test_tiny_case_is_bound_by_the_launch() -> None:
    light = speed_of_light(Cost(4, 4, 1), DEVICES["t4"], "ieee_fp32")

    assert light.bound == "launch"
    assert light.floor_us == 1.0


@pytest.mark.parametrize("slug", ["cpu", "rtx-4090"])
def test_unknown_ceilings_give_no_floor(slug: str) -> None:
    light = speed_of_light(Cost(1000, 1000, 1000), device_class(slug), "ieee_fp32")

    assert light == SpeedOfLight(None, "unknown")
    assert sol_share(5.0, light) is None


def test_shares_and_rates() -> None:
    cost = Cost(3_000_000, 1_000_000, 8_000_000)

    assert gb_per_s(cost, 2.0) == pytest.approx(2000)
    assert tflop_per_s(cost, 2.0) == pytest.approx(4)
    assert sol_share(4.0, SpeedOfLight(1.0, "bytes")) == 0.25
    assert gb_per_s(cost, 0.0) is None


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.slug)
def test_every_case_has_a_cost(op: object) -> None:
    from evaluator.ops.definition import Op

    assert isinstance(op, Op)
    for device in DEVICES:
        for case in op.cases(device):
            cost = op.cost(case)
            assert cost.input_bytes >= 0 and cost.output_bytes >= 0 and cost.flops >= 0
            assert case.kind == "correctness" or cost.bytes > 0


def test_a_case_carries_work_and_limits() -> None:
    op = get("softmax")
    case = next(c for c in op.performance_cases("h100") if c.name == "4096x4096")
    side = SampleStats(100, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 0.0, 0.0)
    slower = dataclasses.replace(side, median_us=100.0)
    timing = CaseTiming("event", side, slower, 2.0, 1.9, 2.1, 20, "precise")
    calibrated = dataclasses.replace(DEVICES["h100"], dram_bytes_per_s=3e12, flops_per_s={"ieee_fp32": 5e13}, launch_us=2.0)

    limit = with_limit(timing, op, case, Ceilings(DEVICES["h100"], calibrated, "measured 2026-11-21")).limit

    assert limit is not None and limit.table is not None and limit.calibrated is not None
    assert (limit.bytes, limit.memory_bytes, limit.precision) == (128 * MIB, 78 * MIB, "ieee_fp32")
    assert limit.intensity == limit.flops / (78 * MIB)
    assert (limit.table.bound, limit.calibrated.bound, limit.calibration) == ("bytes", "bytes", "measured 2026-11-21")
    assert limit.table.share == pytest.approx(78 * MIB / 3350e3 / 50) and limit.table.baseline_share == pytest.approx(limit.table.share / 2)
    assert limit.calibrated.floor_us == pytest.approx(78 * MIB / 3e6)
    assert (limit.calibrated.flops_per_s, limit.calibrated.launch_us) == (5e13, 2.0)


def test_outputs_may_stay_in_the_larger_of_the_two_l2_caches() -> None:
    """The machine's own, where it has more than the table says: every limit of the case counts the same bytes."""
    op = get("softmax")
    case = next(c for c in op.performance_cases("h100") if c.name == "4096x4096")
    side = SampleStats(100, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 0.0, 0.0)
    timing = CaseTiming("event", side, side, 1.0, 1.0, 1.0, 20, "precise")
    measured = dataclasses.replace(DEVICES["h100"], l2_bytes=60 * MIB)

    limit = with_limit(timing, op, case, Ceilings(DEVICES["h100"], measured)).limit

    assert limit is not None and limit.table is not None and limit.calibrated is not None
    assert limit.memory_bytes == (64 + 4) * MIB
    assert limit.table.floor_us == limit.calibrated.floor_us == limit.least_us == pytest.approx(68 * MIB / 3350e3)
