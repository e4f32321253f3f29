"""Calls under torch's profiler: `python -m evaluator.profiling.inside.torch_profiler QUESTION INPUTS COMPILED ANSWER`.

Answers `ops.json` (a row an operator) and `trace.json` (a Chrome trace), the latter left out when it is larger than `most_trace_bytes`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from evaluator.profiling.inside.archive import pack, unpack
from evaluator.profiling.inside.job import Job

_SHOWN = 200


def main() -> None:
    question, inputs, compiled, answer = (int(number) for number in sys.argv[1:5])
    asked = json.loads(unpack(question)["question.json"])
    job = Job(asked, inputs, compiled)
    cuda = job.device == "cuda"
    job.load()
    job.warm_up()
    with profile(activities=[ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]) as seen:
        for _ in range(job.calls):
            job.call()
        job.synchronize()
    events = sorted(seen.key_averages(), key=lambda event: (_on_device(event), event.self_cpu_time_total), reverse=True)
    files = [("ops.json", json.dumps([_row(event, cuda) for event in events[:_SHOWN]]).encode())]
    trace = Path("trace.json")
    seen.export_chrome_trace(str(trace))
    if trace.stat().st_size <= int(asked["most_trace_bytes"]):
        files.append(("trace.json", trace.read_bytes()))
    pack(answer, files)


def _row(event: torch.autograd.profiler_util.FunctionEventAvg, cuda: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "name": event.key,
        "count": event.count,
        "self_cpu_us": event.self_cpu_time_total,
        "cpu_us": event.cpu_time_total,
    }
    return row | ({"self_device_us": _on_device(event), "device_us": event.device_time_total} if cuda else {})


def _on_device(event: torch.autograd.profiler_util.FunctionEventAvg) -> float:
    """Time of a kernel or copy. An operator runs on the host: what it launched has rows of its own, and counts there."""
    # Not `is`: the C++ side makes a new object of the same value for each event.
    host = event.device_type == torch.autograd.DeviceType.CPU  # type: ignore[attr-defined]
    return 0.0 if host else float(event.self_device_time_total)


if __name__ == "__main__":
    main()
