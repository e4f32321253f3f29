"""The stage itself: one tool's trouble is its own, and the limit of the stage holds for all of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence

import pytest

from evaluator.contract import CaseResult, CaseTiming, EvaluationRequest, Event, KernelType, Limits, Mode, SampleStats
from evaluator.judge.blocks import HostBlock
from evaluator.judge.inputs import Place
from evaluator.judge.peer import Cancelled
from evaluator.ops.registry import get
from evaluator.profiles import Profile, Profiler, ToolReport
from evaluator.profiling import stage, torch_profiler
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.job import prepare
from evaluator.profiling.running import Means, ToolFailed
from evaluator.profiling.stage import Profiling, choose, share
from evaluator.sandbox import Sandbox

SOURCE = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.relu(x)\n"


def profiling(events: list[Event] | None = None, *, kind: KernelType = KernelType.TORCH, limits: Limits | None = None) -> Profiling:
    request = EvaluationRequest("relu", SOURCE, kind, "cpu", Mode.PROFILE, limits=limits or Limits())
    means = Means(Sandbox("best-effort"), Sandbox("best-effort"), None, request.limits, lambda: False)
    emit = events.append if events is not None else lambda _event: None
    return Profiling(get("relu"), request, SOURCE, means, Shelf(None), device="cpu", emit=emit)


def raising(error: BaseException) -> Callable[..., object]:
    def look(*_: object, **__: object) -> object:
        raise error

    return look


def timed(name: str, median_us: float) -> CaseResult:
    stats = SampleStats(5, median_us, median_us, median_us, median_us, median_us, median_us, 0.0, 0.0)
    return CaseResult(name, "performance", True, "", timing=CaseTiming("wall", stats, stats, 1.0, 1.0, 1.0, 5, "budget"))


def reports(found: Profile) -> dict[Profiler, ToolReport]:
    return {report.tool: report for report in found.tools}


def names(events: Sequence[Event]) -> list[object]:
    return [event.data["text"] for event in events if event.kind == "note"]


def test_a_tool_that_fails_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_profiler, "look", raising(ToolFailed("it took longer than 40 s", hard=True)))
    events: list[Event] = []
    running = profiling(events)

    found = running.profile([])

    said = reports(found)
    assert list(said) == list(Profiler)
    assert said[Profiler.TORCH].why == "it took longer than 40 s"
    assert all(not report.available and report.why for report in said.values())
    assert running.rough
    assert names(events)[0] == "torch_profiler: unavailable"


@pytest.mark.parametrize(
    ("tool", "kind", "why"),
    [
        (Profiler.CODE, KernelType.TRITON, "the interpreter compiles nothing"),
        (Profiler.CODE, KernelType.TORCH, "nothing is compiled for a CPU"),
        (Profiler.NCU, KernelType.TORCH, "Nsight Compute looks at GPUs, and this is a CPU"),
        (Profiler.NSYS, KernelType.TORCH, "Nsight Systems would look at a GPU, and this is a CPU"),
        (Profiler.ENERGY, KernelType.TORCH, "NVML counts the energy of GPUs, and this is a CPU"),
    ],
)
def test_what_a_cpu_cannot_be_asked(monkeypatch: pytest.MonkeyPatch, tool: Profiler, kind: KernelType, why: str) -> None:
    monkeypatch.setattr(torch_profiler, "look", raising(ToolFailed("left out here")))

    assert reports(profiling(kind=kind).profile([]))[tool].why == why


def test_a_fault_of_ours_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_profiler, "look", raising(KeyError("a bug")))

    assert reports(profiling().profile([]))[Profiler.TORCH].why == "a fault of ours (KeyError)"


def test_who_cancels_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_profiler, "look", raising(Cancelled()))

    with pytest.raises(Cancelled):
        profiling().profile([])


def test_no_tool_starts_when_the_stage_is_used_up() -> None:
    found = profiling(limits=Limits(profile_s=0.5)).profile([])

    assert {report.why for report in found.tools} == {"the 0.5 s of the stage were used up"}


def test_inputs_too_large_for_profilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.profiling.job.MOST_INPUT_BYTES", 10)

    found = profiling().profile([])

    assert all("profilers get at most" in report.why for report in found.tools)
    assert len(found.tools) == len(Profiler)


def test_the_time_of_all_tools_is_that_of_the_stage() -> None:
    assert set(stage.SECONDS) == set(Profiler)
    assert sum(stage.SECONDS.values()) == Limits().profile_s


def test_what_a_tool_leaves_is_shared_by_those_that_follow() -> None:
    left, taken = 120.0, dict[Profiler, float]()
    for tool in Profiler:
        taken[tool] = share(tool, left)
        left -= taken[tool]

    assert taken == pytest.approx(stage.SECONDS)
    assert left == pytest.approx(0.0)
    assert share(Profiler.NCU, 110.0) > 60
    assert share(Profiler.NSYS, 33.0) == 33.0


@pytest.mark.parametrize("place", ["choose", "prepare"])
def test_a_fault_before_the_first_tool_costs_no_verdict(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(stage, place, raising(MemoryError()))
    running = profiling()

    found = running.profile([])

    assert [report.tool for report in found.tools] == list(Profiler)
    assert {report.why for report in found.tools} == {"a fault of ours (MemoryError)"}
    assert running.rough


def test_who_cancels_before_the_first_tool_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "prepare", raising(Cancelled()))

    with pytest.raises(Cancelled):
        profiling().profile([])


def test_memory_goes_back_when_inputs_cannot_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[HostBlock] = []

    def write(_place: Place, block: HostBlock, _inputs: object) -> None:
        blocks.append(block)
        raise MemoryError

    monkeypatch.setattr(Place, "write", write)

    with pytest.raises(MemoryError):
        prepare(get("relu"), get("relu").correctness_cases("cpu")[0], SOURCE, "relu.py", "cpu", interpreted=False)

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(blocks[0].fileno())


def test_what_was_left_out_stands_in_the_tools_own_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_means: object, _job: object, shelf: Shelf, _timeout_s: float) -> tuple[()]:
        shelf.leave_out("trace.json.gz: too much")
        return ()

    monkeypatch.setattr(torch_profiler, "look", look)

    said = reports(profiling().profile([]))

    assert said[Profiler.TORCH].left_out == ("trace.json.gz: too much",)
    assert said[Profiler.CODE].left_out == ()


def test_the_longest_case_is_profiled_and_for_the_interpreter_the_shortest() -> None:
    op = get("softmax")
    first, second = (case.name for case in op.performance_cases("cpu")[:2])
    judged = [timed(first, 10.0), timed(second, 99.0)]

    assert choose(op, "cpu", judged, shortest=False).name == second
    assert choose(op, "cpu", judged, shortest=True).name == first
    assert choose(op, "cpu", [], shortest=False).kind == "performance"


def test_an_op_that_is_not_timed_is_profiled_in_a_case_of_its_check() -> None:
    op = get("relu")
    untimed = dataclasses.replace(op, cases=op.correctness_cases)

    assert choose(untimed, "cpu", [], shortest=False).kind == "correctness"
