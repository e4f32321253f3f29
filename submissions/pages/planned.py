"""Which cases an evaluation will run: known before it starts, so that tables have all their rows from the first moment."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from evaluator.contract import Mode
from evaluator.ops import registry
from evaluator.ops.definition import Op
from evaluator.ops.resolve import resolve
from submissions.known_ops import definition_of
from submissions.models import Evaluation


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case by its name and kind; of a hidden one nothing else is known, for its inputs are drawn anew each time."""

    name: str
    kind: str
    inputs: str = ""
    hidden: bool = False


def planned(evaluation: Evaluation) -> tuple[PlannedCase, ...]:
    """In the order in which the judge runs them. Empty where the op is not known any more. One query for an imported op."""
    if evaluation.op in registry.OPS:
        cases = _of_registry(evaluation.op, evaluation.device)
    else:
        try:
            cases = _cases(resolve(evaluation.op, definition_of(evaluation.op)), evaluation.device)
        except (LookupError, ValueError):
            return ()
    return tuple(case for case in cases if case.kind == "correctness") if evaluation.mode == Mode.TEST else cases


@functools.lru_cache(maxsize=256)
def _of_registry(slug: str, device: str) -> tuple[PlannedCase, ...]:
    return _cases(registry.OPS[slug], device)


def _cases(op: Op, device: str) -> tuple[PlannedCase, ...]:
    """Hidden cases by name alone: what they are called does not depend on the draw."""
    hidden = op.hidden_cases(lambda low, high: low, device)
    return (
        *(PlannedCase(case.name, case.kind, case.describe()) for case in op.correctness_cases(device)),
        *(PlannedCase(case.name, case.kind, hidden=True) for case in hidden),
        *(PlannedCase(case.name, case.kind, case.describe()) for case in op.performance_cases(device)),
    )
