"""On a GPU: every profiler finds something of a Triton kernel, or says why it cannot. What each said is printed: run with `-s`."""

from __future__ import annotations

import contextlib
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.cli import resolve_device
from evaluator.contract import ArtefactKind, EvaluationRequest, KernelType, Limits, Mode, Outcome, Profile, Profiler, State, Verdict
from evaluator.judge.judge import Judge
from evaluator.ops.registry import get
from evaluator.profiles import ToolReport
from evaluator.profiling import code, ncu, tools, torch_profiler
from evaluator.profiling.artefacts import Artefact, Shelf, read
from evaluator.profiling.inside.archive import unpack
from evaluator.profiling.inside.cache import MOST_FILES
from evaluator.profiling.job import Job, prepare
from evaluator.profiling.ncu import Looked
from evaluator.profiling.report import profile_lines
from evaluator.profiling.running import Means, ToolFailed
from evaluator.sandbox import Sandbox
from evaluator.sandbox.profilers import prove

pytestmark = pytest.mark.alone

AUTOTUNED = """
import torch, triton, triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=2), triton.Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
@triton.jit
def relu_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0), mask=at < n)

def relu_kernel_impl(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        relu_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y
"""
HANGS = """
import sys, torch, triton, triton.language as tl

@triton.jit
def spin(x):
    while tl.load(x, volatile=True) < 1e30:
        pass

def relu_kernel_impl(x):
    if "evaluator.profiling.inside.job" in sys.modules:
        spin[(1,)](torch.zeros(1, device="cuda"))
    return torch.relu(x)
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    device, index = resolve_device("cuda")
    judge = Judge(device, gpu_index=index)
    judge.warm_up()
    yield judge
    judge.close()


def evaluate(judge: Judge, source: str, kind: str, folder: Path, op: str = "softmax") -> Outcome:
    request = EvaluationRequest(op, source, KernelType(kind), judge.device, Mode.PROFILE)
    return judge.evaluate(request, artefacts=folder)


def profile_of(outcome: Outcome) -> Profile:
    assert outcome.verdict in (Verdict.ACCEPTED, Verdict.SUSPECT), (outcome.reasons, outcome.log)
    assert outcome.profile is not None
    print("\n".join(profile_lines(outcome.profile)))
    return outcome.profile


@pytest.fixture(scope="module")
def profiled(judge: Judge, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Profile, dict[str, Artefact]]:
    """The starter of softmax, once for all tests that look at a profile."""
    folder = tmp_path_factory.mktemp("artefacts")
    outcome = evaluate(judge, get("softmax").starters["triton"], "triton", folder)
    profile = profile_of(outcome)
    return outcome, profile, {artefact.note.name: artefact for artefact in read(folder, profile.artefacts)}


@contextlib.contextmanager
def prepared(judge: Judge, op: str, source: str) -> Iterator[tuple[Means, Job]]:
    """One tool's means without an evaluation around it."""
    found = get(op)
    means = Means(judge.sandbox, judge.build_sandbox, judge.gpu_index, Limits(), lambda: False)
    job = prepare(found, found.performance_cases(judge.device)[0], source, f"{op}.py", "cuda", interpreted=False)
    try:
        yield means, job
    finally:
        job.close()


def report(profile: Profile, tool: Profiler) -> ToolReport:
    return next(report for report in profile.tools if report.tool is tool)


def test_timing_is_done_before_profilers_start(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    outcome, profile, _ = profiled

    assert outcome.stage is State.PROFILING
    assert outcome.timing is not None
    assert outcome.stage_seconds["profiling"] < 130
    assert [report.tool for report in profile.tools] == list(Profiler)


def test_torch_sees_the_kernel_on_the_device(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    _, profile, artefacts = profiled

    assert report(profile, Profiler.TORCH).available, report(profile, Profiler.TORCH).why
    first = profile.ops[0]
    assert first.self_device_us is not None
    assert first.self_device_us > 0
    events = json.loads(gzip.decompress(artefacts["trace.json.gz"].data))["traceEvents"]
    assert any(event.get("cat") == "kernel" for event in events)


def test_an_operator_has_no_time_of_its_own_on_the_device(judge: Judge) -> None:
    """What `torch.mm` takes on the device is its kernel's; counted for both, shares would add up to twice the time."""
    source = "import torch\n\ndef mm_kernel_impl(a, b):\n    return torch.mm(a, b)\n"

    with prepared(judge, "mm", source) as (means, job):
        ops = torch_profiler.look(means, job, Shelf(None), 60)

    print("\n".join(torch_profiler.table(ops, job.calls)))
    operator = next(op for op in ops if op.name == "aten::mm")
    assert operator.self_device_us == 0.0
    assert operator.device_us is not None and operator.device_us > 0
    assert ops[0].name != "aten::mm"
    assert ops[0].self_device_us is not None and ops[0].self_device_us > 0
    assert sum(op.self_device_us or 0.0 for op in ops) < 1.1 * operator.device_us


def test_later_tools_begin_with_what_the_first_has_compiled(judge: Judge) -> None:
    with prepared(judge, "relu", get("relu").starters["triton"]) as (means, job):
        torch_profiler.look(means, job, Shelf(None), 60)
        handed_on = set(unpack(job.compiled, most_files=MOST_FILES + 1))
        shelf = Shelf(None)
        found = code.look(means, job, shelf, 60, KernelType.TRITON)

    print("handed on:", sorted(handed_on))
    assert any(name.endswith(".cubin") for name in handed_on)
    assert any(name.endswith(".so") for name in handed_on)
    assert found[0].launched is True
    assert shelf.take_left_out() == ()


def test_machine_code_and_registers(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    _, profile, artefacts = profiled

    assert report(profile, Profiler.CODE).available, report(profile, Profiler.CODE).why
    kernel = profile.code[0]
    assert kernel.launched is True
    assert kernel.registers is not None
    assert kernel.spill_store_bytes is not None
    assert b".visible .entry" in artefacts[kernel.ptx].data
    assert b"EXIT" in artefacts[kernel.sass].data
    assert {artefacts[kernel.ptx].note.kind, artefacts[kernel.sass].note.kind} == {ArtefactKind.PTX, ArtefactKind.SASS}


def test_hardware_counters_or_why_there_are_none(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    _, profile, artefacts = profiled
    said = report(profile, Profiler.NCU)

    if tools.find("ncu") is None:
        assert said.why == "ncu is not installed"
    elif tools.counters_are_restricted():
        assert said.why.startswith("ERR_NVGPUCTRPERM")
    elif not said.available:
        # The driver's parameters are not visible everywhere: then the tool itself hears the refusal.
        assert said.why.startswith("ERR_NVGPUCTRPERM"), f"ncu is there and its counters are free, but: {said.why}"
    else:
        kernel = profile.kernels[0]
        labels = {metric.label for metric in kernel.metrics}
        assert {"compute throughput", "memory throughput", "achieved", "registers a thread", "DRAM read", "local memory read"} <= labels
        assert kernel.duration_us is not None
        assert 0.5 < kernel.duration_us < 1e6
        assert profile.sandbox["network_namespace"] == "active"
        assert {"ncu.csv", "ncu.ncu-rep"} <= set(artefacts)


def test_energy_or_why_there_is_none(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    _, profile, _ = profiled
    said = report(profile, Profiler.ENERGY)

    if not said.available:
        assert "counter" in said.why or "nvidia-ml-py" in said.why
        return
    assert profile.energy is not None
    assert 20 < profile.energy.mean_watts < 1500
    assert profile.energy.calls > 100


def test_nsight_systems_or_why_there_is_none(profiled: tuple[Outcome, Profile, dict[str, Artefact]]) -> None:
    _, profile, _ = profiled
    said = report(profile, Profiler.NSYS)

    if tools.find("nsys") is None:
        assert said.why == "nsys is not installed"
    elif said.available:
        assert profile.timeline[0].launches == profile.calls
    else:
        pytest.fail(f"nsys is there, but: {said.why}")


def test_of_autotuned_variants_the_one_that_ran_is_known(judge: Judge, tmp_path: Path) -> None:
    profile = profile_of(evaluate(judge, AUTOTUNED, "triton", tmp_path, "relu"))

    variants = [code for code in profile.code if code.name == "relu_kernel"]
    assert sorted(code.launched is True for code in variants) == [False, True]
    assert variants[0].launched is True


def test_a_kernel_that_hangs_under_a_profiler_costs_no_verdict(judge: Judge, tmp_path: Path) -> None:
    request = EvaluationRequest("relu", HANGS, KernelType.TRITON, judge.device, Mode.PROFILE, limits=Limits(profile_s=60.0))
    outcome = judge.evaluate(request, artefacts=tmp_path)

    assert profile_of(outcome).ops == ()
    assert outcome.stage_seconds["profiling"] < 90
    assert judge.out_of_service == ""
    again = EvaluationRequest("relu", get("relu").starters["triton"], KernelType.TRITON, judge.device, Mode.TEST)
    assert judge.evaluate(again).verdict is Verdict.ACCEPTED


def test_the_sandbox_of_profilers_holds_with_a_gpu(judge: Judge) -> None:
    row = prove("best-effort", judge.gpu_index)

    assert row.proven, row.detail


def test_whether_ncu_needs_its_loopback(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says under `-s` what Nsight Compute does in the usual sandbox: when it works there, the sandbox of its own can go."""
    if tools.find("ncu") is None or tools.counters_are_restricted():
        pytest.skip("ncu cannot be used here")
    monkeypatch.setattr(ncu, "profiler_sandbox", lambda mode, index: Sandbox(mode, gpu_index=index))
    with prepared(judge, "relu", get("relu").starters["triton"]) as (means, job):
        try:
            looked: Looked | str = ncu.look(means, job, Shelf(None), 60)
        except ToolFailed as failed:
            looked = str(failed)

    if isinstance(looked, str):
        print("ncu without a loopback says:", looked)
        assert "sandbox does not start" not in looked
        assert "cannot be started" not in looked
    else:
        print("ncu without a loopback works:", [(kernel.name, kernel.duration_us) for kernel in looked.kernels])
        assert looked.kernels[0].duration_us
        assert looked.layers["seccomp"] == "active"
