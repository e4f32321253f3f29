"""On a GPU: what is deferred, done early, done at once for all calls or hidden gains nothing."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest
import torch

from evaluator.bench import products
from evaluator.candidate.flush import Flush
from evaluator.contract import CaseTiming, Flag, Outcome, Verdict
from evaluator.judge.judge import Judge
from evaluator.judge.sides import FLUSH_BYTES
from tests.gpu.chain import Chain
from tests.gpu.products_timed import evaluate
from tests.gpu.timing_kernels import (
    ALL_IN_ONE_LAUNCH,
    ALL_IN_THE_FIRST_CALL,
    ANOTHER_CURRENT_STREAM,
    ANSWERS_BEFORE_IT_IS_DONE,
    BESIDE_THE_FLUSH,
    FORGED_GRAPH,
    LEFT_RUNNING,
    TAKES_ALL_MEMORY,
    WORKS_WHILE_IT_WAITS,
)

pytestmark = pytest.mark.alone


def gains_nothing(outcome: Outcome, timing: CaseTiming | None, most: float = 1.15) -> bool:
    """Whether the verdict is no `accepted`, or the figure is that of an honest kernel."""
    print(outcome.verdict, [reason.message for reason in outcome.reasons], outcome.flags, timing and timing.speedup)
    return outcome.verdict is not Verdict.ACCEPTED or (timing is not None and timing.speedup < most)


@pytest.mark.parametrize("length_us", [5.0, 200.0])
@pytest.mark.parametrize("source", [LEFT_RUNNING, ANOTHER_CURRENT_STREAM], ids=["left running", "another stream"])
def test_work_that_nobody_waits_for_gains_nothing(judge: Judge, source: str, length_us: float) -> None:
    assert gains_nothing(*evaluate(judge, source, length_us=length_us))


@pytest.mark.parametrize("length_us", [5.0, 200.0])
def test_an_answer_before_the_work_is_done_gains_nothing(judge: Judge, length_us: float) -> None:
    assert gains_nothing(*evaluate(judge, ANSWERS_BEFORE_IT_IS_DONE, length_us=length_us))


@pytest.mark.parametrize("length_us", [5.0, 200.0])
def test_all_work_in_the_first_call_gains_nothing(judge: Judge, length_us: float) -> None:
    assert gains_nothing(*evaluate(judge, ALL_IN_THE_FIRST_CALL, length_us=length_us))


@pytest.mark.parametrize(("length_us", "most"), [(2.0, 1.6), (0.1, 1.15)])
def test_one_launch_for_all_calls_of_a_graph_is_seen(judge: Judge, length_us: float, most: float) -> None:
    """An op's own time at 2 µs is mostly that of a launch, of which one for all saves the gaps; at 0.1 µs it is nothing else."""
    assert gains_nothing(*evaluate(judge, ALL_IN_ONE_LAUNCH, length_us=length_us), most=most)


def test_work_beside_the_flush_gains_nothing(judge: Judge) -> None:
    assert gains_nothing(*evaluate(judge, BESIDE_THE_FLUSH, length_us=1000.0))


def test_who_keeps_the_gpu_busy_between_calls_is_seen(judge: Judge) -> None:
    outcome, timing = evaluate(judge, WORKS_WHILE_IT_WAITS, length_us=200.0)

    gains_nothing(outcome, timing)
    assert outcome.verdict is Verdict.SUSPECT or Flag.DISTURBED in outcome.flags


@pytest.mark.parametrize("by", [4, 2])
def test_a_forged_clock_of_a_graph_is_seen(judge: Judge, by: int) -> None:
    outcome, timing = evaluate(judge, FORGED_GRAPH.replace("{by}", str(by)))

    assert outcome.verdict is Verdict.SUSPECT, outcome
    assert Flag.CLOCKS_DISAGREE in outcome.flags
    assert timing is not None and timing.speedup < by / 1.5


def test_who_takes_all_memory_is_out_of_memory_and_the_next_is_clean(judge: Judge) -> None:
    outcome, _ = evaluate(judge, TAKES_ALL_MEMORY, length_us=200.0)
    after, _ = evaluate(judge, products.SOURCE, length_us=200.0)

    assert outcome.verdict in (Verdict.OUT_OF_MEMORY, Verdict.ACCEPTED), outcome.reasons
    assert after.verdict is Verdict.ACCEPTED, after.reasons


def test_nothing_runs_beside_the_flush() -> None:
    flush, side = Flush(FLUSH_BYTES), torch.cuda.Stream()
    a = torch.randn(1024, 1024, device="cuda")
    events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
    stream = torch.cuda.default_stream()
    for _ in range(3):
        torch.cuda.synchronize()
        for _ in range(20):
            flush(stream)
        side.wait_stream(stream)
        torch.cuda.synchronize()
        events[0].record(stream)
        for _ in range(20):
            flush(stream)
        events[1].record(stream)
        with torch.cuda.stream(side):
            events[2].record(side)
            for _ in range(5):
                a @ a
            events[3].record(side)
        torch.cuda.synchronize()
    alone_ms, products_end_ms = events[0].elapsed_time(events[1]), events[0].elapsed_time(events[3])
    print(f"flush {alone_ms / 20 * 1e3:.1f} µs each, the products end at {products_end_ms * 1e3:.0f} µs of {alone_ms * 1e3:.0f}")

    assert flush.exclusive
    assert products_end_ms > 5 * alone_ms / 20, "products ran while blocks of the flush were there"


def test_the_flush_leaves_the_cache_cold_and_nothing_to_write() -> None:
    """Cold: a chain of loads waits for memory, not for L2. Nothing to write: who reads much has the memory to himself."""
    flush, stream = Flush(FLUSH_BYTES), torch.cuda.default_stream()
    written, x = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda"), torch.randn(16 << 20, device="cuda")
    chain = Chain()

    def median_us(before: Callable[[], object], call: Callable[[], object]) -> float:
        events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(30)]
        for start, end in events:
            before()
            torch.cuda._sleep(200_000)  # the launch of what is timed is hidden in all of them
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return statistics.median(start.elapsed_time(end) * 1e3 for start, end in events)

    def ours() -> None:
        flush(stream)

    for _ in range(2):
        warm, cold, written_over = (median_us(before, chain.follow) for before in (lambda: None, ours, written.zero_))
        behind_ours, behind_writing = (median_us(before, x.sum) for before in (ours, written.zero_))
    print(f"a chain of loads: {warm:.1f} µs warm, {cold:.1f} µs behind our flush, {written_over:.1f} µs behind one that writes")
    print(f"64 MB summed: {behind_ours:.1f} µs behind our flush, {behind_writing:.1f} µs behind one that writes")

    assert warm < 0.7 * cold
    assert cold > 0.8 * written_over
    assert behind_ours < behind_writing
