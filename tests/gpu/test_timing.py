"""On a GPU: short cases by graph, what cannot be captured, clocks, neighbours, memory, other timers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from evaluator.bench import products
from evaluator.contract import Flag, Timer, Verdict
from evaluator.judge.events import MOST_US
from evaluator.judge.judge import Judge
from tests.gpu.products_timed import evaluate
from tests.gpu.timing_kernels import DROPS_AFTER_A_LOOK, LOOKS, NOTHING_WHILE_CAPTURED, SAME_BUFFER_WHILE_CAPTURED

pytestmark = pytest.mark.alone
NEIGHBOUR = """
import torch
a = torch.randn(8192, 8192, device="cuda")
print("loaded", flush=True)
while True:
    a @ a
    torch.cuda.synchronize()
"""


def test_a_short_case_is_timed_by_graph(judge: Judge) -> None:
    outcome, timing = evaluate(judge, products.SOURCE)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert timing is not None
    assert (timing.method, timing.not_captured) == ("graph", "")
    assert timing.calls > 20
    assert timing.overhead_us == 0.0
    assert timing.speedup == pytest.approx(1, abs=0.03)
    assert timing.audit_speedup is not None
    assert timing.host_us is not None and timing.host_us > 0
    assert timing.quiet_us == pytest.approx(timing.baseline.median_us, rel=0.05)
    assert timing.peak_memory_bytes


def test_a_long_case_is_timed_call_by_call(judge: Judge) -> None:
    outcome, timing = evaluate(judge, products.SOURCE, length_us=200.0)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert timing is not None
    assert timing.method == "event"
    assert 0.5 < timing.overhead_us < MOST_US
    assert timing.speedup == pytest.approx(1, abs=0.02)
    clocks = timing.clocks
    assert clocks is not None and clocks.sm_high_mhz > 500
    assert clocks.power_w is not None and 30 < clocks.power_w < 2000
    assert clocks.temperature_c is not None and 10 < clocks.temperature_c < 110


@pytest.mark.parametrize("source", [LOOKS, DROPS_AFTER_A_LOOK], ids=["looks", "drops"])
def test_what_looks_at_its_results_cannot_be_captured_and_says_so(judge: Judge, source: str) -> None:
    outcome, timing = evaluate(judge, source)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert timing is not None
    assert timing.method == "event" and timing.not_captured
    assert Flag.NOT_CAPTURED in outcome.flags


@pytest.mark.parametrize("source", [NOTHING_WHILE_CAPTURED, SAME_BUFFER_WHILE_CAPTURED])
def test_a_graph_must_do_the_work_and_keep_all_outputs(judge: Judge, source: str) -> None:
    outcome, timing = evaluate(judge, source)

    assert Flag.NOT_CAPTURED in outcome.flags
    assert timing is not None and timing.method == "event"
    assert timing.not_captured == "the graph does not do all of the work"


def test_a_neighbour_is_noticed(judge: Judge) -> None:
    with neighbour():
        outcome, _ = evaluate(judge, products.SOURCE, length_us=200.0)
    alone, _ = evaluate(judge, products.SOURCE, length_us=200.0)

    assert outcome.verdict is Verdict.ACCEPTED, "nothing is held against who was disturbed"
    assert Flag.DISTURBED in outcome.flags
    assert Flag.DISTURBED not in alone.flags


def test_memory_has_a_limit(judge: Judge) -> None:
    _, timing = evaluate(judge, products.SOURCE, length_us=200.0)
    assert timing is not None and timing.peak_memory_bytes
    needed_mb = round(timing.peak_memory_bytes / 1e6)

    less, _ = evaluate(judge, products.SOURCE, length_us=200.0, max_memory_mb=needed_mb // 2)
    more, _ = evaluate(judge, products.SOURCE, length_us=200.0, max_memory_mb=4 * needed_mb)

    assert 50 < needed_mb < 2000
    assert less.verdict is Verdict.CONSTRAINT_VIOLATED
    assert f"{needed_mb // 2} MB are allowed" in less.reasons[0].message
    assert more.verdict is Verdict.ACCEPTED


def test_evaluations_leave_no_memory_behind(judge: Judge) -> None:
    free = []
    for _ in range(3):
        outcome, _ = evaluate(judge, products.SOURCE, length_us=500.0)
        assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
        free.append(torch.cuda.mem_get_info()[0])

    assert abs(free[2] - free[1]) < 256 << 20, free


def test_captured_calls_leave_no_memory_behind(judge: Judge) -> None:
    """Each capture has a pool of memory of its own, which torch would keep for ever."""
    free = []
    for _ in range(3):
        outcome, timing = evaluate(judge, products.SOURCE)
        assert timing is not None and timing.method == "graph", outcome.reasons
        free.append(torch.cuda.mem_get_info()[0])

    assert abs(free[2] - free[1]) < 256 << 20, free


def test_do_bench_for_comparison(judge: Judge) -> None:
    outcome, timing = evaluate(judge, products.SOURCE, length_us=200.0, timer=Timer.DO_BENCH)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert timing is not None
    assert timing.method == "do_bench"
    assert timing.speedup == pytest.approx(1, abs=0.1)


@contextmanager
def neighbour() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", NEIGHBOUR], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline().strip() == "loaded"
        try:
            yield
        finally:
            process.kill()
