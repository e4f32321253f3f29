"""Does torch pass a case whatever is drawn? A judge draws anew in every run; admission draws once."""

from __future__ import annotations

import dataclasses

from evaluator.correctness import compare_outputs, oracle, same_dtype
from evaluator.ops.admission import Dropped, Examined, Refused
from evaluator.ops.admission.examine import reason_of
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded import RecordedCase
from evaluator.ops.validate import materialise

SEEDS = range(11, 15)
TIMED_SEEDS = SEEDS[:1]
"""Performance cases have thousands of times as many elements."""


def steady(examined: Examined) -> Examined:
    """Without the cases that torch itself fails, or refuses, with other inputs. Raises `Refused` when none is left."""
    op = examined.recorded.op()
    kept: list[RecordedCase] = []
    dropped = list(examined.dropped)
    for each in examined.recorded.cases:
        reason = "" if each.devices == "gpu" else _unsteady(op, each.case)
        if reason:
            dropped.append(Dropped(each.case.name, reason))
        else:
            kept.append(each)
    if not any(each.case.kind == "correctness" for each in kept):
        raise Refused("; ".join(list(dict.fromkeys(each.reason for each in dropped))[:3]))
    return dataclasses.replace(examined, recorded=dataclasses.replace(examined.recorded, cases=tuple(kept)), dropped=tuple(dropped))


def _unsteady(op: Op, case: Case) -> str:
    """Why the case depends on what is drawn; "" when torch passed every time."""
    for seed in SEEDS if case.kind == "correctness" else TIMED_SEEDS:
        try:
            args, kwargs = materialise(case, seed)
            right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
            own = compare_outputs(op, case, expected=right, torch_same_dtype=same, got=same)
        except Exception as error:  # torch says in many ways that it will not
            return f"with other inputs, {reason_of(error)}"
        if not own.passed:
            return f"with other inputs, torch itself fails: {own.reason}"
    return ""
