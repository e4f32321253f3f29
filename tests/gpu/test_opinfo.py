"""On a GPU: torch passes every case of the ops that are built from its database on a CPU, whatever is drawn."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor

import pytest

from evaluator.correctness import compare_outputs, expected_form, oracle, same_dtype
from evaluator.jsonable import JSON
from evaluator.ops.definition import Case, Op
from evaluator.ops.opinfo.build import build
from evaluator.ops.recorded import from_document
from evaluator.ops.validate import materialise

SEEDS = range(1, 4)
MOST_PROCESSES = 8
"""Each has a context of its own on the GPU."""


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_torch_passes_every_op_of_the_suite() -> None:
    pytest.importorskip("expecttest", reason="torch's op database needs expecttest")
    cores = len(os.sched_getaffinity(0))
    admitted = [each.document for each in build(processes=cores).admitted]

    with ProcessPoolExecutor(min(cores, MOST_PROCESSES), mp_context=multiprocessing.get_context("spawn")) as pool:
        wrong = [line for lines in pool.map(all_wrong_with_torch, admitted, chunksize=8) for line in lines]

    assert len(admitted) >= 300
    assert not wrong, "\n".join(wrong)


def all_wrong_with_torch(document: Mapping[str, JSON]) -> list[str]:
    """A line for each case of an op that torch does not pass."""
    op = from_document(document)
    found = {case.name: wrong_with_torch(op, case, "cuda") for case in op.cases("h100")}
    return [f"{op.slug}/{name}: {reason}" for name, reason in found.items() if reason]


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
