"""Ops given as data are judged like any other: by what the request brings along, without an entry in the registry."""

from __future__ import annotations

import math

import pytest

from evaluator.contract import EvaluationRequest, KernelType, Mode, Outcome, Verdict
from evaluator.jsonable import JSON
from evaluator.judge.judge import Judge
from evaluator.ops.recorded import DocumentError
from evaluator.ops.registry import UnknownOp
from tests.evaluator.judge.conftest import LIMITS
from tests.evaluator.recorded.offers import softmax_document

GOOD = "import torch\n\n\ndef softmax__int_kernel_impl(x, dim, dtype=None):\n    return torch.softmax(x, dim, dtype=dtype)\n"
FILL: dict[str, JSON] = {
    "format": 1,
    "slug": "mine/fill_",
    "title": "fill",
    "signature": "masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)",
    "target": "aten.masked_fill_.Scalar",
    "entry_point": "fill",
    "suites": ["mine"],
    "dtypes": ["float32"],
    "mutates": [0],
    "cases": [
        {
            "name": "minus_infinity",
            "kind": "correctness",
            "args": [
                {"tensor": {"shape": [9, 7], "dtype": "float32"}},
                {"tensor": {"shape": [9, 7], "dtype": "bool"}},
                {"float": repr(-math.inf)},
            ],
        }
    ],
}


def judged(judge: Judge, document: dict[str, JSON], source: str, mode: Mode = Mode.TEST, seed: int | None = None) -> Outcome:
    request = EvaluationRequest(str(document["slug"]), source, KernelType.TORCH, "cpu", mode, seed=seed, limits=LIMITS, definition=document)
    return judge.evaluate(request)


def test_a_right_kernel_is_accepted_and_timed_beside_the_target(judge: Judge) -> None:
    outcome = judged(judge, softmax_document(), GOOD, Mode.BENCHMARK)

    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert [(case.name, case.hidden) for case in outcome.cases] == [
        ("8x33_float32", False),
        ("7x64_float16", False),
        ("hidden_1", True),
        ("32x256_float32", False),
    ]
    assert outcome.timing is not None
    assert outcome.cases[-1].timing is not None
    assert outcome.cases[-1].timing.gb_per_s


def test_infinity_arrives_what_is_written_is_judged_and_a_failure_can_be_repeated(judge: Judge) -> None:
    source = "def fill(self, mask, value):\n    assert value == float('-inf')\n    return self.masked_fill(mask, value)\n"

    outcome = judged(judge, FILL, source, seed=5)

    assert outcome.verdict is Verdict.WRONG_RESULT, outcome.reasons
    assert outcome.cases[0].reproduce.endswith("--op mine/fill_ --mode test --case minus_infinity --seed 5 --ops-file OPS.json")


def test_a_request_without_its_op_is_an_error_of_ours(judge: Judge) -> None:
    request = EvaluationRequest("mine/softmax.int", GOOD, KernelType.TORCH, "cpu", Mode.TEST, limits=LIMITS)
    with pytest.raises(UnknownOp):
        judge.evaluate(request)
    with pytest.raises(DocumentError, match=r"the definition is of 'mine/softmax.int', the request says 'softmax'"):
        judge.evaluate(EvaluationRequest("softmax", GOOD, KernelType.TORCH, definition=softmax_document()))
