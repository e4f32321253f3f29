"""Nsight Systems, where it is installed: how long each kernel of a call ran, as its own statistics sum it up."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from evaluator.csv_cell import cell
from evaluator.profiles import ArtefactKind, KernelTime
from evaluator.profiling import bounded, ncu_csv, tools
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.job import Job
from evaluator.profiling.running import Means, ToolFailed, last_words
from evaluator.profiling.shown import folder_of
from evaluator.profiling.steps import TARGET, Step, run

STATS = "nsys-kernels.csv"
REPORT = "cuda_gpu_kern_sum"
SHOWN_KERNELS = 40
MOST_ROWS = 2000
MOST_BYTES = 2 << 20
LAYOUT = ("target-linux-*",)
"""What lies in a folder of Nsight Systems beside the one with the program."""
_LOG, _STATS = "collect.log", "stats.csv"
_TAKE = {_LOG: 256 << 10, _STATS: MOST_BYTES}
_READING_S = 15.0
_NAME, _COUNT = "Name", "Instances"
_TIMES = ("Total Time (ns)", "Med (ns)", "Min (ns)", "Max (ns)")


def look(means: Means, job: Job, shelf: Shelf, timeout_s: float) -> tuple[KernelTime, ...]:
    """Kernels by the time that they took in all. Raises `ToolFailed`."""
    if job.device == "cpu":
        raise ToolFailed("Nsight Systems would look at a GPU, and this is a CPU")
    program = tools.find("nsys")
    if program is None:
        raise ToolFailed("nsys is not installed")
    reading_s = min(_READING_S, timeout_s / 3)
    ran = run(
        means,
        [Step(collect(program), timeout_s - reading_s, _LOG), Step(read_report(program), reading_s, _STATS)],
        _TAKE,
        timeout_s=timeout_s,
        files=[("job.json", job.question())],
        job=job,
        readable=[folder_of(program, 1, LAYOUT)],
    )
    ran.check()
    try:
        found = kernels(ran.text(_STATS))
    except Unreadable as error:
        said = last_words(ran.files.get(_LOG, b"").decode("utf-8", "replace"))
        raise ToolFailed(f"it gave no statistics of kernels ({error}){f': {said}' if said else ''}") from error
    shelf.put(STATS, ArtefactKind.NSYS_STATS, rewritten(found).encode())
    return found[:SHOWN_KERNELS]


def collect(program: Path) -> list[str]:
    """The command that records the target into `timeline.nsys-rep`: CUDA alone, without samples of the CPU, which the sandbox forbids."""
    return [
        str(program),
        *("profile", "--trace=cuda", "--sample=none", "--cpuctxsw=none", "--capture-range=cudaProfilerApi"),
        *("--capture-range-end=stop", "--force-overwrite=true", "--output=timeline"),
        *TARGET,
    ]


def read_report(program: Path) -> list[str]:
    return [str(program), "stats", "--report", REPORT, "--format", "csv", "--force-export=true", "timeline.nsys-rep"]


def kernels(text: str) -> tuple[KernelTime, ...]:
    """Rows of the statistics, most time first. What the tool says before the table is left out. Raises `Unreadable`."""
    start = text.find("Time (%),")
    if start < 0:
        raise Unreadable("no table")
    rows = csv.DictReader(io.StringIO(text[start:], newline=""))
    found = []
    try:
        if not {_NAME, _COUNT, *_TIMES} <= set(rows.fieldnames or ()):
            raise Unreadable("a table without the columns of kernels")
        for number, row in enumerate(rows):
            if number >= MOST_ROWS:
                break
            found.append(_kernel(row))
    except csv.Error as error:
        raise Unreadable(f"no CSV: {error}") from error
    kept = [kernel for kernel in found if kernel is not None]
    if not kept:
        raise Unreadable("no kernels")
    return tuple(sorted(kept, key=lambda kernel: -kernel.total_us))


def _kernel(row: Mapping[str, str | None]) -> KernelTime | None:
    name, count = bounded.text(row[_NAME]), ncu_csv.number(row[_COUNT] or "")
    times = [ncu_csv.number(row[column] or "") for column in _TIMES]
    if not name or count is None or any(time is None for time in times):
        return None
    total, median, least, most = (time / 1e3 for time in times if time is not None)
    return KernelTime(name, int(count), total, median, least, most)


def rewritten(found: tuple[KernelTime, ...]) -> str:
    """The statistics as CSV of our own writing."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["kernel", "launches", "total_us", "median_us", "min_us", "max_us"])
    for kernel in found:
        name = cell(kernel.name)
        rows.writerow([name, kernel.launches, *(repr(us) for us in (kernel.total_us, kernel.median_us, kernel.min_us, kernel.max_us))])
    return written.getvalue()
