"""A build from request to report, in the sandbox."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path

import pytest

from evaluator import contract
from evaluator.build import BuildReport, DirectoryStore, UnsupportedKernelType, available_kernel_types, build
from evaluator.contract import EvaluationRequest, Flag, KernelType, Limits, Verdict
from evaluator.ops.registry import UnknownOp
from evaluator.sandbox import Sandbox

GOOD = "import torch\n\ndef relu_kernel_impl(x):\n    return torch.clamp(x, min=0)\n"


def request(source: str, kernel_type: KernelType = KernelType.TORCH, **more: object) -> EvaluationRequest:
    return dataclasses.replace(EvaluationRequest(op="relu", source=source, kernel_type=kernel_type), **more)  # type: ignore[arg-type]


def test_a_good_source_is_ready_in_a_tenth_of_a_second() -> None:
    sandbox = Sandbox("best-effort")
    build(request(GOOD), sandbox=sandbox)
    started = time.monotonic()

    report = build(request(GOOD), sandbox=sandbox)

    assert report.ok
    assert report.verdict is None
    assert (report.entry_point, report.source, report.callables) == ("relu_kernel_impl", GOOD, ("relu_kernel_impl",))
    assert time.monotonic() - started < 1.0


def test_a_report_survives_json() -> None:
    report = build(request("x = ("))

    assert contract.from_json(BuildReport, json.loads(contract.dumps(report))) == report


def test_a_syntax_error_shows_where() -> None:
    report = build(request("import torch\n\ndef relu_kernel_impl(x)\n    return x\n"))

    assert report.verdict is Verdict.COMPILE_ERROR
    assert report.reason
    assert report.reason.code == "syntax_error"
    assert "line 3, column" in report.reason.message
    assert "def relu_kernel_impl(x)\n" in report.reason.detail
    assert report.reason.detail.endswith("^")


def test_a_missing_entry_point_says_what_to_rename() -> None:
    report = build(request("import torch\ndef prepare(x): return x\ndef relu_kernel(x): return torch.clamp(x, 0)\n"))

    assert report.verdict is Verdict.COMPILE_ERROR
    assert report.reason
    assert report.reason.code == "no_entry_point"
    assert "prepare, relu_kernel" in report.reason.message
    assert "Rename relu_kernel to relu_kernel_impl" in report.reason.hint


def test_only_triton_kernels_are_named_as_such() -> None:
    report = build(request("import triton\n@triton.jit\ndef relu_kernel(x): pass\n", KernelType.TRITON))

    assert report.reason
    assert "cannot be called directly: relu_kernel" in report.reason.message


def test_an_empty_source_defines_nothing() -> None:
    report = build(request(""))

    assert report.reason
    assert "defines no function" in report.reason.message


@pytest.mark.parametrize(
    "source",
    [
        "(" * 300_000,
        "-" * 900_000 + "1",
        "a." * 400_000 + "b",
        "x=" + "[" * 5000,
        "lambda:" * 100_000 + "0",
        "f'" + "{" * 100_000,
        "\0" * 1000,
        "if 1:\n" + " " * 900_000 + "x",
    ],
    ids=["parentheses", "minus", "attributes", "brackets", "lambdas", "f-string", "nul", "indent"],
)
def test_hostile_text_is_a_compile_error_and_not_our_crash(source: str) -> None:
    report = build(request(source))

    assert report.verdict is Verdict.COMPILE_ERROR
    assert report.reason
    assert len(contract.dumps(dataclasses.replace(report, source=""))) < 20_000


def test_the_source_is_never_run(tmp_path: Path) -> None:
    report = build(request("raise SystemExit('ran')\ndef relu_kernel_impl(x): return x\n"))

    assert report.ok
    assert "ran" not in report.log


def test_a_build_past_its_limit_is_a_timeout() -> None:
    report = build(request("x=[" + "1," * 400_000 + "]", limits=Limits(build_s=0.2)))

    assert report.verdict is Verdict.COMPILE_TIMEOUT


def test_streams_and_calls_of_the_reference_are_labelled() -> None:
    report = build(request("import torch\ns = torch.cuda.Stream()\ndef relu_kernel_impl(x): return torch.relu(x)\n"))

    assert report.ok
    assert report.flags == (Flag.USES_CUDA_STREAM,)
    assert any("calls the reference op: torch.relu (line 3)" in note for note in report.notes)


def test_added_imports_are_said() -> None:
    report = build(request("# mine\ndef relu_kernel_impl(x): return torch.relu(x)\n"))

    assert report.source.startswith("import torch  # mine\n")
    assert any("import torch" in note for note in report.notes)


def test_a_second_build_comes_from_the_store(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    first = build(request(GOOD), store=store)

    second = build(request(GOOD), store=store)

    assert not first.cached
    assert second.cached
    assert dataclasses.replace(second, cached=False) == first


@pytest.mark.parametrize("other", [{"source": GOOD + "\n"}, {"kernel_type": KernelType.TRITON}, {"op": "gelu"}])
def test_the_key_changes_with_what_the_result_depends_on(other: dict[str, object]) -> None:
    assert build(request(GOOD)).key != build(dataclasses.replace(request(GOOD), **other)).key  # type: ignore[arg-type]


def test_a_stored_report_that_is_not_one_is_built_again(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    key = build(request(GOOD), store=store).key
    store.drop(key)
    store.put(key, {"report.json": b'{"ok": "maybe"}'})

    assert build(request(GOOD), store=store).cached is False
    assert build(request(GOOD), store=store).cached is True


def test_a_type_that_cannot_be_built_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedKernelType, match="kernel type cuda cannot be built here yet; available: torch, triton"):
        build(request(GOOD, KernelType.CUDA))
    assert available_kernel_types() == (KernelType.TORCH, KernelType.TRITON)


def test_an_unknown_op_is_refused() -> None:
    with pytest.raises(UnknownOp):
        build(dataclasses.replace(request(GOOD), op="reluu"))


def test_a_report_cannot_hold_an_impossible_state() -> None:
    with pytest.raises(ValueError, match="verdict and a reason"):
        BuildReport(key="", kernel_type=KernelType.TORCH, ok=False, entry_point="", source="")
