"""`python -m evaluator` as a person or a script uses it: real processes, exit codes, JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from evaluator.calibration import store
from evaluator.calibration.record import Calibration, Figure, fingerprint
from evaluator.contract import KernelType, Mode, Outcome, Policy, State, Verdict, from_json
from evaluator.judge import environment
from evaluator.ops.registry import all_ops, get

ROOT = Path(__file__).parents[2]
GOOD = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.relu(x)\n"
WRONG = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.relu(x) + 1\n"
ACCEPTED, NOT_ACCEPTED, USAGE, OURS = 0, 1, 2, 3


def evaluator(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it in the repository's root."""
    command = [sys.executable, "-m", "evaluator", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, timeout=170)


@pytest.fixture
def write(tmp_path: Path) -> typing.Callable[[str | bytes], Path]:
    def write(source: str | bytes) -> Path:
        path = tmp_path / "kernel.py"
        path.write_bytes(source if isinstance(source, bytes) else source.encode())
        return path

    return write


Write = typing.Callable[[str | bytes], Path]


def calibrated(folder: Path) -> str:
    """A calibration of this machine's CPU, as `calibrate` would have kept it."""
    figures = {"copy": (Figure("copy", 1e10, 1e10, 1e10, 5),)}
    now = fingerprint(environment.snapshot("cpu", None))
    store.save(Calibration("cpu", "2026-11-21T12:00:00+00:00", 1.0, now, bytes_per_s=figures), "cpu", folder)
    return str(folder)


def test_good_kernel_timed(write: Write, tmp_path: Path) -> None:
    out, samples = tmp_path / "outcome.json", tmp_path / "samples.csv"
    run = ("run", write(GOOD), "--op", "relu", "--device", "cpu", "--json", out, "--samples", samples, "--limit", "timing_case_s=0.3")

    done = evaluator(*run, KB_CALIBRATION_DIR=calibrated(tmp_path / "calibration"))

    outcome = from_json(Outcome, json.loads(out.read_text()))
    assert outcome.mode is Mode.BENCHMARK
    assert outcome.verdict in (Verdict.ACCEPTED, Verdict.SUSPECT), done.stdout  # a busy machine can make two clocks disagree
    assert done.returncode == (ACCEPTED if outcome.verdict is Verdict.ACCEPTED else NOT_ACCEPTED)
    assert outcome.timing is not None
    assert outcome.performance_score == outcome.timing.speedup
    assert all(case.timing for case in outcome.cases if case.kind == "performance")
    raw = json.loads(out.read_text())
    wanted = "verdict stage reasons correctness_score performance_score cases timing environment sandbox evaluator_version"
    assert set(wanted.split()) <= set(raw)
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines() if line.count(": ") == 1 and not line.startswith(" "))
    assert float(lines["correctness_score"]) == 1
    assert float(lines["baseline_ms"]) > 0
    assert float(lines["optimized_ms"]) > 0
    assert "speedup: " in done.stdout
    assert "% of what was measured here (bytes)" in done.stdout
    timed = [case for case in outcome.cases if case.timing is not None]
    limits = [case.timing.limit for case in timed if case.timing is not None]
    assert all(limit is not None and limit.table is None and limit.least_us is None for limit in limits)
    assert all(limit is not None and limit.calibrated and limit.calibrated.bytes_per_s == 1e10 for limit in limits)
    written = samples.read_text().splitlines()
    assert written[0] == "case,side,number,time_us"
    assert len(written) - 1 == sum(len(c.timing.samples_us) + len(c.timing.baseline_samples_us) for c in timed if c.timing)


def test_good_kernel_checked_only(write: Write) -> None:
    done = evaluator("run", write(GOOD), "--op", "relu", "--device", "cpu", "--mode", "test", "--json", "-")

    assert done.returncode == ACCEPTED, done.stderr
    outcome = from_json(Outcome, json.loads(done.stdout))  # nothing else is on standard output
    assert (outcome.verdict, outcome.kernel_type, outcome.timing) == (Verdict.ACCEPTED, KernelType.TORCH, None)
    assert outcome.correctness_score == 1


def test_the_other_policy_takes_more_and_says_so(write: Write, tmp_path: Path) -> None:
    out = tmp_path / "outcome.json"
    source = GOOD.replace("torch.relu(x)", "torch.relu(x) + 0.005")

    done = evaluator("run", write(source), "--op", "relu", "--device", "cpu", "--mode", "test", "--policy", "backendbench", "--json", out)

    outcome = from_json(Outcome, json.loads(out.read_text()))
    assert (done.returncode, outcome.verdict, outcome.policy) == (ACCEPTED, Verdict.ACCEPTED, Policy.BACKENDBENCH), done.stdout
    assert "policy: backendbench" in done.stdout.splitlines()
    assert {case.tolerance for case in outcome.cases if case.max_abs} == {0.01}
    assert all(case.oracle == "" for case in outcome.cases)


def test_wrong_kernel_and_the_command_that_repeats_it(write: Write) -> None:
    first = evaluator("run", write(WRONG), "--op", "relu", "--device", "cpu", "--mode", "test")

    assert first.returncode == NOT_ACCEPTED
    assert "verdict: wrong_result" in first.stdout
    assert "expected" in first.stdout
    assert "got" in first.stdout
    line = next(line for line in first.stdout.splitlines() if line.strip().startswith("reproduce: "))  # the worst case comes first
    command = line.partition("python -m evaluator ")[2].replace("FILE", str(write(WRONG))).split()

    again = evaluator(*command, "--device", "cpu")

    assert again.returncode == NOT_ACCEPTED
    found = wrong_elements(again.stdout)
    assert found
    assert found == wrong_elements(first.stdout)[: len(found)]


def wrong_elements(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line.startswith("    [") and ": expected" in line]


def test_source_that_does_not_parse(write: Write) -> None:
    done = evaluator("run", write("def relu_kernel_impl(x:\n"), "--op", "relu", "--device", "cpu", "--json", "-")

    outcome = from_json(Outcome, json.loads(done.stdout))
    assert done.returncode == NOT_ACCEPTED
    assert (outcome.verdict, outcome.stage) == (Verdict.COMPILE_ERROR, State.BUILDING)


def test_limits_can_be_set(write: Write) -> None:
    source = "def relu_kernel_impl(x):\n    while True: pass\n"

    done = evaluator("run", write(source), "--op", "relu", "--device", "cpu", "--mode", "test", "--limit", "check_s=1", "--json", "-")

    assert done.returncode == NOT_ACCEPTED
    assert from_json(Outcome, json.loads(done.stdout)).verdict is Verdict.TIMEOUT


@pytest.mark.parametrize(
    ("source", "arguments", "words"),
    [
        (GOOD, ["--op", "reluu"], "relu"),
        (GOOD, [], "--op"),
        (GOOD, ["--op", "relu", "--mode", "fast"], "fast"),
        (GOOD, ["--op", "relu", "--policy", "lenient"], "lenient"),
        (GOOD, ["--op", "relu", "--type", "fortran"], "fortran"),
        (GOOD, ["--op", "relu", "--device", "cuda:99"], "GPU"),
        (GOOD, ["--op", "relu", "--device", "tpu"], "tpu"),
        (GOOD, ["--op", "relu", "--seed", "one"], "seed"),
        (GOOD, ["--op", "relu", "--device", "cpu", "--limit", "check=1"], "check_s"),
        (GOOD, ["--op", "relu", "--device", "cpu", "--limit", "check_s=-1"], "positive"),
        (GOOD, ["--op", "relu", "--device", "cpu", "--type", "cuda"], "cuda"),
        (GOOD, ["--op", "relu", "--device", "cpu", "--json", "/proc/nowhere/out.json"], "cannot be written"),
        ("", ["--op", "relu"], "empty"),
        (" \n", ["--op", "relu"], "empty"),
        (b"\xff\xfe", ["--op", "relu"], "UTF-8"),
        ("x = 1\x00", ["--op", "relu"], "NUL"),
        ("#" * (1024 * 1024 + 1), ["--op", "relu"], "1048576"),
    ],
)
def test_usage_errors(write: Write, capsys: pytest.CaptureFixture[str], source: str | bytes, arguments: list[str], words: str) -> None:
    from evaluator.cli import main

    try:
        code = main(["run", str(write(source)), *arguments])
    except SystemExit as ended:  # argparse's own
        code = typing.cast("int", ended.code)

    shown = capsys.readouterr()
    assert code == USAGE
    assert words in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_usage_errors_end_the_process_with_2(tmp_path: Path) -> None:
    done = evaluator("run", tmp_path / "missing.py", "--op", "relu")

    assert done.returncode == USAGE
    assert "missing.py cannot be read: No such file or directory" in done.stderr
    assert evaluator().returncode == USAGE


def test_what_fails_on_our_side_ends_with_3(write: Write) -> None:
    done = evaluator("run", write(GOOD), "--op", "relu", "--device", "cpu", KB_LOCK_DIR="/proc/nowhere")

    assert done.returncode == OURS
    assert "infrastructure error" in done.stderr
    assert "KB_LOCK_DIR" in done.stderr
    assert "verdict" not in done.stdout


def test_ops_as_json() -> None:
    done = evaluator("ops", "--json")

    rows = json.loads(done.stdout)
    assert done.returncode == ACCEPTED
    assert [row["slug"] for row in rows] == [op.slug for op in all_ops()]
    assert all(row["entry_point"] == get(row["slug"]).entry_point for row in rows)


def test_ops_for_a_person() -> None:
    done = evaluator("ops", "--suite", "core")

    assert done.returncode == ACCEPTED
    assert [line.split()[0] for line in done.stdout.splitlines()] == [op.slug for op in all_ops("core")]
