"""`python -m evaluator import`, and `--ops-file` of `run` and `ops`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.cli import main

TRACE = """Operator: aten.relu.default
cnt: 2, ((T([9, 65], f32),), {})
cnt: 1, ((T([9, 65], f99),), {})
Operator: aten.view.default
cnt: 2, ((T([9, 65], f32), [585]), {})
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "trace.txt"
    file.write_text(TRACE)
    return file


def test_a_trace_becomes_a_file_of_ops(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ops.json"

    assert main(["import", "backendbench", str(trace), "--suite", "mine", "--out", str(out)]) == 0

    assert capsys.readouterr().out.splitlines() == [
        "loaded   mine/aten.relu.default: 1 correctness and 1 performance cases",
        "refused  aten.view.default: aten.view.default gives a view of its argument, so there is nothing to compute",
        "unused   trace.txt:3: aten.relu.default: the name 'f99' is not known here",
        "1 ops loaded, 1 refused, 1 lines unused",
    ]
    assert main(["ops", "--ops-file", str(out), "--json"]) == 0
    assert [row["entry_point"] for row in json.loads(capsys.readouterr().out)] == ["relu__default_kernel_impl"]
    assert main(["ops", "--ops-file", str(out), "--suite", "other"]) == 0
    assert capsys.readouterr().out == ""


def test_json_tells_all(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "backendbench", str(trace), "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert [op["slug"] for op in told["ops"]] == ["torchbench/aten.relu.default"]
    assert told["refused"][0]["where"] == "aten.view.default"
    assert told["unused"] == [{"where": "trace.txt:3", "reason": "aten.relu.default: the name 'f99' is not known here"}]
    assert (told["suite"], told["dropped"]) == ("torchbench", [])


def test_nothing_loaded_is_not_success(trace: Path) -> None:
    assert main(["import", "backendbench", str(trace), "--ops", "view"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import", "backendbench", "nowhere.txt"], "nowhere.txt does not exist"),
        (["import", "backendbench", "--suite", "Not this"], "a suite's name is made of small letters"),
        (["import", "backendbench", "TRACE", "--out", "/nowhere/ops.json"], "/nowhere/ops.json cannot be written"),
        (["ops", "--ops-file", "nowhere.json"], "nowhere.json: cannot be read"),
        (["ops", "--ops-file", "TRACE"], "is not JSON"),
        (["run", "KERNEL", "--op", "mine/no"], "There is no op 'mine/no'."),
        (["run", "KERNEL", "--op", "mine/no", "--ops-file", "OPS"], "holds no op"),
    ],
)
def test_wrong_use_says_what_is_wrong(
    arguments: list[str], message: str, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kernel.py").write_text("x = 1\n")
    (tmp_path / "ops.json").write_text("[]")
    files = {"TRACE": str(trace), "KERNEL": str(tmp_path / "kernel.py"), "OPS": str(tmp_path / "ops.json")}

    assert main([files.get(argument, argument) for argument in arguments]) == 2

    assert message in capsys.readouterr().err
