"""On a GPU: the ops of our own trace are judged there, and torch is accepted for each of them."""

from __future__ import annotations

import pytest

from evaluator.contract import EvaluationRequest, KernelType, Limits, Mode, Verdict
from evaluator.judge.judge import Judge
from evaluator.ops.traces.build import build
from evaluator.ops.traces.load import SAMPLE, load

pytestmark = pytest.mark.alone


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_torch_is_accepted_for_every_op_of_the_sample(judge: Judge) -> None:
    report = build(load(SAMPLE), "torchbench")

    ends = {}
    for each in report.admitted:
        op = each.recorded.op()
        request = EvaluationRequest(
            op.slug,
            op.starters["torch"],
            KernelType.TORCH,
            judge.device,
            Mode.BENCHMARK,
            limits=Limits(timing_case_s=0.3),
            definition=each.document,
        )
        outcome = judge.evaluate(request)
        ends[op.slug] = (outcome.verdict, [reason.message for reason in outcome.reasons])

    assert len(ends) >= 15
    assert {slug: end for slug, end in ends.items() if end[0] is not Verdict.ACCEPTED} == {}
