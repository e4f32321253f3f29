"""From an outcome, or a tool's own times, to figures; and what makes figures stale."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from evaluator.baselines.figures import CaseFigures, Clock, Figures, Status, own_clock_speedup, unavailable
from evaluator.baselines.fingerprint import changed, fingerprint
from evaluator.baselines.judged import COMPILE_S, eager_of, figures_of, more_time
from evaluator.baselines.measure import Session
from evaluator.baselines.place import Place
from evaluator.baselines.table import table
from evaluator.contract import (
    CaseResult,
    CaseTiming,
    EvaluationRequest,
    Flag,
    KernelType,
    Limits,
    Mode,
    Outcome,
    Reason,
    SampleStats,
    State,
    TimingSummary,
    Verdict,
)
from evaluator.ops.registry import get
from evaluator.runners.local import LocalRunner, RunnerError

ENVIRONMENT: dict[str, Any] = {"torch": "2.13.0", "driver": "580", "device_name": "NVIDIA H100", "clocks": {"sm_mhz": 1980}}


def stats(median_us: float) -> SampleStats:
    return SampleStats(100, median_us, median_us + 1, median_us - 2, median_us + 5, median_us - 3, median_us + 9, 0.1, 0.01)


def outcome(verdict: Verdict = Verdict.ACCEPTED, *, timed: bool = True, **fields: Any) -> Outcome:
    timing = CaseTiming("event", stats(50), stats(100), 2.0, 1.9, 2.1, 20, "precise", peak_memory_bytes=4096)
    checked = CaseResult("plain", "correctness", True, "float32[64, 128], -1")
    case = CaseResult("large", "performance", True, "float32[4096, 4096], -1", timing=timing)
    return Outcome(
        verdict,
        State.TIMING,
        "softmax",
        "h100",
        KernelType.TORCH,
        Mode.BENCHMARK,
        cases=(checked, case) if timed else (checked,),
        timing=TimingSummary(2.0, 1.9, 2.1, 50, 100, 1) if timed else None,
        environment=ENVIRONMENT,
        **fields,
    )


def tool(*times_us: float) -> tuple[CaseFigures, ...]:
    return tuple(CaseFigures(f"case{n}", "", t, t, t, t, t) for n, t in enumerate(times_us))


def test_an_accepted_outcome_gives_figures_with_an_interval() -> None:
    found = figures_of(outcome(flags=(Flag.THROTTLED,)), "torch_compile")

    assert (found.status, found.clock, found.name) == (Status.OK, Clock.INTERLEAVED, "torch_compile")
    assert (found.time_us, found.eager_us, found.speedup, found.low, found.high) == (50, 100, 2.0, 1.9, 2.1)
    (case,) = found.cases
    assert (case.name, case.time_us, case.eager_us, case.p95_us, case.peak_memory_bytes) == ("large", 50, 100, 55, 4096)
    assert found.flags == ("throttled",)
    assert found.environment == ENVIRONMENT


def test_torch_eager_comes_along_with_its_own_times() -> None:
    found = eager_of(outcome())

    assert found is not None
    assert (found.name, found.time_us, found.speedup, found.low) == ("torch_eager", 100, 1.0, None)
    assert (found.cases[0].time_us, found.cases[0].p95_us, found.cases[0].speedup) == (100, 105, 1.0)


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (
            outcome(
                Verdict.RUNTIME_ERROR,
                timed=False,
                reasons=(Reason("raised", "the call raised InductorError", "Traceback\nInvalidCxxCompiler: No working C++ compiler"),),
            ),
            "runtime_error: the call raised InductorError (InvalidCxxCompiler: No working C++ compiler)",
        ),
        (outcome(Verdict.SUSPECT, reasons=(Reason("faster_than_light", "too fast"),)), "suspect: too fast"),
        (outcome(Verdict.CANCELLED, timed=False), "cancelled"),
        (outcome(timed=False), "the op has no case that is timed on this device"),
    ],
)
def test_anything_but_accepted_is_unavailable(ended: Outcome, said: str) -> None:
    found = figures_of(ended, "torch_compile")

    assert (found.status, found.why, found.time_us) == (Status.UNAVAILABLE, said, None)
    assert found.environment == ENVIRONMENT
    assert eager_of(ended) is None


class Failing(LocalRunner):
    """A judge that fails by our fault."""

    def run(self, request: EvaluationRequest, *rest: object, **more: object) -> Outcome:
        return dataclasses.replace(outcome(Verdict.INFRA_ERROR, timed=False), op=request.op)


def test_a_fault_of_ours_is_no_figure_of_anything() -> None:
    session = Session(Place("cpu"), Failing("cpu"), {}, say=print)

    with pytest.raises(RunnerError, match="torch_compile: infra_error"):
        list(session.measure(get("softmax"), ("torch_compile",)))


class Spoilt(LocalRunner):
    """A judge on a device that somebody else uses during the first runs."""

    def __init__(self, spoilt: int) -> None:
        super().__init__("cpu")
        self.spoilt = spoilt

    def run(self, request: EvaluationRequest, *rest: object, **more: object) -> Outcome:
        self.spoilt -= 1
        return dataclasses.replace(outcome(), op=request.op, flags=(Flag.DISTURBED,) if self.spoilt >= 0 else ())

    def facts(self) -> dict[str, Any]:
        return {"environment": ENVIRONMENT}


@pytest.mark.parametrize("spoilt", [0, 2, 3])
def test_a_run_that_was_disturbed_is_done_again_and_at_last_given_up(spoilt: int) -> None:
    said: list[str] = []
    (found,) = Session(Place("cpu"), Spoilt(spoilt), {}, say=said.append).measure(get("softmax"), ("torch_compile",))

    assert said == ["softmax torch_compile: disturbed"] * spoilt
    assert found.status is (Status.UNAVAILABLE if spoilt == 3 else Status.OK)
    assert ("disturbed in each of 3 runs" in found.why) is (spoilt == 3)


def test_a_tools_speedup_is_the_geometric_mean_over_all_cases() -> None:
    cases, speedup = own_clock_speedup(tool(50, 100), {"case0": 100, "case1": 800, "other": 1})

    assert speedup == pytest.approx(4)
    assert [(case.eager_us, case.speedup, case.low) for case in cases] == [(100, 2, None), (800, 8, None)]


@pytest.mark.parametrize("eager_us", [{}, {"case0": 100.0}])
def test_without_torch_eager_on_every_case_there_is_no_speedup(eager_us: dict[str, float]) -> None:
    cases, speedup = own_clock_speedup(tool(50, 100), eager_us)

    assert speedup is None
    assert [case.speedup for case in cases] == [None, None]


@pytest.mark.parametrize(
    "changes",
    [
        {"time_us": None},
        {"cases": ()},
        {"why": "something"},
        {"status": Status.UNAVAILABLE},
        {"clock": Clock.OWN},
    ],
)
def test_impossible_figures_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"exactly when|needs quads"):
        dataclasses.replace(figures_of(outcome(), "torch_compile"), **changes)


def test_a_reason_is_needed_where_there_are_no_figures() -> None:
    with pytest.raises(ValueError, match="a reason"):
        unavailable("softmax", "cpu", "tvm", Clock.OWN, "")


def test_compilers_get_more_time_and_long_limits_stay() -> None:
    longer = more_time(Limits(check_s=9999, memory_bytes=1 << 30))

    assert (longer.check_s, longer.timing_s, longer.memory_bytes) == (9999, COMPILE_S, 1 << 30)


def test_a_fingerprint_holds_what_moves_times() -> None:
    same = ENVIRONMENT | {"clocks": {"sm_mhz": 1200}, "os": "Linux 6.9"}
    newer = ENVIRONMENT | {"torch": "2.14.0", "triton": "3.8.0"}

    assert fingerprint(ENVIRONMENT) == fingerprint(same)
    assert fingerprint(ENVIRONMENT) != fingerprint(newer)
    assert changed(ENVIRONMENT, same) == []
    assert changed(ENVIRONMENT, newer) == ["torch 2.13.0 → 2.14.0", "triton none → 3.8.0"]


def test_the_table_says_whose_clock_it_was_and_what_is_unavailable() -> None:
    cases, speedup = own_clock_speedup(tool(50), {"case0": 100})
    own = Figures("softmax", "h100", "tvm", Status.OK, Clock.OWN, time_us=50, eager_us=100, speedup=speedup, cases=cases)
    absent = unavailable("softmax", "h100", "xla", Clock.OWN, "XLA_BENCH_CMD is not set\nmore of it")

    lines = list(table([figures_of(outcome(), "torch_compile"), own, absent]))

    assert lines[1].split() == ["softmax", "torch_compile", "2.000×", "1.900", "to", "2.100", "50.0", "µs", "100.0", "µs", "the", "judge's"]
    assert lines[2].split() == ["softmax", "tvm", "2.000×", "–", "50.0", "µs", "100.0", "µs", "own", "clock"]
    assert lines[3:] == ["softmax xla: unavailable: XLA_BENCH_CMD is not set", "    more of it"]
