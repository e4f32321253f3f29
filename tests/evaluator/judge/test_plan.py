"""How a case is timed follows from the case and the device, and from nothing that a submission says."""

from __future__ import annotations

import dataclasses

import pytest

from evaluator.devices import device_class
from evaluator.judge.plan import BLOCK_BYTES, LONG_CALL_US, MAX_CALLS, MAX_GRAPH_CALLS, MIN_CALLS, by_graph, calls_a_command, calls_in_block
from evaluator.judge.quiet import Quiet
from evaluator.ops.arguments import tensor
from evaluator.ops.definition import Case
from evaluator.ops.registry import get
from evaluator.timing.watch import Reading


def case(rows: int) -> Case:
    return Case("any", "performance", (tensor(rows, 1024), -1))


@pytest.mark.parametrize(("rows", "graph"), [(1, True), (1024, True), (16_384, False)])
def test_short_cases_are_timed_by_graph(rows: int, graph: bool) -> None:
    assert by_graph(get("softmax"), case(rows), device_class("h100")) is graph


def test_without_a_gpu_nothing_is_and_without_ceilings_torchs_own_time_decides() -> None:
    unknown = device_class("rtx-9999")

    assert by_graph(get("softmax"), case(1), device_class("cpu")) is False
    assert by_graph(get("softmax"), case(1), unknown) is None
    assert calls_in_block(get("softmax"), case(1), unknown) == MAX_GRAPH_CALLS, "room for either"


def test_a_faster_device_takes_more_cases_by_graph() -> None:
    middle = case(6 * 1024)

    assert by_graph(get("softmax"), middle, device_class("b200"))
    assert not by_graph(get("softmax"), middle, device_class("t4"))


def test_a_block_holds_no_more_calls_than_memory_allows() -> None:
    softmax, h100 = get("softmax"), device_class("h100")

    assert calls_in_block(softmax, case(1024), h100) == MAX_GRAPH_CALLS
    assert calls_in_block(softmax, case(16_384), h100) == MAX_CALLS
    large = calls_in_block(softmax, case(100_000), h100)
    assert 1 <= large < MAX_CALLS
    assert large * 2 * 100_000 * 1024 * 4 <= BLOCK_BYTES


@pytest.mark.parametrize(
    ("call_us", "calls"),
    [
        (5.0, MAX_GRAPH_CALLS),
        (10.0, 90),
        (1.0, MAX_GRAPH_CALLS),
        (0.0, MAX_GRAPH_CALLS),
        (57.0, 16),
        (500.0, MIN_CALLS),
        (LONG_CALL_US + 1, 1),
    ],
)
def test_a_command_is_long_enough_for_the_judges_clock(call_us: float, calls: int) -> None:
    assert calls_a_command(call_us, MAX_GRAPH_CALLS, "cuda") == calls


def test_drift_is_how_much_slower_torch_was_beside_the_submission() -> None:
    quiet = Quiet(100.0, 5, graph=False, reading=Reading(1980, 2619, 0))

    assert quiet.drift(104.0, []) == pytest.approx(0.04)
    assert quiet.drift(102.0, []) is None
    assert quiet.drift(90.0, []) is None


def test_lower_clocks_explain_as_much_of_a_drift_as_they_are_lower() -> None:
    quiet = Quiet(100.0, 5, graph=False, reading=Reading(1980, 2619, 0))
    tenth_slower: list[Reading | None] = [Reading(1800, 2619, 0)] * 3

    assert quiet.drift(112.0, [*tenth_slower, None, Reading(1980, 2619, 0)]) is None
    assert quiet.drift(115.0, tenth_slower) == pytest.approx(0.15)
    assert quiet.drift(112.0, [Reading(1980, 2619, 0)] * 3) == pytest.approx(0.12)
    assert quiet.drift(112.0, [None]) == pytest.approx(0.12)
    assert dataclasses.replace(quiet, reading=None).drift(112.0, tenth_slower) == pytest.approx(0.12)
