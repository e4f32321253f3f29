"""The same inputs for every kernel of an op, and what is right for them, made once."""

from __future__ import annotations

import typing
from collections.abc import Callable, Hashable, Sequence

from evaluator.correctness import Form
from evaluator.judge.given import Given, Right
from evaluator.judge.inputs import InputSet
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness.oracle import Wide

MOST_BYTES = 256 * 2**20
"""What does not fit is made anew each time: cases that are timed on a GPU take gigabytes."""
T = typing.TypeVar("T")


class Kept(Given):
    """`Given` of one op for the proof, whose kernels all get the same inputs: nothing here depends on the kernel.

    Nobody writes to what is kept. The judge calls the reference on copies of what it writes to, and kernels get copies of the inputs.
    What torch draws for an op that is random is drawn anew each time.
    """

    def __init__(self, op: Op, device: str) -> None:
        super().__init__(op, device)
        self._kept: dict[Hashable, object] = {}
        self._bytes = 0

    def form(self, case: Case) -> Form:
        return self._once(("form", _key(case)), lambda: super(Kept, self).form(case), lambda _form: ())

    def inputs(self, case: Case, seed: int) -> InputSet:
        return self._once(("inputs", _key(case), seed), lambda: super(Kept, self).inputs(case, seed), lambda inputs: inputs.tensors)

    def right(self, inputs: InputSet, dtype: Wide | None) -> Right:
        if self.op.random:
            return super().right(inputs, dtype)
        key = ("right", _key(inputs.case), inputs.seed, dtype)
        return self._once(key, lambda: super(Kept, self).right(inputs, dtype), lambda right: (*right.same, *right.wide))

    def _once(self, key: Hashable, make: Callable[[], T], tensors: Callable[[T], Sequence[torch.Tensor]]) -> T:
        if key in self._kept:
            return typing.cast("T", self._kept[key])
        made = make()
        length = sum(tensor.untyped_storage().nbytes() for tensor in tensors(made))
        if self._bytes + length <= MOST_BYTES:
            self._kept[key] = made
            self._bytes += length
        return made


def _key(case: Case) -> Hashable:
    """Cases of one name may be of two kinds."""
    return case.kind, case.hidden, case.name
