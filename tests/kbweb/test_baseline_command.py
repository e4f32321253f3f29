"""`kb baseline`: measured here, stored for the board, and not measured again while nothing has changed."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from evaluator.baselines.names import NAMES
from kbweb.cli import app
from kbweb.cli.board_command import placed
from kbweb.cli.output import Failure
from leaderboard import imported
from leaderboard.baseline_models import BaselineResult, SuiteRun
from leaderboard.ranking import board
from leaderboard.suite_runs import lines
from tests.evaluator.recorded.offers import softmax_document

Kb = Callable[..., Result]
OP = "mine/softmax.int"
DOCS = Path(__file__).parents[2] / "docs" / "baselines.md"
COMMANDS = ("TVM_BENCH_CMD", "XLA_BENCH_CMD", "TENSORRT_BENCH_CMD", "GLOW_BENCH_CMD", "PYC_GPU_BENCH_CMD")


@pytest.fixture
def kb(monkeypatch: pytest.MonkeyPatch) -> Kb:
    for name in COMMANDS:
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(app, ["baseline", *arguments], catch_exceptions=False)


def small_op() -> str:
    """Offer an op with one case to check and one to time: every shape is compiled anew."""
    document: dict[str, Any] = softmax_document()
    document |= {"cases": [document["cases"][0], document["cases"][2]], "variations": []}
    imported.store([document], "backendbench")
    return OP


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name an op, a suite"),
        (("softmax", "--name", "onnx"), "no baseline 'onnx': torch_eager, torch_compile, tvm"),
        (("softmux", "--device", "cpu"), "There is no op 'softmux'"),
        (("--suite", "none", "--device", "cpu"), "No op of a suite 'none'"),
        (("softmax", "--device", "abacus"), "no device 'abacus'"),
        (("softmax", "--device", "cpu", "--tag", "a b"), "'a b' is no tag"),
        (("--stale-only", "--tag", "a"), "leave --stale-only out"),
    ],
)
def test_wrong_use_is_2_and_says_what_is_wrong(kb: Kb, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(Failure, match=said) as failure:
        kb(*arguments)

    assert failure.value.exit_code == 2


@pytest.mark.django_db
def test_a_wrong_time_limit_is_named_before_anything_starts(kb: Kb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_BENCH_TIMEOUT_S", "soon")

    with pytest.raises(Failure, match="KB_BENCH_TIMEOUT_S='soon'") as failure:
        kb(small_op(), "--device", "cpu")

    assert failure.value.exit_code == 2


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.django_db
def test_torch_compile_and_the_command_of_the_docs_reach_the_board(kb: Kb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A real torch.compile in the real sandbox, and the example of `docs/baselines.md` as TVM's command."""
    example = re.search(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert example is not None
    (tmp_path / "bench.py").write_text(example.group(1))
    monkeypatch.setenv("TVM_BENCH_CMD", f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'bench.py'))}")
    monkeypatch.setenv("KB_LOCK_DIR", str(tmp_path / "locks"))

    done = kb(small_op(), "--device", "cpu", "--tag", "first", "--json")

    said = {each["name"]: each for each in json.loads(done.stdout)["baselines"]}
    if said["torch_compile"]["why"].startswith("suspect"):  # a busy machine can make two clocks disagree, but not every time
        done = kb(OP, "--device", "cpu", "--name", "torch_compile", "--name", "torch_eager", "--name", "tvm", "--json")
        said |= {each["name"]: each for each in json.loads(done.stdout)["baselines"]}
    assert list(said) == ["torch_compile", "torch_eager", "tvm", "xla", "tensorrt", "glow", "pyc"]
    compiled = said["torch_compile"]
    assert compiled["status"] == "ok", compiled["why"]
    assert compiled["low"] <= compiled["speedup"] <= compiled["high"]
    assert compiled["time_us"] > 0
    assert said["tvm"]["status"] == "ok", said["tvm"]["why"]
    assert (said["tvm"]["clock"], said["tvm"]["low"]) == ("own", None)
    assert said["tvm"]["speedup"] == pytest.approx(said["torch_eager"]["time_us"] / said["tvm"]["time_us"])
    assert said["xla"]["why"] == "XLA_BENCH_CMD is not set"
    shown = {row.name: row for row in board(OP, "cpu").baselines}
    assert shown["tvm"].time_us == said["tvm"]["time_us"]
    assert set(BaselineResult.objects.values_list("name", flat=True)) == set(said)
    assert compiled["environment"]["torch"] == said["xla"]["environment"]["torch"]
    run = SuiteRun.objects.get()
    assert (run.tag, run.ops, run.environment["torch"]) == ("first", [OP], compiled["environment"]["torch"])
    assert run.ended_at is not None
    assert [line.name for line in lines(run)] == list(NAMES)

    monkeypatch.setenv("XLA_BENCH_CMD", "/nowhere/xla")
    again = kb(OP, "--device", "cpu", "--stale-only")

    assert again.exit_code == 1
    assert f"{OP} xla: unavailable: case 32x256_float32: /nowhere/xla cannot be run" in again.stdout
    assert "1 measured for cpu" in again.stdout


def test_on_a_terminal_baselines_stand_where_their_speedup_puts_them() -> None:
    entries: list[dict[str, object]] = [{"author": "alice", "speedup": 1.5}, {"author": "bob", "speedup": 0.9}]
    baselines: list[dict[str, object]] = [
        {"name": "torch_eager", "time_us": 2.0, "speedup": 1.0},
        {"name": "tvm", "time_us": 1.0, "speedup": None},
        {"name": "xla", "time_us": None, "speedup": None},
        {"name": "torch_compile", "time_us": 1.0, "speedup": 1.5},
    ]

    order = [row.get("author") or row.get("name") for row in placed(entries, baselines)]

    assert order == ["alice", "torch_compile", "torch_eager", "bob", "tvm"]
