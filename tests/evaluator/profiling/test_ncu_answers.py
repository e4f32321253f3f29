"""Answers of Nsight Compute. A program that answers as the tool does stands in for it, in the real sandbox for profilers."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.contract import Limits
from evaluator.ops.registry import get
from evaluator.profiling import ncu, tools
from evaluator.profiling.artefacts import Shelf, read
from evaluator.profiling.job import Job, prepare
from evaluator.profiling.running import Means, ToolFailed
from evaluator.sandbox import Sandbox, bubblewrap

CSV = """==PROF== Disconnected from process 7
"ID","Process ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","launch__registers_per_thread"
"","","","","","second","register/thread"
"0","7","relu_kernel","(128, 1, 1)","(64, 1, 1)","0.0000123","1,040"
"""
TOOL = """#!{python}
import sys
arguments = sys.argv[1:]
if "--import" in arguments:
    print(open("report.ncu-rep").read(), end="")
elif "--metrics" in arguments and {picky}:
    raise SystemExit("==ERROR== Failed to find metric dram__bytes_read.sum")
else:
    job, inputs, _ = open(arguments[-3]).read(), open(arguments[-2], "rb").read(8), open(arguments[-1], "rb").read(8)
    open("report.ncu-rep", "w").write({csv!r}) if {csv!r} else None
    print({log!r}, len(job) > 100, len(inputs))
"""


@pytest.fixture(autouse=True)
def namespaces(needs: Callable[[object, str], None]) -> None:
    needs(bubblewrap.find(), "bubblewrap")


@pytest.fixture
def job() -> Iterator[Job]:
    """Inputs in memory of this host; the GPU that they would be copied to is the tool's business."""
    op = get("relu")
    job = prepare(op, op.performance_cases("cpu")[0], "source", "relu.py", "cpu", interpreted=False)
    yield dataclasses.replace(job, device="cuda")
    job.close()


def look(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, job: Job, *, csv: str = CSV, log: str = "", picky: bool = False) -> Shelf:
    folder, kept = tmp_path / "tool", tmp_path / "kept"
    for made in (folder, kept):
        made.mkdir()
        made.chmod(0o755)
    for part in ncu.LAYOUT:
        (folder / part).mkdir()
    program = folder / "ncu"
    program.write_text(TOOL.format(python=sys.executable, csv=csv, log=log, picky=picky))
    program.chmod(0o755)
    monkeypatch.setattr(tools, "find", lambda _name: program)
    monkeypatch.setattr(tools, "counters_are_restricted", lambda: False)
    shelf, sandbox = Shelf(kept), Sandbox("best-effort")
    looked = ncu.look(Means(sandbox, sandbox, None, Limits(), lambda: False), job, shelf, 30)
    (kernel,) = looked.kernels
    assert (kernel.name, kernel.launches, kernel.metrics[-1].value) == ("relu_kernel", 1, 1040.0)
    assert looked.layers["network_namespace"] == "active"
    return shelf


@pytest.mark.parametrize("picky", [False, True], ids=["all metrics", "a metric that this GPU does not know"])
def test_metrics_and_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, job: Job, picky: bool) -> None:
    shelf = look(monkeypatch, tmp_path, job, picky=picky)

    metrics, report = read(tmp_path / "kept", shelf.notes)
    assert metrics.data.decode().splitlines()[1] == 'relu_kernel,0,"(64, 1, 1)","(128, 1, 1)",gpu__time_duration.sum,1.23e-05,second'
    assert (report.note.name, report.data.decode()) == ("ncu.ncu-rep", CSV)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "ERR_NVGPUCTRPERM: the driver lets only administrators"),
        ("==WARNING== No kernels were profiled.", "no kernels were profiled"),
        ("nothing that anybody knows", "its answer cannot be read: no table"),
    ],
)
def test_refusals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, job: Job, log: str, why: str) -> None:
    with pytest.raises(ToolFailed, match=why):
        look(monkeypatch, tmp_path, job, csv="", log=log)
