"""Baselines on a real GPU: torch.compile in the sandbox, timed beside torch eager, and an external command on the same GPU."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.baselines.figures import Figures, Status
from evaluator.baselines.fingerprint import PARTS
from evaluator.baselines.measure import Session
from evaluator.baselines.place import Place, place_of
from evaluator.ops.registry import get
from evaluator.runners.local import LocalRunner

pytestmark = pytest.mark.alone

TOOL = """
import json, os, statistics, runpy, torch
reference = runpy.run_path(os.environ["KB_BENCH_REFERENCE"])["reference"]
assert os.environ["KB_BENCH_DEVICE"] == "cuda" and torch.cuda.device_count() == 1
shape = json.loads(os.environ["KB_BENCH_SHAPES"])[0]
x = torch.randn(shape, device="cuda").to(getattr(torch, json.loads(os.environ["KB_BENCH_DTYPES"])[0]))
times = []
for _ in range(30):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(); reference(x, -1); end.record(); torch.cuda.synchronize()
    times.append(start.elapsed_time(end))
times = sorted(times)
latency = {"mean": statistics.fmean(times), "p50": statistics.median(times), "p95": times[28], "min": times[0], "max": times[-1]}
memory = torch.cuda.max_memory_allocated()
print(json.dumps({"status": "ok", "latency_ms": latency, "throughput_tokens_per_sec": None, "peak_memory_bytes": memory}))
"""


@pytest.fixture(scope="module")
def place() -> Place:
    return place_of("cuda:0")


@pytest.fixture(scope="module")
def runner(place: Place) -> Iterator[LocalRunner]:
    runner = LocalRunner(place.device, gpu_index=place.gpu_index)
    yield runner
    runner.close()


def measured(place: Place, runner: LocalRunner, slug: str, names: tuple[str, ...], **environ: str) -> dict[str, Figures]:
    session = Session(place, runner, {**os.environ, **environ}, say=print)
    return {figures.name: figures for figures in session.measure(get(slug), names)}


@pytest.mark.parametrize("slug", ["softmax", "gelu", "mm", "layer_norm", "adamw_step"])
def test_torch_compile_works_in_the_sandbox_and_is_timed_beside_torch_eager(place: Place, runner: LocalRunner, slug: str) -> None:
    found = measured(place, runner, slug, ("torch_eager", "torch_compile"))

    compiled, eager = found["torch_compile"], found["torch_eager"]
    assert compiled.status is Status.OK, compiled.why
    assert len(compiled.cases) == len(get(slug).performance_cases(place.device))
    assert all(case.low is not None and case.high is not None and case.low <= (case.speedup or 0) <= case.high for case in compiled.cases)
    assert eager.time_us == compiled.eager_us
    assert {name for name in PARTS if compiled.environment.get(name) is None} <= {"triton"}


def test_a_fused_op_gains_by_being_compiled(place: Place, runner: LocalRunner) -> None:
    """GEGLU is two kernels in eager and one compiled: were it not faster, eager would have been measured as torch.compile."""
    found = measured(place, runner, "geglu", ("torch_compile",))["torch_compile"]

    assert found.status is Status.OK, found.why
    assert found.speedup is not None
    assert found.speedup > 1.1


def test_an_external_command_runs_on_the_same_gpu(place: Place, runner: LocalRunner, tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text(TOOL)
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'tool.py'))}"

    found = measured(place, runner, "softmax", ("tvm",), TVM_BENCH_CMD=command)["tvm"]

    assert found.status is Status.OK, found.why
    assert found.speedup is not None
    assert 0.3 < found.speedup < 10
    assert found.low is None
    assert all(case.peak_memory_bytes for case in found.cases)
