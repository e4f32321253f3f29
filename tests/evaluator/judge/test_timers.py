"""Times as other tools take them, for comparison: through the whole judge, and never mistaken for the ranked ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.contract import EvaluationRequest, Event, KernelType, Mode, Outcome, Timer, Verdict
from evaluator.judge.judge import Judge
from evaluator.report import event_line
from tests.evaluator.judge.conftest import LIMITS
from tests.evaluator.judge.kernels import GOOD

RIGHT_WHEN_CHECKED = """import torch

calls = 0


def relu_kernel_impl(x):
    global calls
    calls += 1
    return torch.relu(x) if calls < 100 else torch.zeros_like(x)
"""


def timed(
    judge: Judge, timer: Timer, source: str = GOOD, mode: Mode = Mode.BENCHMARK, emit: Callable[[Event], None] = lambda event: None
) -> Outcome:
    return judge.evaluate(EvaluationRequest("relu", source, KernelType.TORCH, "cpu", mode, timer=timer, limits=LIMITS), emit=emit)


def test_cpu_bench_times_a_hundred_calls_of_each_side_alone(judge: Judge) -> None:
    lines: list[str] = []
    outcome = timed(judge, Timer.CPU_BENCH, emit=lambda event: lines.append(event_line(event)))

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    timings = [case.timing for case in outcome.cases if case.timing is not None]
    assert timings
    for timing in timings:
        assert (timing.method, timing.stop_reason, timing.quads) == ("cpu_bench", "cpu_bench", 0)
        assert timing.candidate.n == timing.baseline.n == len(timing.samples_us) == 100
        assert timing.low < timing.speedup < timing.high
        assert timing.audit_speedup is timing.quiet_us is None
    assert sum("cpu_bench: each side alone, not ranked" in line for line in lines) == len(timings)


def test_what_is_wrong_after_the_check_is_seen_behind_the_timer_too(judge: Judge) -> None:
    outcome = timed(judge, Timer.CPU_BENCH, RIGHT_WHEN_CHECKED)

    assert outcome.verdict is Verdict.WRONG_RESULT, outcome.reasons


@pytest.mark.parametrize(
    ("timer", "mode", "says"),
    [
        (Timer.DO_BENCH, Mode.BENCHMARK, "Timer do_bench cannot time on cpu; use cpu_bench or abba."),
        (Timer.CPU_BENCH, Mode.RANKED, "Timer cpu_bench cannot be ranked; use mode benchmark."),
    ],
)
def test_a_timer_that_does_not_fit_is_refused_before_anything_runs(judge: Judge, timer: Timer, mode: Mode, says: str) -> None:
    outcome = timed(judge, timer, mode=mode)

    assert outcome.verdict is Verdict.REJECTED
    assert [(reason.code, reason.message) for reason in outcome.reasons] == [("unfit_timer", says)]
    assert outcome.cases == ()


def test_the_baseline_is_timed_alone_before_the_submission_is_loaded(judge: Judge) -> None:
    outcome = timed(judge, Timer.ABBA)

    timings = [case.timing for case in outcome.cases if case.timing is not None]
    assert timings
    for timing in timings:
        assert timing.quiet_us is not None and timing.quiet_us > 0
        assert timing.calls >= 1
    assert outcome.flags == ()
