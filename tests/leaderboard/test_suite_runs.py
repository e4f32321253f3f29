"""Runs of baselines under a tag: kept whole, shown, and held against each other where that means something."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluator.baselines.figures import Clock, unavailable
from leaderboard.baseline_models import SuiteRun
from leaderboard.baselines import rows_of, store
from leaderboard.suite_runs import TagError, begin, comparison, end, latest, lines
from tests.leaderboard.test_baselines import HERE, measured
from tests.pages.markup import faults

OPS, NAMES = ("softmax", "gelu"), ("torch_eager", "torch_compile", "tvm")


def run(tag: str, speedup: float = 1.4, *, device: str = "cpu", environment: dict[str, Any] = HERE) -> SuiteRun:
    """Two ops: compiled, one of them by TVM, and torch eager itself."""
    made = begin(tag, device, suite="core", ops=OPS, names=NAMES, environment=environment)
    for op in OPS:
        for name in ("torch_eager", "torch_compile"):
            figures = measured(name, 1.0 if name == "torch_eager" else speedup, environment=environment)
            store(dataclasses.replace(figures, op=op, device=device), made)
    store(dataclasses.replace(measured("tvm", speedup, environment=environment), device=device, time_us=700.0 / speedup), made)
    store(unavailable("gelu", device, "tvm", Clock.OWN, "TVM_BENCH_CMD is not set\nsecret", environment=environment), made)
    end(made)
    return made


def test_a_run_keeps_what_was_measured_while_boards_go_on(loaded: None) -> None:
    first = run("first", 1.4)
    run("second", 1.6)

    assert [(line.op, line.name, line.speedup, line.why) for line in lines(first)] == [
        ("softmax", "torch_eager", 1.0, ""),
        ("softmax", "torch_compile", 1.4, ""),
        ("softmax", "tvm", 1.4, ""),
        ("gelu", "torch_eager", 1.0, ""),
        ("gelu", "torch_compile", 1.4, ""),
        ("gelu", "tvm", None, "TVM_BENCH_CMD is not set"),
    ]
    assert {row.name: row.speedup for row in rows_of("softmax", "cpu")} == {"torch_eager": 1.0, "torch_compile": 1.6, "tvm": 1.6}


@pytest.mark.parametrize("tag", ["", "a b", "-x", "x" * 65, "../up", "tag\n"])
def test_a_tag_is_a_plain_word(loaded: None, tag: str) -> None:
    with pytest.raises(TagError, match="is no tag"):
        begin(tag, "cpu", suite="", ops=OPS, names=NAMES, environment={})


def test_a_tag_names_one_run(loaded: None) -> None:
    run("mine")

    with pytest.raises(TagError, match="has the tag 'mine'"):
        run("mine")
    assert SuiteRun.objects.count() == 1


def test_a_faster_run_is_told_by_intervals_alone(loaded: None) -> None:
    found = comparison(run("before", 1.4), run("after", 1.6))

    (compiled,) = found.names
    assert (compiled.name, compiled.ops, compiled.verdict) == ("torch_compile", 2, "faster")
    assert compiled.ratio.ratio == pytest.approx(1.6 / 1.4)
    assert 1 < compiled.ratio.low < compiled.ratio.ratio < compiled.ratio.high
    by_tool = next(pair for pair in found.pairs if pair.side.name == "tvm" and pair.side.op == "softmax")
    assert by_tool.ratio is None
    assert by_tool.of_times == pytest.approx(1.6 / 1.4)
    assert "own clock" in by_tool.why
    absent = next(pair for pair in found.pairs if pair.side.name == "tvm" and pair.side.op == "gelu")
    assert (absent.ratio, absent.of_times, absent.why) == (None, None, "not measured in this one")
    assert [name.verdict for name in comparison(found.base, run("again", 1.405)).names] == ["tied"]


def test_another_machine_gives_ratios_without_a_verdict(loaded: None) -> None:
    found = comparison(run("before"), run("after", 1.6, environment=HERE | {"torch": "2.14.0"}))

    assert found.differences == ("torch 2.13.0 → 2.14.0",)
    assert [name.verdict for name in found.names] == [""]


def test_runs_on_two_devices_are_not_compared(loaded: None, client: Client) -> None:
    found = comparison(run("here"), run("there", device="h100"))

    assert found.refused
    assert (found.pairs, found.names) == ((), ())
    page = client.get("/runs/there/?against=here").content.decode()
    assert "These cannot be compared" in page
    assert not faults(page)
    answer = client.get("/api/v1/runs/there?against=here")
    assert answer.status_code == 400
    assert "measured on cpu, this one on h100" in answer.json()["errors"]["against"][0]


def test_runs_of_the_same_device_are_offered_to_be_compared(loaded: None, client: Client) -> None:
    for tag, device in (("one", "cpu"), ("two", "cpu"), ("far", "h100")):
        run(tag, device=device)

    page = client.get("/runs/one/").content.decode()

    assert re.findall(r'<option value="([^"]*)"', page) == ["", "two"]


def test_sums_are_over_the_ops_that_were_measured(loaded: None) -> None:
    made = run("one", 1.6)
    made.results.filter(op="gelu", name="torch_compile").update(speedup=0.9)
    going_on = begin("empty", "cpu", suite="core", ops=OPS, names=NAMES, environment=HERE)

    found = {made.tag: told for made, told in latest()}

    assert [(each.name, each.measured, each.of) for each in found["one"]] == [("torch_eager", 2, 2), ("torch_compile", 2, 2), ("tvm", 1, 2)]
    assert [each.speedup for each in found["one"]] == [pytest.approx(1.0), pytest.approx(1.2), pytest.approx(1.6)]
    assert {(each.measured, each.speedup) for each in found[going_on.tag]} == {(0, None)}


def test_the_pages_and_the_api_say_the_same(loaded: None, client: Client) -> None:
    run("before", 1.4)
    run("after", 1.6)

    listed, one, both = (client.get(path).content.decode() for path in ("/runs/", "/runs/after/", "/runs/after/?against=before"))
    api = client.get("/api/v1/runs/after?against=before").json()

    assert not faults(listed) + faults(one) + faults(both)
    assert listed.index(">after<") < listed.index(">before<")
    assert "tvm 1.60× 1 of 2" in re.sub(r"\s+", " ", listed)
    assert "TVM_BENCH_CMD is not set" in one
    assert "secret" not in one
    assert ">faster<" in both
    assert [row["tag"] for row in client.get("/api/v1/runs").json()["results"]] == ["after", "before"]
    assert [(name["name"], name["verdict"]) for name in api["against"]["names"]] == [("torch_compile", "faster")]
    assert [(line["op"], line["name"], line["speedup"]) for line in api["lines"]][1] == ("softmax", "torch_compile", 1.6)


@pytest.mark.parametrize("path", ["/runs/nothing/", "/runs/%00/", "/runs/one/?against=nothing", "/api/v1/runs/nothing"])
def test_what_does_not_exist_is_not_found(loaded: None, client: Client, path: str) -> None:
    run("one")

    assert client.get(path).status_code == 404
    assert client.get("/api/v1/runs/one?against=nothing").json()["errors"] == {"against": ["There is no run with the tag 'nothing'."]}


def test_many_runs_take_as_many_queries_as_one(loaded: None, client: Client) -> None:
    def asked(path: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert client.get(path).status_code == 200
        return len(seen)

    run("one")
    few = asked("/runs/"), asked("/runs/one/")
    for number in range(3):
        run(f"more-{number}")

    assert (asked("/runs/"), asked("/runs/one/")) == few
    assert asked("/runs/one/?against=more-0") <= 6
    assert max(few) <= 5
