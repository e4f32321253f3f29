"""What the judge holds of a case before any call: the form of its outputs, its inputs, and what is right for them."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from evaluator.correctness import Form, expected_form, oracle, same_dtype
from evaluator.judge.inputs import InputSet
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness.oracle import Wide


@dataclass(frozen=True, slots=True)
class Right:
    """The reference's outputs in the inputs' own dtypes, and the oracle's; these are the same where no oracle is asked for."""

    same: tuple[torch.Tensor, ...]
    wide: tuple[torch.Tensor, ...]


class Given:
    """Makes it anew at every question: an evaluation looks at each of its inputs once. `device` is torch's."""

    def __init__(self, op: Op, device: str) -> None:
        self.op, self.device = op, device

    def form(self, case: Case) -> Form:
        return expected_form(self.op, case, self.device)

    def inputs(self, case: Case, seed: int) -> InputSet:
        return InputSet(case, self.device, seed)

    def right(self, inputs: InputSet, dtype: Wide | None) -> Right:
        """`dtype` is the oracle's, None for no oracle."""
        args, kwargs = inputs.arguments()
        same = same_dtype(self.op, args, kwargs)
        return Right(same, oracle(self.op, args, kwargs, dtype) if dtype else same)
