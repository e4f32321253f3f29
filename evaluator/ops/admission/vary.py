"""Sizes that hidden cases may have: lengths that torch accepts in place of those of a public case, each of them tried."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.correctness import compare_outputs, expected_form, oracle, same_dtype
from evaluator.ops.arguments import input_bytes
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded import Variation
from evaluator.ops.recorded.variation import resizable, resized
from evaluator.ops.validate import materialise

MOST = 4
MOST_BYTES = 2 * 1024 * 1024
"""Of the inputs of a varied case: each length is computed once in float64."""
CHEAP_BYTES = 64 * 1024
FACTORS = (0.35, 0.55, 0.8, 1.3, 1.7, 2.1)
FEWEST = 3
"""A size with fewer usable lengths is not worth hiding."""
SEED = 3


def variations(op: Op, cases: Sequence[Case]) -> tuple[Variation, ...]:
    """From the largest of the cheap cases on, then those that are dearer; in each from the largest size on. Empty ones hide nothing."""
    found: list[Variation] = []
    for case in sorted(cases, key=_dearness):
        if not input_bytes(case) or not all(resizable(spec) for spec in case.tensors):
            continue
        for size in sorted({length for spec in case.tensors for length in spec.shape if length > 1}, reverse=True):
            if len(found) == MOST:
                return tuple(found)
            tried = {to: resized(case, size, to, name="tried") for to in lengths(size)}
            usable = tuple(to for to, one in tried.items() if input_bytes(one) <= MOST_BYTES and _works(op, one))
            if len(usable) >= FEWEST:
                found.append(Variation(case.name, size, usable))
    return tuple(found)


def _dearness(case: Case) -> tuple[bool, int]:
    size = input_bytes(case)
    return (False, -size) if size <= CHEAP_BYTES else (True, size)


def lengths(size: int) -> tuple[int, ...]:
    """Odd lengths around `size`, which blocks of a power of two do not divide."""
    return tuple(sorted({max(1, round(size * factor)) | 1 for factor in FACTORS} - {size}))


def _works(op: Op, case: Case) -> bool:
    """Whether torch takes it, gives what it announces, and passes."""
    try:
        form = expected_form(op, case, "cpu")
        args, kwargs = materialise(case, SEED)
        right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        returned = [tuple(out.shape) for out in same[: len(same) - len(op.mutates)]]
        announced = [meta.shape for meta in form.outputs]
        return returned == announced and compare_outputs(op, case, expected=right, torch_same_dtype=same, got=same).passed
    except Exception:  # whatever torch raises: this length is not for this op
        return False
