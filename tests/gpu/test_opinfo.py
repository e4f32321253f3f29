"""On a GPU: torch passes every case of the ops that are built from its database on a CPU, whatever is drawn."""

from __future__ import annotations

import os

import pytest
import torch

from evaluator.correctness import compare_outputs, expected_form, oracle, same_dtype
from evaluator.ops.definition import Case, Op
from evaluator.ops.opinfo.build import build
from evaluator.ops.validate import materialise

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")]

SEEDS = range(1, 4)


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_torch_passes_every_op_of_the_suite() -> None:
    pytest.importorskip("expecttest", reason="torch's op database needs expecttest")
    report = build(processes=len(os.sched_getaffinity(0)))

    wrong = [
        f"{op.slug}/{case.name}: {reason}"
        for op in (each.recorded.op() for each in report.admitted)
        for case in op.cases("h100")
        if (reason := wrong_with_torch(op, case, "cuda"))
    ]

    assert len(report.admitted) >= 300
    assert not wrong, "\n".join(wrong)


def wrong_with_torch(op: Op, case: Case, device: str) -> str:
    """What is wrong with torch's own outputs; "" when nothing is."""
    try:
        form = expected_form(op, case, device)
        for seed in SEEDS if case.kind == "correctness" else SEEDS[:1]:
            args, kwargs = materialise(case, seed, device)
            right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
            returned = [tuple(out.shape) for out in same[: len(same) - len(op.mutates)]]
            if returned != [meta.shape for meta in form.outputs]:
                return f"shapes {returned}, announced were {[meta.shape for meta in form.outputs]}"
            own = compare_outputs(op, case, expected=right, torch_same_dtype=same, got=same)
            if not own.passed:
                return own.reason
    except Exception as error:  # one op that cannot be had on this GPU hides no other
        return f"{type(error).__name__}: {error}"
    return ""
