"""Nsight Compute: hardware counters of each kernel of a call.

Clocks stay as they are (`--clock-control none`), so that a profile shows the clocks at which the kernel was timed and nothing of the
device changes for others. Caches are flushed before each pass (`--cache-control all`): timed calls start behind a flush as well, and
without it every pass but the first would find its data in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.profiles import ArtefactKind, KernelMetrics
from evaluator.profiling import bounded, ncu_csv, tools
from evaluator.profiling.artefacts import Shelf
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.job import Job
from evaluator.profiling.ncu_metrics import EXTRA, SECTIONS
from evaluator.profiling.running import LEAST_S, Means, ToolFailed
from evaluator.profiling.shown import folder_of
from evaluator.profiling.steps import TARGET, Ran, Step, run
from evaluator.sandbox.profilers import profiler_sandbox, proven

METRICS, REPORT = "ncu.csv", "ncu.ncu-rep"
MOST_REPORT_BYTES = 8 << 20
LAYOUT = ("sections", "target")
"""What lies beside the program in a folder of Nsight Compute."""
_LOG, _RAW, _REPORT = "collect.log", "raw.csv", "report.ncu-rep"
_TAKE = {_LOG: 256 << 10, _RAW: ncu_csv.MOST_BYTES, _REPORT: MOST_REPORT_BYTES}
_READING_S = 15.0
RESTRICTED = (
    "ERR_NVGPUCTRPERM: the driver lets only administrators read performance counters, and submitted code never is one. "
    "An administrator can load it with NVreg_RestrictProfilingToAdminUsers=0"
)


@dataclass(frozen=True, slots=True)
class Looked:
    """Metrics of the kernels of one call, slowest first, and the layers of the sandbox that it ran in."""

    kernels: tuple[KernelMetrics, ...]
    layers: Mapping[str, str]


def look(means: Means, job: Job, shelf: Shelf, timeout_s: float) -> Looked:
    """Look at one call. Raises `ToolFailed`."""
    if job.device == "cpu":
        raise ToolFailed("Nsight Compute looks at GPUs, and this is a CPU")
    program = tools.find("ncu")
    if program is None:
        raise ToolFailed("ncu is not installed")
    if tools.counters_are_restricted():
        raise ToolFailed(RESTRICTED)
    end = time.monotonic() + timeout_s
    folder = folder_of(program, 0, LAYOUT)
    proof = proven(means.sandbox.mode, means.gpu_index, timeout_s)
    if proof.proven is False:
        raise ToolFailed(f"the sandbox for profilers does not hold: {proof.detail}")
    ran = _run(means, job, program, folder, end - time.monotonic(), extra=True)
    left_s = end - time.monotonic()
    if _REPORT not in ran.files and unknown_metric(_log(ran)) and left_s >= LEAST_S:
        ran = _run(means, job, program, folder, left_s, extra=False)
    ran.check()
    try:
        found = ncu_csv.launches(ran.text(_RAW))
    except Unreadable as error:
        raise ToolFailed(explain(_log(ran)) or f"its answer cannot be read: {error}") from error
    if not found:
        raise ToolFailed(explain(_log(ran)) or "no kernels were profiled: the call launched none")
    metrics, without_room = ncu_csv.rewritten(found)
    shelf.put(METRICS, ArtefactKind.NCU_METRICS, metrics)
    if without_room:
        shelf.leave_out(f"{METRICS}: its last {without_room} metrics")
    shelf.put(REPORT, ArtefactKind.NCU_REPORT, ran.files.get(_REPORT, b""))
    if _REPORT in ran.too_large:
        shelf.leave_out(f"{REPORT}: more than {MOST_REPORT_BYTES >> 20} MiB")
    return Looked(ncu_csv.summary(found), ran.layers)


def collect(program: Path, *, extra: bool) -> list[str]:
    """The command that profiles the target into `report.ncu-rep`."""
    sections = [part for section in SECTIONS for part in ("--section", section)]
    return [
        str(program),
        *("--config-file", "off", "--target-processes", "application-only", "--profile-from-start", "off"),
        *("--clock-control", "none", "--cache-control", "all", "--launch-count", str(ncu_csv.MOST_LAUNCHES)),
        *sections,
        *(("--metrics", ",".join(EXTRA)) if extra else ()),
        *("--force-overwrite", "--export", "report"),
        *TARGET,
    ]


def read_report(program: Path) -> list[str]:
    """The command that writes the report as CSV, values in base units."""
    return [str(program), "--import", _REPORT, "--page", "raw", "--csv", "--print-units", "base"]


def explain(log: str) -> str:
    """Why there is no profile, in words for a person, from what the tool printed; "" when it printed no error."""
    if "ERR_NVGPUCTRPERM" in log:
        return RESTRICTED
    if "no kernels were profiled" in log.lower():
        return "no kernels were profiled: the call launched none between start and stop of the profiler"
    error = next((line for line in log.splitlines() if line.startswith("==ERROR==")), "")
    return bounded.text(error.removeprefix("==ERROR==").strip())


def unknown_metric(log: str) -> bool:
    """Whether the tool refused because it does not know a metric that was asked for by name."""
    lowered = log.lower()
    return "failed to find metric" in lowered or ("metric" in lowered and "not available on" in lowered)


def _run(means: Means, job: Job, program: Path, folder: Path, timeout_s: float, *, extra: bool) -> Ran:
    reading_s = min(_READING_S, timeout_s / 3)
    return run(
        means,
        [Step(collect(program, extra=extra), timeout_s - reading_s, _LOG), Step(read_report(program), reading_s, _RAW)],
        _TAKE,
        timeout_s=timeout_s,
        files=[("job.json", job.question(calls=1))],
        job=job,
        sandbox=profiler_sandbox(means.sandbox.mode, means.gpu_index),
        readable=[folder],
    )


def _log(ran: Ran) -> str:
    return ran.files.get(_LOG, b"").decode("utf-8", "replace")
