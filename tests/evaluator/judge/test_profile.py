"""Mode `profile` from the source to the outcome: torch's profiler really runs, in the real sandbox, after the kernel was timed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from evaluator.contract import Event, Mode, Outcome, Profiler, State, Verdict, from_json, to_json
from evaluator.profiling.artefacts import read
from evaluator.report import outcome_lines
from tests.evaluator.judge.conftest import Judged
from tests.evaluator.judge.kernels import GOOD


@pytest.mark.slow
def test_a_profile_of_a_good_kernel(evaluate: Judged, tmp_path: Path) -> None:
    events: list[Event] = []

    outcome = evaluate(GOOD, mode=Mode.PROFILE, artefacts=tmp_path, emit=events.append)

    assert (outcome.verdict, outcome.stage) == (Verdict.ACCEPTED, State.PROFILING)
    assert [e.data["stage"] for e in events if e.kind == "stage"] == ["checking", "timing", "profiling"]
    assert outcome.timing is not None
    profile = outcome.profile
    assert profile is not None
    assert [(report.tool, report.available) for report in profile.tools] == [(tool, tool is Profiler.TORCH) for tool in Profiler]
    relu = next(op for op in profile.ops if op.name == "aten::relu")
    assert relu.count == profile.calls == 3
    table, trace = read(tmp_path, profile.artefacts)
    assert b"aten::relu" in table.data
    assert "aten::relu" in {event.get("name") for event in json.loads(gzip.decompress(trace.data))["traceEvents"]}
    assert from_json(Outcome, json.loads(json.dumps(to_json(outcome)))).profile == profile
    lines = list(outcome_lines(outcome))
    assert any("ncu: unavailable: " in line for line in lines)
    assert any(line.startswith("kernel_time_ms: ") for line in lines)
