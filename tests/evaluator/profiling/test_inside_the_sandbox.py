"""Profilers that really run, in the real sandbox: a kernel that lies, one that never ends, one that is called again and again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.contract import Limits
from evaluator.ops.registry import get
from evaluator.profiling import energy, torch_profiler
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.job import Job, prepare
from evaluator.profiling.running import Means, ToolFailed
from evaluator.sandbox import Sandbox

pytestmark = pytest.mark.slow
HONEST = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.relu(x)\n"
LIAR = """
import os
import struct

def relu_kernel_impl(x):
    header = b'[["ops.json", 99999999]]'
    for number in range(3, 32):
        try:
            os.pwrite(number, b"KBA1" + struct.pack(">I", len(header)) + header, 0)
        except OSError:
            pass
    os._exit(0)
"""
ENDLESS = "def relu_kernel_impl(x):\n    while True:\n        pass\n"


@pytest.fixture
def means() -> Means:
    sandbox = Sandbox("best-effort")
    return Means(sandbox, sandbox, None, Limits(), lambda: False)


@pytest.fixture
def jobs() -> Iterator[list[Job]]:
    made: list[Job] = []
    yield made
    for job in made:
        job.close()


def job_of(source: str, jobs: list[Job]) -> Job:
    op = get("relu")
    case = min(op.performance_cases("cpu"), key=lambda case: case.tensors[0].shape)
    jobs.append(prepare(op, case, source, "relu.py", "cpu", interpreted=False))
    return jobs[-1]


def test_a_kernel_that_forges_the_answer(means: Means, jobs: list[Job], tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="its answer cannot be read: "):  # why, depends on which of our files it hit
        torch_profiler.look(means, job_of(LIAR, jobs), Shelf(tmp_path), 60)

    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_never_ends(means: Means, jobs: list[Job]) -> None:
    started = time.monotonic()

    with pytest.raises(ToolFailed, match="longer than 4 s") as failed:
        torch_profiler.look(means, job_of(ENDLESS, jobs), Shelf(None), 4)

    assert failed.value.hard
    assert time.monotonic() - started < 30


def test_a_loop_is_measured_between_two_readings(means: Means, jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    """The meter stands in for a board that draws 100 W; the process that loops is real."""
    monkeypatch.setattr(energy, "nvml_meter", lambda _index: contextlib.nullcontext(lambda: 100 * time.monotonic()))
    monkeypatch.setattr(energy, "LOOP_S", 0.3)
    on_a_board = Means(means.sandbox, means.plain, 0, means.limits, means.cancelled)

    found = energy.look(on_a_board, job_of(HONEST, jobs), 60)

    assert found.calls > 1
    assert found.mean_watts == pytest.approx(100, rel=0.05)
    assert found.joules_per_call == pytest.approx(100 * found.seconds / found.calls, rel=0.05)
