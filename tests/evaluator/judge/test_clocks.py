"""The candidate's clock counts only as far as the judge's own clock confirms it (ENGINE §4, two clocks)."""

from __future__ import annotations

import pytest

from evaluator.contract import Flag, Mode, Outcome, Verdict
from tests.evaluator.judge.conftest import Judged

MM = """
import sys, time, torch
{forgery}
def mm_kernel_impl(a, b):
    return torch.mm(a, b)
"""
BOUND_CLOCK = """
clocks = sys.modules["evaluator.candidate.clocks"]
real = clocks._perf_counter_ns
clocks._perf_counter_ns = lambda: real() // 1000
"""
TIMER = """
clocks = sys.modules["evaluator.candidate.clocks"]
honest = clocks.WallClock.collect
def forged(self):
    samples, host, kept = honest(self)
    return [max(1, ns // 1000) for ns in samples], host, kept
clocks.WallClock.collect = forged
"""
WORKS_WHEN_ARMED = """
clocks = sys.modules["evaluator.candidate.clocks"]
def arm(self, calls):
    self.count = len(calls)
    for call in calls:
        torch.mm(*call.args, out=call.targets[0])
clocks.WallClock.arm = arm
clocks.WallClock.run = lambda self, entry: None
clocks.WallClock.collect = lambda self: ([1000] * self.count, [1000] * self.count, True)
"""
WORKS_WHEN_COLLECTED = """
clocks = sys.modules["evaluator.candidate.clocks"]
def collect(self):
    for call in self._calls:
        torch.mm(*call.args, out=call.targets[0])
    return [1000] * len(self._calls), [1000] * len(self._calls), True
clocks.WallClock.run = lambda self, entry: None
clocks.WallClock.collect = collect
"""
PYTHONS_CLOCKS = """
real = time.perf_counter_ns
time.perf_counter_ns = time.monotonic_ns = time.time_ns = lambda: real() // 1000
time.perf_counter = time.monotonic = time.time = lambda: real() / 1e12
"""
WORKS_IN_ANOTHER_PROCESS = """
import ctypes, json, os
clocks = sys.modules["evaluator.candidate.clocks"]
asked, ask = os.pipe()
answered, answer = os.pipe()
def mapped(pointer, shape):
    count = shape[0] * shape[1]
    return torch.frombuffer((ctypes.c_float * count).from_address(pointer), dtype=torch.float32).view(shape)
if os.fork() == 0:
    while True:
        for call in json.loads(os.read(asked, 65536)):
            a, b, out = (mapped(*tensor) for tensor in call)
            torch.mm(a, b, out=out)
        os.write(answer, b"1")
def arm(self, calls):
    self._calls = calls
    self.question = json.dumps([[(t.data_ptr(), tuple(t.shape)) for t in (*c.args, *c.targets)] for c in calls]).encode()
def run(self, entry):
    os.write(ask, self.question)
    os.read(answered, 1)
clocks.WallClock.arm, clocks.WallClock.run = arm, run
clocks.WallClock.collect = lambda self: ([1000] * len(self._calls), [1000] * len(self._calls), True)
"""
ALL_AT_ONCE = """
import sys, torch
done = {}

def mm_kernel_impl(a, b):
    clock = sys._getframe(1).f_locals.get("self")
    calls = getattr(clock, "_calls", ())
    if a.data_ptr() not in done:
        for call in calls:
            done[call.args[0].data_ptr()] = torch.mm(*call.args)
    return done.pop(a.data_ptr()) if calls else torch.mm(a, b)
"""
SHORT_CASE_ONLY = """
import sys, torch
clocks = sys.modules["evaluator.candidate.clocks"]
honest = clocks.WallClock.collect
def forged(self):
    samples, host, kept = honest(self)
    if self._calls[0].args[0].shape == (128, 1000):
        samples = [max(1, ns // 1000) for ns in samples]
    return samples, host, kept
clocks.WallClock.collect = forged

def cross_entropy_kernel_impl(*args, **kwargs):
    return torch.nn.functional.cross_entropy(*args, **kwargs)
"""
SLOWS_THE_BASELINE = """
import os, signal, torch
child = os.fork()
if child == 0:
    while True:
        pass
os.kill(child, signal.SIGSTOP)

def mm_kernel_impl(a, b):
    os.kill(child, signal.SIGSTOP)
    try:
        return torch.mm(a, b)
    finally:
        os.kill(child, signal.SIGCONT)
"""


BROKEN = (Verdict.COMPILE_ERROR, Verdict.RUNTIME_ERROR, Verdict.CRASHED, Verdict.TIMEOUT)
"""An attack that ends so did not take place: what it replaces has another name by now."""


def speedups(outcome: Outcome) -> list[float]:
    return [case.timing.speedup for case in outcome.cases if case.timing is not None]


def surely(outcome: Outcome) -> list[float]:
    """The speedups that are certain, whatever else this machine did: the lower ends of the intervals."""
    return [case.timing.low for case in outcome.cases if case.timing is not None]


@pytest.mark.parametrize("forgery", [BOUND_CLOCK, TIMER], ids=["the harness's clock", "the harness's timer"])
def test_forged_clock_is_found_out(judged: Judged, forgery: str) -> None:
    outcome = judged(MM.format(forgery=forgery), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict is Verdict.SUSPECT, (speedups(outcome), outcome.reasons)
    assert Flag.CLOCKS_DISAGREE in outcome.flags
    assert {reason.code for reason in outcome.reasons} == {"clocks_disagree"}
    assert max(speedups(outcome)) < 100, "the forged figure was stored"
    assert outcome.performance_score is not None
    assert outcome.performance_score < 100


def test_pythons_clocks_are_not_the_ones_that_count(judged: Judged) -> None:
    outcome = judged(MM.format(forgery=PYTHONS_CLOCKS), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict in (Verdict.ACCEPTED, Verdict.SUSPECT), outcome.reasons
    assert max(speedups(outcome)) < 10


@pytest.mark.parametrize(
    "claim",
    [
        "[-5] * len(self._calls)",
        "[float('nan')] * len(self._calls)",
        "['1'] * len(self._calls)",
        "None",
    ],
)
def test_times_that_are_none(judged: Judged, claim: str) -> None:
    forgery = f"""
clocks = sys.modules["evaluator.candidate.clocks"]
clocks.WallClock.collect = lambda self: ({claim}, [1] * len(self._calls), True)
"""
    outcome = judged(MM.format(forgery=forgery), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict in (Verdict.REJECTED, Verdict.RUNTIME_ERROR, Verdict.CRASHED), outcome.reasons
    assert outcome.performance_score is None


def test_claiming_to_have_computed(judged: Judged) -> None:
    forgery = """
clocks = sys.modules["evaluator.candidate.clocks"]
clocks.WallClock.run = lambda self, entry: None
clocks.WallClock.collect = lambda self: ([1000] * len(self._calls), [1000] * len(self._calls), True)
"""
    outcome = judged(MM.format(forgery=forgery), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict is Verdict.WRONG_RESULT, outcome.reasons
    assert outcome.performance_score is None


def test_cheap_once_it_is_timed(judged: Judged) -> None:
    forgery = """
class Cheap:
    calls = 0
real = torch.mm
def mm(a, b):
    Cheap.calls += 1
    return real(a, b) if a.shape[0] < 128 else torch.empty((a.shape[0], b.shape[1])).fill_(0.5)
torch.mm = mm
"""
    outcome = judged(MM.format(forgery=forgery), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict is Verdict.WRONG_RESULT, outcome.reasons
    assert outcome.performance_score is None


@pytest.mark.parametrize("forgery", [WORKS_WHEN_ARMED, WORKS_WHEN_COLLECTED], ids=["before go", "after go"])
def test_work_outside_the_judges_clock_gains_nothing(judged: Judged, forgery: str) -> None:
    outcome = judged(MM.format(forgery=forgery), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict not in BROKEN, outcome.reasons
    assert outcome.verdict is not Verdict.ACCEPTED or max(speedups(outcome)) < 10, speedups(outcome)


def test_work_in_another_process_gains_nothing(judged: Judged) -> None:
    """The candidate's own process only waits: its CPU time says nothing of the work."""
    outcome = judged(MM.format(forgery=WORKS_IN_ANOTHER_PROCESS), "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict not in BROKEN, outcome.reasons
    assert outcome.verdict is not Verdict.ACCEPTED or max(speedups(outcome)) < 10, (speedups(outcome), outcome.log)


def test_doing_the_work_of_all_calls_in_the_first_gains_nothing(judged: Judged) -> None:
    outcome = judged(ALL_AT_ONCE, "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict not in BROKEN, outcome.reasons
    assert len(speedups(outcome)) > 0 or outcome.verdict is not Verdict.ACCEPTED
    assert max(surely(outcome), default=0) < 1.5, speedups(outcome)


def test_forged_clock_in_a_short_case_is_found_out(judged: Judged) -> None:
    outcome = judged(SHORT_CASE_ONLY, "cross_entropy", mode=Mode.BENCHMARK)

    assert outcome.verdict not in BROKEN, outcome.reasons
    assert outcome.verdict is not Verdict.ACCEPTED or max(speedups(outcome)) < 10, speedups(outcome)


def test_slowing_the_baseline_gains_nothing(judged: Judged) -> None:
    outcome = judged(SLOWS_THE_BASELINE, "mm", mode=Mode.BENCHMARK)

    assert outcome.verdict not in BROKEN, outcome.reasons
    assert outcome.verdict is not Verdict.ACCEPTED or max(surely(outcome)) < 1.5, speedups(outcome)
