"""What a bench has measured, as tables and as JSON."""

from __future__ import annotations

import dataclasses
import json
import typing

import pytest

from evaluator.bench.results import (
    Agreement,
    ChannelCost,
    CheckingCost,
    Distribution,
    RepeatedCase,
    Report,
    Resolution,
    Sequential,
    StageSplit,
    Verdicts,
)
from evaluator.bench.tables import markdown
from evaluator.contract import (
    dumps,
    from_json,
)

ONE = Distribution.of([1.0])


SPREAD = Distribution.of([0.99, 1.0, 1.02])


def test_distribution() -> None:
    found = Distribution.of([1.03, 0.98, 1.0])

    assert (found.n, found.median, found.low, found.high) == (3, 1.0, 0.98, 1.03)
    assert found.spread == pytest.approx(0.05)
    with pytest.raises(ValueError, match="no values"):
        Distribution.of([])


def a_report(figures_from: str, audit: Distribution | None = ONE) -> Report:
    sequential = Sequential("do_bench", SPREAD, ONE, ONE, 0.13)
    case = RepeatedCase("mm", "c", "event", SPREAD, ONE, ONE, ONE, ONE, ONE, ONE, audit, sequential)
    resolved = (Resolution("50us", 0.01, 20, Distribution.of([0.011]), 19, 18),)
    agreed = (Agreement("25us", 30.0, 29.0), Agreement("100us", 110.0, None, "ERR_NVGPUCTRPERM"))
    split = StageSplit("softmax", "triton", figures_from == "cpu", ONE, {"checking": ONE}, ("timeout",))
    verdicts = Verdicts(1, 0, 1, 1, ("mm: suspect: the clocks disagree",))
    channel = ChannelCost(ONE, ONE, ONE)
    checking = (CheckingCost("mm", "float16 2×2", 8, ONE, ONE, ONE, Distribution.of([2.5]), ONE),)
    facts: dict[str, typing.Any] = {"torch": "2.0", "python": "3.12", "clocks": {"sm_mhz": 1980}, "triton": None}
    return Report(
        taken_at="2026-01-01T00:00:00+00:00",
        figures_from=figures_from,
        device="d",
        device_name="Device",
        quick=False,
        repeats=1,
        repeatability=(case,),
        lengths=(case,),
        resolution=resolved if figures_from == "cuda" else (),
        agreement=agreed if figures_from == "cuda" else (),
        verdicts=verdicts,
        stages=(split,),
        channel=channel,
        checking=checking,
        seconds=1.0,
        environment=facts,
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
    assert "| 50us | 1.00 % | 1.10 % | 1.10 % | 1.10 % | 20 | 95.00 % | 90.00 % |" in on_gpu
    assert "| 25us | 30 | 29 | 3.45 % |" in on_gpu
    assert "unavailable: ERR_NVGPUCTRPERM" in on_gpu
    assert "| clocks, sm_mhz | 1980 |" in on_gpu
    assert "None" not in on_gpu
    for text, count in ((on_cpu, 10), (on_gpu, 12)):
        tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
        assert len(tables) == count
        assert "| 1000.0 | 2500.0 | 1000.0 | 2.50 |" in text
        assert all(len({row.count("|") for row in rows}) == 1 and len(rows) > 2 for rows in tables)


def test_what_was_not_measured_has_no_table() -> None:
    nothing: dict[str, typing.Any] = dict.fromkeys(("repeatability", "lengths", "resolution", "agreement", "stages", "checking"), ())
    report = dataclasses.replace(a_report("cuda"), **nothing, environment={}, channel=None, verdicts=Verdicts(0, 0, 0, 0))

    assert "# Bench on" in markdown(report)
    assert "|" not in markdown(report)
    assert "A/A runs" not in markdown(report)


def test_report_survives_json() -> None:
    report = a_report("cuda")

    assert from_json(Report, json.loads(dumps(report))) == report
