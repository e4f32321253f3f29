"""`python -m evaluator bench`: the form of what it measures, never the figures, which other work on the machine decides."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from evaluator.bench.repeatability import OneRun, Repeatability
from evaluator.bench.results import ChannelCost, CheckingCost, Distribution, RepeatedCase, Report, Sequential, StageSplit, Verdicts
from evaluator.bench.sequential import TIMED, WARM_UPS, cpu_bench
from evaluator.bench.settings import SOURCES, Settings, quick
from evaluator.bench.tables import markdown
from evaluator.cli import main
from evaluator.contract import (
    CaseResult,
    CaseTiming,
    KernelType,
    Mode,
    Outcome,
    Reason,
    SampleStats,
    State,
    Verdict,
    dumps,
    from_json,
)
from evaluator.ops import registry
from evaluator.timing.stats import RatioEstimate

ROOT = Path(__file__).parents[2]
ACCEPTED, NOT_ACCEPTED, USAGE = 0, 1, 2
ONE = Distribution.of([1.0])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_smallest_bench_measures_all_five_things(tmp_path: Path) -> None:
    out, tables = tmp_path / "bench.json", tmp_path / "bench.md"
    arguments = ["--device", "cpu", "--quick", "--repeats", "1", "--op", "mm", "--json", str(out), "--markdown", str(tables)]

    done = subprocess.run(
        [sys.executable, "-m", "evaluator", "bench", *arguments], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=590
    )

    assert done.returncode in (ACCEPTED, NOT_ACCEPTED), done.stderr  # a busy machine can make two clocks disagree
    report = from_json(Report, json.loads(out.read_text()))
    assert (report.figures_from, report.device, report.quick, report.repeats) == ("cpu", "cpu", True, 1)
    assert {"torch", "python", "cpu", "evaluator"} <= set(report.environment)
    assert report.sandbox
    cases = [case.name for case in registry.get("mm").performance_cases("cpu")]
    assert [(row.op, row.case) for row in report.repeatability] == [("mm", case) for case in cases]
    assert all(row.ratio.median > 0 and row.sequential and row.sequential.method == "cpu_bench" for row in report.repeatability)
    assert report.verdicts.runs == 1
    assert (done.returncode == ACCEPTED) == (report.verdicts.accepted == 1)
    torch, triton = report.stages
    assert (torch.kernel_type, triton.kernel_type, triton.interpreted) == ("torch", "triton", True)
    assert {"building", "importing", "checking", "timing"} <= set(torch.stages_s)
    assert torch.total_s.median >= sum(stage.median for stage in torch.stages_s.values())
    assert report.channel.candidate_us.n == quick(Settings("cpu")).commands
    assert report.channel.spare_start_s.median > 0
    (checked,) = report.checking
    assert (checked.op, checked.output_bytes) == ("mm", quick(Settings("cpu")).checked_bytes)
    assert min(checked.generate_s.low, checked.oracle_s.low, checked.torch_s.low, checked.compare_s.low, checked.reading_s.low) > 0
    assert tables.read_text() == markdown(report)
    assert tables.read_text() in done.stdout
    assert "A/A 1/1 mm" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--repeats", "0"], "1 to 1000"),
        (["--repeats", "many"], "1 to 1000"),
        (["--repeats", "²"], "1 to 1000"),
        (["--op", "gelu"], "softmax"),
        (["--device", "tpu"], "tpu"),
        (["--device", "cuda:99"], "GPU"),
        (["--device", "cuda:²"], "cuda:N"),
        (["--device", "cpu", "--json", "/proc/nowhere/out.json"], "cannot be written"),
        (["--device", "cpu", "--markdown", "/proc/nowhere/out.md"], "cannot be written"),
    ],
)
def test_usage_errors_come_before_any_measurement(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    try:
        code = main(["bench", *arguments])
    except SystemExit as ended:  # argparse's own
        code = typing.cast("int", ended.code)

    shown = capsys.readouterr()
    assert code == USAGE
    assert words in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("slug", SOURCES)
def test_sources_are_what_the_baseline_calls(slug: str) -> None:
    import torch

    op = registry.get(slug)
    scope: dict[str, typing.Any] = {}
    x = torch.arange(12.0).reshape(3, 4)
    args = {"softmax": (x, 1), "mm": (x, x.T), "add": (x, x)}[slug]

    exec(SOURCES[slug], scope)

    assert torch.equal(scope[op.entry_point](*args), op.reference(*args))


def test_distribution() -> None:
    found = Distribution.of([1.03, 0.98, 1.0])

    assert (found.n, found.median, found.low, found.high) == (3, 1.0, 0.98, 1.03)
    assert found.spread == pytest.approx(0.05)
    with pytest.raises(ValueError, match="no values"):
        Distribution.of([])


def test_cpu_bench_counts_100_calls_after_10() -> None:
    calls: list[int] = []

    stats = cpu_bench(lambda: calls.append(1))

    assert len(calls) == WARM_UPS + TIMED == 110
    assert stats.n == 100


def timed(speedup: float, audit: float | None) -> CaseTiming:
    stats = SampleStats(5, 10.0, 10.0, 9.0, 11.0, 9.0, 11.0, 0.1, 0.02)
    return CaseTiming("wall", stats, stats, speedup, speedup - 0.01, speedup + 0.01, 20, "precise", audit_speedup=audit)


def ended(verdict: Verdict, timing: CaseTiming) -> Outcome:
    reasons = () if verdict is Verdict.ACCEPTED else (Reason("clocks_disagree", "the clocks disagree"),)
    case = CaseResult("c", "performance", True, "", timing=timing)
    return Outcome(verdict, State.TIMING, "mm", "cpu", KernelType.TORCH, Mode.BENCHMARK, reasons, cases=(case,))


def test_suspect_run_shows_what_was_claimed_and_counts() -> None:
    runs = [
        OneRun("mm", ended(Verdict.ACCEPTED, timed(1.0, 1.0)), {"c": RatioEstimate(1.0, 0.99, 1.01)}),
        OneRun("mm", ended(Verdict.SUSPECT, timed(0.5, 0.5)), {"c": RatioEstimate(1.0, 0.99, 1.01)}),  # the audit's figure is stored
    ]
    repeated = Repeatability(Settings("cpu"), runs)

    (row,) = repeated.cases({})
    verdicts = repeated.verdicts()

    assert row.audit is not None
    assert (row.ratio.low, row.audit.low, row.audit.high) == (1.0, 0.5, 1.0)
    assert (verdicts.runs, verdicts.accepted, verdicts.suspect, verdicts.suspect_share, verdicts.audited_cases) == (2, 1, 1, 0.5, 2)
    assert verdicts.others == ("mm: suspect: the clocks disagree",)


def test_run_that_was_never_timed_leaves_no_row() -> None:
    crashed = Outcome(Verdict.CRASHED, State.CHECKING, "mm", "cpu", KernelType.TORCH, Mode.BENCHMARK)
    repeated = Repeatability(Settings("cpu"), [OneRun("mm", crashed, {})])

    assert repeated.cases({}) == ()
    assert repeated.verdicts().others == ("mm: crashed: ",)


def a_report(figures_from: str, audit: Distribution | None = ONE) -> Report:
    sequential = Sequential("do_bench", ONE, ONE, ONE)
    case = RepeatedCase("mm", "c", "event", ONE, ONE, ONE, ONE, ONE, ONE, audit, sequential)
    split = StageSplit("softmax", "triton", figures_from == "cpu", ONE, {"checking": ONE}, ("timeout",))
    verdicts = Verdicts(1, 0, 1, 1, ("mm: suspect: the clocks disagree",))
    channel = ChannelCost(ONE, ONE, ONE)
    checking = (CheckingCost("mm", "float16 2×2", 8, ONE, ONE, ONE, Distribution.of([2.5]), ONE),)
    facts = {"torch": "2.0", "python": "3.12"}
    return Report(
        "2026-01-01T00:00:00+00:00", figures_from, "d", "Device", False, 1, (case,), verdicts, (split,), channel, checking, 1.0, facts
    )


def test_tables_are_whole_and_say_when_a_cpu_was_measured() -> None:
    on_cpu, on_gpu = markdown(a_report("cpu", audit=None)), markdown(a_report("cuda"))

    assert "Figures from a CPU" in on_cpu
    assert "triton, interpreted" in on_cpu
    assert "too short to audit" in on_cpu
    assert "CPU" not in on_gpu
    assert "interpreted" not in on_gpu
    assert "1 falsely suspect (100.00 %)" in on_gpu
    assert "- mm: suspect: the clocks disagree" in on_gpu
    for text in (on_cpu, on_gpu):
        tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
        assert len(tables) == 6
        assert "| 1000.0 | 2500.0 | 1000.0 | 2.50 |" in text
        assert all(len({row.count("|") for row in rows}) == 1 and len(rows) > 2 for rows in tables)


def test_tables_of_nothing_are_headings() -> None:
    report = dataclasses.replace(a_report("cpu"), repeatability=())

    assert "median ratio" in markdown(report)


def test_report_survives_json() -> None:
    report = a_report("cuda")

    assert from_json(Report, json.loads(dumps(report))) == report
