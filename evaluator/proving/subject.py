"""What of an op is looked at: its cases, hidden draws included, and its outputs."""

from __future__ import annotations

import random

from evaluator.correctness import expected_form
from evaluator.ops.definition import Case, Op

Outputs = list[tuple[tuple[int, ...], str]]
"""Shape and dtype of each."""
HIDDEN_SEED = 20
"""Hidden cases are drawn once for all, so that a table can be made again."""


def cases_of(op: Op, device: str) -> tuple[Case, ...]:
    """Correctness cases of a device class, public ones and one draw of hidden ones."""
    return (*op.correctness_cases(device), *op.hidden_cases(random.Random(HIDDEN_SEED).randint, device))


def outputs_of(op: Op, case: Case) -> Outputs:
    """Shape and dtype of the returned outputs, then of the arguments written to."""
    specs = case.tensors
    returned = [(meta.shape, meta.dtype) for meta in expected_form(op, case, "cpu").outputs]
    return returned + [(specs[number].shape, specs[number].dtype) for number in op.mutates]
