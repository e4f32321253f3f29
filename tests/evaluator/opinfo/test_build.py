"""Entries of torch's op database become ops, or are refused with the reason."""

from __future__ import annotations

import itertools
import json
import sys
import typing
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from evaluator.contract import Verdict
from evaluator.ops.admission import Report
from evaluator.ops.definition import Op
from evaluator.ops.opinfo.build import build
from evaluator.ops.opinfo.entries import UnknownEntry, database
from evaluator.ops.recorded import Recorded, from_document
from evaluator.ops.sources import SOURCES, SourceFault
from tests.evaluator.judge.in_process import checked

pytestmark = pytest.mark.xdist_group("opinfo")
"""Built once."""
ADMITTED = (
    "div.trunc_rounding",
    "eq",
    "index_copy",
    "isnan",
    "nanmean",
    "native_dropout_backward",
    "nn.functional.embedding",
    "nn.functional.gelu",
    "quantile",
    "scatter",
    "softmax",
    "sort",
    "sum",
)
REFUSED = {
    "_softmax_backward_data": "on a GPU torch wants",
    "bernoulli": "random: two calls with the same arguments give different outputs",
    "broadcast_to": "it gives a view of its argument, so there is nothing to compute",
    "clone": "the copy of input 0 output passes",
    "equal": "it gives a bool",
    "histogram": "torch has it not on GPUs",
    "item": "torch.item reaches past tensors' values",
    "linalg.svd": "its answer is not unique",
    "masked.sum": "'torch.masked.sum' is neither",
    "multinomial": "torch.multinomial is not what the database tests under this name",
    "ones": "it takes no tensor",
    "sparse.sampled_addmm": "a recipe cannot express a tensor of layout torch.sparse_csr",
    "unique": "torch says NotImplementedError",
}


@pytest.fixture(scope="module")
def report() -> Report:
    return build([*ADMITTED, *REFUSED], processes=0)


@pytest.fixture(scope="module")
def ops(report: Report) -> dict[str, Recorded]:
    return {each.recorded.slug.removeprefix("opinfo/"): each.recorded for each in report.admitted}


def loaded(recorded: Recorded, report: Report) -> Op:
    """By way of its document, as text."""
    document = next(each.document for each in report.admitted if each.recorded is recorded)
    return from_document(json.loads(json.dumps(document)))


def test_what_can_be_judged_by_is_admitted_with_all_its_variants(ops: Mapping[str, Recorded]) -> None:
    assert sorted(ops) == sorted([*ADMITTED, "softmax.with_dtype"])
    assert {name: ops[name].target for name in ("softmax.with_dtype", "nn.functional.gelu", "native_dropout_backward")} == {
        "softmax.with_dtype": "torch.softmax",
        "nn.functional.gelu": "torch.nn.functional.gelu",
        "native_dropout_backward": "aten.native_dropout_backward.default",
    }
    assert [spec.dtype for spec in ops["nn.functional.embedding"].cases[0].case.tensors] == ["int64", "float32"]
    assert ops["nn.functional.gelu"].entry_point == "nn__functional__gelu_kernel_impl"
    assert ops["nn.functional.embedding"].entry_point == "nn__functional__embedding_kernel_impl"
    assert ops["softmax"].signature == "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_what_cannot_is_refused_with_the_reason(report: Report, name: str, reason: str) -> None:
    said = {each.where: each.reason for each in report.refused}

    assert reason in said[f"opinfo/{name}"]


def test_cases_are_few_distinct_and_small(ops: Mapping[str, Recorded]) -> None:
    for name, recorded in ops.items():
        cases = [each.case for each in recorded.cases if each.case.kind == "correctness"]
        assert 1 <= len(cases) <= 22, name
        assert len({(repr(case.args), repr(case.kwargs)) for case in cases}) == len(cases)
        assert all(each.input_bytes + each.output_bytes > 0 for each in recorded.cases if 0 not in each.case.tensors[0].shape)
    softmax = [each.case for each in ops["softmax"].cases if each.case.kind == "correctness"]
    assert {spec.dtype for case in softmax for spec in case.tensors} == {"float32", "float16", "bfloat16"}
    assert max(spec.shape for case in softmax for spec in case.tensors) > (100,)


def test_functions_of_elements_and_reductions_are_timed(ops: Mapping[str, Recorded]) -> None:
    timed = {name: [(each.case.name, each.devices) for each in op.cases if each.case.kind == "performance"] for name, op in ops.items()}

    assert timed["softmax"] == timed["eq"] == timed["nn.functional.gelu"]
    assert timed["softmax"] == [("512x512_float32", "cpu"), ("4096x4096_float32", "gpu"), ("4096x4096_float16", "gpu")]
    assert timed["sort"] == timed["quantile"] == timed["scatter"] == timed["index_copy"] == []


def test_what_torch_itself_fails_in_half_precision_is_not_timed_in_it(ops: Mapping[str, Recorded], report: Report) -> None:
    dropped = {each.recorded.slug: {case.case: case.reason for case in each.dropped} for each in report.admitted}
    dtypes = {spec.dtype for each in ops["div.trunc_rounding"].cases for spec in each.case.tensors}
    timed = [each.case.name for each in ops["nanmean"].cases if each.devices == "gpu"]

    assert dtypes == {"float32"}, "it cuts off what is rounded already"
    assert "torch itself fails" in dropped["opinfo/nanmean"]["4096x4096_float16"], "the sum of all is beyond float16"
    assert timed == ["4096x4096_float32", "4096x4096_float32_2", "4096x4096_float16_2"]


def test_values_leave_one_right_answer(ops: Mapping[str, Recorded]) -> None:
    sorted_, written, equal = ([spec for each in ops[name].cases for spec in each.case.tensors] for name in ("sort", "index_copy", "eq"))

    assert {spec.generator for spec in sorted_ if len(spec.shape) and 0 not in spec.shape} == {"permutation"}
    assert {spec.generator for spec in written if spec.dtype == "int64"} <= {"permutation", "integers"}
    assert all(spec.generator == "permutation" for spec in written if spec.dtype == "int64" and spec.shape and spec.shape[0] > 1)
    assert not [
        each.case
        for each in ops["scatter"].cases
        if "reduce" not in each.case.kwargs and len(each.case.tensors) == 3 and each.case.tensors[1].shape
    ]
    assert {spec.generator for spec in equal if 0 not in spec.shape} == {"integers"}
    assert "special_nan" in {spec.generator for each in ops["isnan"].cases for spec in each.case.tensors}


@pytest.mark.parametrize("name", ["softmax", "sum", "sort", "index_copy", "native_dropout_backward", "quantile"])
def test_the_starter_is_accepted_and_a_wrong_kernel_is_not(ops: Mapping[str, Recorded], report: Report, name: str) -> None:
    op = loaded(ops[name], report)
    space: dict[str, typing.Any] = {}
    exec(op.starters["torch"], space)
    starter = space[op.entry_point]
    case = op.correctness_cases("cpu")[0]

    def doubled(*args: object, **kwargs: object) -> object:
        out = starter(*args, **kwargs)
        return tuple(2 * each for each in out) if isinstance(out, tuple) else 2 * out

    right, _ = checked(op, starter, case)
    wrong, _ = checked(op, doubled, case)
    assert right.passed, right.reason
    assert wrong.verdict is Verdict.WRONG_RESULT


def test_hidden_cases_are_drawn(ops: Mapping[str, Recorded], report: Report) -> None:
    numbers = itertools.count()
    hidden = loaded(ops["softmax"], report).hidden_cases(lambda low, high: low + next(numbers) % (high - low + 1), "cpu")

    assert [case.hidden for case in hidden] == [True] * 3
    assert all(0 not in spec.shape for case in hidden for spec in case.tensors)


def test_what_was_built_is_kept_in_a_folder_which_the_source_takes(tmp_path: Path) -> None:
    names = ["isneginf", "clone"]
    first = build(names, suite="mine", processes=0, cache=tmp_path)
    heard: list[str] = []
    again = build(names, suite="mine", processes=0, cache=tmp_path, progress=heard.append)
    loaded = SOURCES["opinfo"].load(tmp_path, "mine", ["isneginf"], heard.append)
    (file,) = tmp_path.rglob("clone.json")
    file.write_text("{")
    repaired = build(names, suite="mine", processes=0, cache=tmp_path, progress=heard.append)

    assert first == again == repaired
    assert loaded.admitted == first.admitted
    assert [each.recorded.slug for each in loaded.admitted] == ["mine/isneginf"]
    assert heard == ["clone"], "only what could not be read was built again"
    with pytest.raises(SourceFault, match="is no folder"):
        SOURCES["opinfo"].load(file, "mine", [], heard.append)


def test_without_the_database_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.testing._internal.common_methods_invocations", None)
    database.cache_clear()
    try:
        with pytest.raises(SourceFault, match="pip install expecttest"):
            SOURCES["opinfo"].load(None, "mine", ["softmax"], lambda _name: None)
    finally:
        database.cache_clear()


def test_the_oracle_may_still_set_flags_of_torch(report: Report) -> None:
    assert report.admitted
    assert not torch.backends.flags_frozen()  # type: ignore[no-untyped-call]


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(UnknownEntry, match=r"no entry 'sofmax'\. Did you mean softmax"):
        build(["sofmax"])
