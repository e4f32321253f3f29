"""A profile in words: for a terminal, and for a language model."""

from __future__ import annotations

from evaluator.contract import KernelType, Mode, Outcome, Profile, Profiler, State, Verdict
from evaluator.feedback import DETAIL_CHARACTERS, feedback
from evaluator.profiles import Energy, KernelCode, KernelMetrics, KernelTime, Metric, OpTime, ToolReport
from evaluator.profiling.report import SHOWN, profile_lines

METRIC = Metric("launch__registers_per_thread", "launch", "registers a thread", 40.0, "register/thread")
FOUND = Profile(
    "large",
    "float32[4096, 4096]",
    3,
    tools=(
        ToolReport(Profiler.TORCH, True, seconds=4.2, left_out=("trace.json.gz: more than 8 MiB", "a thing")),
        ToolReport(Profiler.NCU, True, seconds=5.0),
        ToolReport(Profiler.NSYS, False, "nsys is not installed"),
    ),
    ops=tuple(OpTime(f"aten::op{number}", 3, 1.0, 2.0, 9.0, 9.0) for number in range(20)),
    kernels=(KernelMetrics("kernel", 2, "(64, 1, 1)", "(128, 1, 1)", 12.3, (METRIC,)),),
    code=(KernelCode("kernel", "abababab", False, "sm_90a", 40, 24, 0),),
    timeline=(KernelTime("kernel", 3, 36.9, 12.3, 12.0, 12.6),),
    energy=Energy(0.0009, 301.5, 1000, 3.0),
    sandbox={"network_namespace": "active", "cgroup": "unavailable: none"},
)


def test_each_tool_and_what_it_found() -> None:
    text = "\n".join(profile_lines(FOUND))

    for said in (
        "profile of case large: float32[4096, 4096]",
        "torch_profiler: 4.2 s",
        "left out: trace.json.gz: more than 8 MiB; a thing",
        "in a sandbox of its own: network_namespace active, cgroup unavailable: none",
        "nsys: unavailable: nsys is not installed",
        "9.0 µs on the device, 1.0 µs on the CPU, 3 times",
        "kernel: 2 launches, 12.30 µs in all, grid (64, 1, 1), block (128, 1, 1)",
        "launch, registers a thread: 40 register/thread",
        "kernel abababab (compiled, not run): sm_90a, 40 registers, 24 bytes of spill stores, 0 bytes of spill loads",
        "joules_per_call: 0.0009",
        "mean_watts: 301.5",
    ):
        assert said in text, said
    assert text.count("aten::op") == SHOWN


def test_a_language_model_reads_it_too() -> None:
    outcome = Outcome(Verdict.ACCEPTED, State.PROFILING, "relu", "h100", KernelType.TRITON, Mode.PROFILE, profile=FOUND)

    text = feedback(outcome)

    assert "## Profile" in text
    assert "24 bytes of spill stores" in text
    assert len(text) < DETAIL_CHARACTERS + 2000
