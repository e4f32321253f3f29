"""`python -m evaluator baseline`: what it refuses, and where it measures. Real figures: `tests/kbweb/test_baseline_command.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.baselines.command import matters
from evaluator.baselines.place import Place, place_of
from evaluator.cli import main
from evaluator.host_gpus import HostGpu, listed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name an op, or a suite"),
        (("--suite", "no-such-suite"), "name an op, or a suite"),
        (("softmux",), "Did you mean softmax"),
        (("softmax", "--device", "cuda:99"), "this host has no GPU 99"),
        (("softmax", "--device", "abacus"), "no device 'abacus'; it has cpu"),
        (("softmax", "--ops-file", "nowhere.json"), "nowhere.json: cannot be read"),
        (("softmax", "--json", "/nowhere/out.json"), "cannot be written"),
    ],
)
def test_wrong_use_is_2_and_says_what_is_wrong(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert main(["baseline", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_wrong_time_limit_is_wrong_use(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TVM_BENCH_CMD", "true")
    monkeypatch.setenv("KB_BENCH_TIMEOUT_S", "soon")

    assert main(["baseline", "softmax", "--device", "cpu", "--name", "tvm"]) == 2
    assert "KB_BENCH_TIMEOUT_S='soon'" in capsys.readouterr().err


def test_the_cpu_is_a_place_without_gpus() -> None:
    place = place_of("cpu")

    assert (place, place.torch_device) == (Place("cpu"), "cpu")
    assert place.environ()["CUDA_VISIBLE_DEVICES"] == ""
    assert place.environ()["OMP_NUM_THREADS"] == "1"


def test_gpus_are_read_from_the_drivers_list() -> None:
    found = listed("0, NVIDIA H100 80GB HBM3\n1, NVIDIA L40S\nFailed to initialise\n, nothing\n")

    assert found == [HostGpu(0, "NVIDIA H100 80GB HBM3"), HostGpu(1, "NVIDIA L40S")]


def test_an_absent_tool_matters_when_it_was_named_or_has_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XLA_BENCH_CMD", raising=False)
    monkeypatch.setenv("TVM_BENCH_CMD", "true")

    assert [matters(name, named=False) for name in ("torch_compile", "tvm", "xla")] == [True, True, False]
    assert matters("xla", named=True)
