"""Baselines by external commands: real processes, told by their environment what to time, and every way in which they can fail."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.baselines.external import WrongVariable, command_sha256, measured_by_a_command, timeout_of
from evaluator.baselines.figures import Clock, Figures, Status
from evaluator.baselines.place import Place
from evaluator.ops.recorded import from_document
from evaluator.ops.registry import get
from tests.evaluator.recorded.offers import softmax_document

PRINTS = """
import json, os
print(json.dumps({{"status": "ok", "latency_ms": {{"mean": 2, "p50": {p50}, "p95": 3, "min": 1, "max": 4}},
                  "throughput_tokens_per_sec": None, "peak_memory_bytes": 7}}))
"""
KEEPS_WHAT_IT_IS_TOLD = """
import json, os, pathlib
told = {name: value for name, value in os.environ.items()}
told["reference"] = pathlib.Path(told["KB_BENCH_REFERENCE"]).read_text()
with open(os.environ["SEEN"], "a") as file:
    file.write(json.dumps(told) + "\\n")
"""
Measure = Callable[..., Figures]


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Run a Python script as TVM's command for softmax on the CPU."""
    monkeypatch.setenv("KB_LOCK_DIR", str(tmp_path / "locks"))

    def measure(code: str | None, *, command: str = "", timeout_s: float = 60, **variables: str) -> Figures:
        script = tmp_path / "bench.py"
        if code is not None:
            script.write_text(code)
            command = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(script))} --json"
        environ = {"PATH": os.environ["PATH"], "TVM_BENCH_CMD": command, **variables}
        return measured_by_a_command(get("softmax"), Place("cpu"), "tvm", environ, {"torch": "2.13.0"}, timeout_s)

    return measure


def test_every_performance_case_is_timed_by_a_process_of_its_own(measure: Measure) -> None:
    found = measure(PRINTS.format(p50=2))

    names = [case.name for case in get("softmax").performance_cases("cpu")]
    assert (found.status, found.clock, found.why) == (Status.OK, Clock.OWN, "")
    assert [case.name for case in found.cases] == names
    assert found.time_us == pytest.approx(2000)
    assert (found.cases[0].min_us, found.cases[0].p95_us, found.cases[0].peak_memory_bytes) == (1000, 3000, 7)
    assert (found.speedup, found.low, found.environment) == (None, None, {"torch": "2.13.0"})


def test_a_command_is_told_the_case_and_gets_no_secret(measure: Measure, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    secrets = {"DATABASE_URL": "postgresql://secret", "KB_TOKEN": "secret", "DJANGO_SECRET_KEY": "secret"}

    measure(KEEPS_WHAT_IT_IS_TOLD + PRINTS.format(p50=1), SEEN=str(seen), MINE="kept", **secrets)

    case = get("softmax").performance_cases("cpu")[0]
    told = [json.loads(line) for line in seen.read_text().splitlines()]
    first = told[0]
    assert len(told) == len(get("softmax").performance_cases("cpu"))
    assert "secret" not in json.dumps(told)
    assert first["MINE"] == "kept"
    assert (first["KB_BENCH_OP"], first["KB_BENCH_DEVICE"], first["KB_BENCH_HARDWARE"]) == ("softmax", "cpu", "cpu")
    assert first["KB_BENCH_PRECISION"] == "ieee_fp32"
    assert json.loads(first["KB_BENCH_SHAPES"]) == [list(case.tensors[0].shape)]
    assert json.loads(first["KB_BENCH_DTYPES"]) == ["float32"]
    described = json.loads(first["KB_BENCH_CASE"])
    assert (described["name"], described["args"][1]) == (case.name, case.args[1])
    assert described["args"][0]["tensor"]["shape"] == list(case.tensors[0].shape)
    assert "def softmax_reference" in first["reference"]
    assert not Path(first["KB_BENCH_REFERENCE"]).exists()


@pytest.mark.parametrize(
    ("code", "command", "said"),
    [
        (None, "", "TVM_BENCH_CMD is not set"),
        (None, "   ", "TVM_BENCH_CMD is not set"),
        (None, "tvm 'unclosed", "TVM_BENCH_CMD is no command line: No closing quotation"),
        (None, "/nowhere/tvm-bench --json", "/nowhere/tvm-bench cannot be run: No such file or directory"),
        ("import sys; print('cannot load libtvm.so', file=sys.stderr); sys.exit(4)", "", "status 4\nit said: cannot load libtvm.so"),
        ("import os; os.kill(os.getpid(), 9)", "", "was ended by signal 9"),
        (PRINTS.format(p50=2) + "raise SystemExit(1)", "", "exited with status 1"),
        ("print('hello')", "", "it printed no JSON object\nits output ends with: hello"),
        (PRINTS.format(p50=9), "", "latency_ms is out of order"),
        ('print(\'{"status": "unavailable", "reason": "no GPU"}\')', "", "it says status 'unavailable': no GPU"),
    ],
)
def test_whatever_fails_is_unavailable_and_says_why(measure: Measure, code: str | None, command: str, said: str) -> None:
    found = measure(code, command=command)

    assert (found.status, found.time_us, found.cases) == (Status.UNAVAILABLE, None, ())
    assert said in found.why
    assert found.environment == {"torch": "2.13.0"}


def test_past_the_time_limit_the_end_of_what_it_said_is_kept(measure: Measure) -> None:
    found = measure("import sys, time; print('tuning', file=sys.stderr, flush=True); time.sleep(60)", timeout_s=1)

    assert "did not end within 1 s and was killed\nit said: tuning" in found.why


def test_an_assignment_before_the_command_is_refused_without_a_word_of_it(measure: Measure) -> None:
    found = measure(None, command="TOKEN=secret tvm-bench --json")

    assert found.status is Status.UNAVAILABLE
    assert found.why.startswith("TVM_BENCH_CMD begins with an assignment")
    assert "secret" not in found.why
    assert "TOKEN" not in found.why


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "301", "1e9"])
def test_a_time_limit_that_is_none_is_named(text: str) -> None:
    with pytest.raises(WrongVariable, match="KB_BENCH_TIMEOUT_S"):
        timeout_of({"KB_BENCH_TIMEOUT_S": text})


def test_an_op_without_performance_cases_is_not_timed(measure: Measure, tmp_path: Path) -> None:
    document: dict[str, Any] = softmax_document()
    document["cases"] = [case for case in document["cases"] if case["kind"] == "correctness"]

    found = measured_by_a_command(from_document(document), Place("cpu"), "tvm", {"TVM_BENCH_CMD": "true"}, {})

    assert "no performance case" in found.why


def test_commands_are_told_apart_without_showing_them() -> None:
    first, second = (command_sha256("tvm", {"TVM_BENCH_CMD": line}) for line in ("tvm --key secret", "tvm --key other"))

    assert first != second
    assert len(first) == 64
    assert command_sha256("tvm", {}) == command_sha256("torch_compile", {"TVM_BENCH_CMD": "x"}) == ""
