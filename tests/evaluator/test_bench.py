"""`python -m evaluator bench`: the form of what it measures, never the figures, which other work on the machine decides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from evaluator.bench import products, resolution
from evaluator.bench.repeatability import OneRun, Repeatability
from evaluator.bench.results import Report
from evaluator.bench.settings import SOURCES, Settings, quick
from evaluator.bench.tables import markdown
from evaluator.candidate.timers import TIMED, WARM_UPS, cpu_bench
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
    from_json,
)
from evaluator.ops import registry
from evaluator.timing.stats import RatioEstimate

ROOT = Path(__file__).parents[2]
ACCEPTED, NOT_ACCEPTED, USAGE = 0, 1, 2


def quick_bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluator", "bench", "--device", "cpu", "--quick", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=590)
    assert done.returncode in (ACCEPTED, NOT_ACCEPTED), done.stderr  # a busy machine can make two clocks disagree
    return done


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_smallest_bench_measures_all(tmp_path: Path) -> None:
    out, tables = tmp_path / "bench.json", tmp_path / "bench.md"

    done = quick_bench("--repeats", "1", "--op", "mm", "--json", str(out), "--markdown", str(tables))

    report = from_json(Report, json.loads(out.read_text()))
    assert (report.figures_from, report.device, report.quick, report.repeats) == ("cpu", "cpu", True, 1)
    assert {"torch", "python", "cpu", "evaluator"} <= set(report.environment)
    assert report.sandbox
    cases = [case.name for case in registry.get("mm").performance_cases("cpu")]
    assert [(row.op, row.case) for row in report.repeatability] == [("mm", case) for case in cases]
    assert all(row.ratio.median > 0 and row.sequential and row.sequential.method == "cpu_bench" for row in report.repeatability)
    assert [(row.op, row.case, row.ratio.n) for row in report.lengths] == [("bench/product", "50us", 1)]
    assert (report.resolution, report.agreement) == ((), ())  # for GPUs
    assert report.verdicts.runs == 2
    assert (done.returncode == ACCEPTED) == (report.verdicts.accepted == 2)
    torch, triton = report.stages
    assert (torch.kernel_type, triton.kernel_type, triton.interpreted) == ("torch", "triton", True)
    assert {"building", "importing", "checking", "timing"} <= set(torch.stages_s)
    assert torch.total_s.median >= sum(stage.median for stage in torch.stages_s.values())
    assert report.channel is not None
    assert report.channel.candidate_us.n == quick(Settings("cpu")).commands
    assert report.channel.spare_start_s.median > 0
    (checked,) = report.checking
    assert (checked.op, checked.output_bytes) == ("mm", quick(Settings("cpu")).checked_bytes)
    assert min(checked.generate_s.low, checked.oracle_s.low, checked.torch_s.low, checked.compare_s.low, checked.reading_s.low) > 0
    assert tables.read_text() == markdown(report)
    assert tables.read_text() in done.stdout
    assert "A/A 1/1 mm" in done.stdout


def test_parts_may_be_measured_alone(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"

    quick_bench("--part", "lengths", "--part", "channel", "--length", "20", "--json", str(out))

    report = from_json(Report, json.loads(out.read_text()))
    assert [row.case for row in report.lengths] == ["20us"]
    assert report.channel is not None
    assert (report.repeatability, report.checking, report.stages) == ((), (), ())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--repeats", "0"], "1 to 1000"),
        (["--repeats", "many"], "1 to 1000"),
        (["--repeats", "²"], "1 to 1000"),
        (["--op", "gelu"], "softmax"),
        (["--part", "tyres"], "channel"),
        (["--length", "0.5"], "1 to 100000"),
        (["--length", "nan"], "1 to 100000"),
        (["--length", "long"], "1 to 100000"),
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


def test_cpu_bench_counts_100_calls_after_10() -> None:
    calls: list[int] = []

    times = cpu_bench(lambda: calls.append(1))

    assert len(calls) == WARM_UPS + TIMED == 110
    assert len(times) == 100 and min(times) > 0


def test_lengths_follow_from_the_bandwidth() -> None:
    found = products.ops("h100", (5.0, 50.0, 500.0, 5000.0))

    vectors, matrices = found[products.SOURCE], found[products.MATRIX_SOURCE]
    cases = vectors.performance_cases("h100")
    assert [case.name for case in cases] == ["5us", "50us", "0.5ms"]
    for case, seconds in zip(cases, (5e-6, 50e-6, 500e-6), strict=True):
        assert vectors.cost(case).bytes / 3.35e12 == pytest.approx(seconds, rel=0.01)
    (long,) = matrices.performance_cases("h100")
    assert long.name == "5ms"
    assert matrices.cost(long).flops / 67e12 == pytest.approx(4e-3, rel=0.01)
    assert matrices.cost(long).bytes < 1e9


def test_planted_work_is_done_twice_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "slowed.py").write_text(products.slowed(0.5))
    check = f"import slowed, torch; x = torch.randn(4099); assert torch.equal(slowed.{products.ENTRY}(x, x), x * x); print(slowed.EXTRA)"

    done = subprocess.run([sys.executable, "-c", check], cwd=tmp_path, env={**os.environ, "TRITON_INTERPRET": "1"}, capture_output=True)

    assert done.stdout.split() == [b"0.5"], done.stderr


def timed(speedup: float, audit: float | None) -> CaseTiming:
    stats = SampleStats(5, 10.0, 10.0, 9.0, 11.0, 9.0, 11.0, 0.1, 0.02)
    return CaseTiming("wall", stats, stats, speedup, speedup - 0.01, speedup + 0.01, 20, "precise", audit_speedup=audit)


def ended(verdict: Verdict, timing: CaseTiming) -> Outcome:
    reasons = () if verdict is Verdict.ACCEPTED else (Reason("clocks_disagree", "the clocks disagree"),)
    case = CaseResult("c", "performance", True, "", timing=timing)
    return Outcome(
        verdict, State.TIMING, "mm", "cpu", KernelType.TORCH, Mode.BENCHMARK, reasons, cases=(case,), stage_seconds={"timing": 2.0}
    )


def test_a_planted_slowdown_is_seen_or_not() -> None:
    def runs(*speedups: float) -> Repeatability:
        return Repeatability(Settings("h100"), (), 1, [OneRun("p", ended(Verdict.ACCEPTED, timed(s, None)), {}) for s in speedups])

    row = resolution.row("c", 0.01, runs(1.0, 1.0, 1.0), runs(0.99, 1.01, 0.95))

    assert row is not None
    assert (row.pairs, row.right, row.apart) == (3, 2, 1)
    assert row.seen.median == pytest.approx(1 / 0.99 - 1)
    assert resolution.row("another", 0.01, runs(1.0), runs(1.0)) is None


def test_suspect_run_shows_what_was_claimed_and_counts() -> None:
    runs = [
        OneRun("mm", ended(Verdict.ACCEPTED, timed(1.0, 1.0)), {"c": RatioEstimate(1.0, 0.99, 1.01)}),
        OneRun("mm", ended(Verdict.SUSPECT, timed(0.5, 0.5)), {"c": RatioEstimate(1.0, 0.99, 1.01)}),  # the audit's figure is stored
    ]
    repeated = Repeatability(Settings("cpu"), (), 1, runs)

    (row,) = repeated.cases({})
    verdicts = repeated.verdicts()

    assert row.audit is not None
    assert (row.ratio.low, row.audit.low, row.audit.high) == (1.0, 0.5, 1.0)
    assert (verdicts.runs, verdicts.accepted, verdicts.suspect, verdicts.suspect_share, verdicts.audited_cases) == (2, 1, 1, 0.5, 2)
    assert verdicts.others == ("mm: suspect: the clocks disagree",)


def test_run_that_was_never_timed_leaves_no_row() -> None:
    crashed = Outcome(Verdict.CRASHED, State.CHECKING, "mm", "cpu", KernelType.TORCH, Mode.BENCHMARK)
    repeated = Repeatability(Settings("cpu"), (), 1, [OneRun("mm", crashed, {})])

    assert repeated.cases({}) == ()
    assert repeated.verdicts().others == ("mm: crashed: ",)
