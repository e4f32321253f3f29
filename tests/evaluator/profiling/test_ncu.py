"""How Nsight Compute is called, and how its refusals read."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from evaluator.profiling import ncu, ncu_csv, nsys, tools
from evaluator.profiling.ncu_metrics import EXTRA, SECTIONS
from evaluator.profiling.steps import TARGET

PROGRAM = Path("/opt/tools/ncu")


def test_clocks_are_left_alone_and_only_the_calls_are_profiled() -> None:
    command = ncu.collect(PROGRAM, extra=True)

    pairs = dict(itertools.pairwise(command))
    assert command[0] == str(PROGRAM)
    assert (pairs["--clock-control"], pairs["--cache-control"], pairs["--profile-from-start"]) == ("none", "all", "off")
    assert pairs["--launch-count"] == str(ncu_csv.MOST_LAUNCHES)
    assert [command[at + 1] for at, part in enumerate(command) if part == "--section"] == list(SECTIONS)
    assert pairs["--metrics"].split(",") == list(EXTRA)
    assert tuple(command[-6:]) == TARGET


def test_without_metrics_that_a_gpu_does_not_know() -> None:
    assert "--metrics" not in ncu.collect(PROGRAM, extra=False)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters", "ERR_NVGPUCTRPERM"),
        ("==PROF== Connected to process 7\n==WARNING== No kernels were profiled.\n", "no kernels were profiled"),
        (
            "==PROF== Connected\n==ERROR== Failed to prepare kernel\x1b[0m for profiling\n",
            "Failed to prepare kernel\ufffd[0m for profiling",
        ),
        ("==PROF== Connected to process 7\n==PROF== Disconnected from process 7\n", ""),
        ("", ""),
    ],
)
def test_refusals(log: str, said: str) -> None:
    found = ncu.explain(log)

    assert found.startswith(said)
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("log", "unknown"),
    [
        ("==ERROR== Failed to find metric sm__nothing.avg\n", True),
        ("==ERROR== Option '--metrics': Metric dram__bytes_read.sum is not available on this chip", True),
        ("==ERROR== ERR_NVGPUCTRPERM", False),
    ],
)
def test_metrics_that_a_gpu_does_not_know(log: str, unknown: bool) -> None:
    assert ncu.unknown_metric(log) is unknown


@pytest.mark.parametrize(
    ("text", "restricted"), [("A: 1\nRmProfilingAdminOnly: 1\nB: 0\n", True), ("RmProfilingAdminOnly: 0\n", False), ("", False)]
)
def test_counters_for_administrators(tmp_path: Path, text: str, restricted: bool) -> None:
    (tmp_path / "params").write_text(text)

    assert tools.counters_are_restricted(tmp_path / "params") is restricted


def test_a_driver_that_says_nothing(tmp_path: Path) -> None:
    assert tools.counters_are_restricted(tmp_path / "none") is False


def test_nothing_of_the_cpu_is_sampled_by_nsight_systems() -> None:
    command = nsys.collect(Path("/opt/tools/nsys"))

    assert {"--sample=none", "--cpuctxsw=none", "--capture-range=cudaProfilerApi"} <= set(command)
