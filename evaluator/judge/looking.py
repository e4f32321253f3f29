"""Look at the outputs of timed calls: all of them quickly, some of them as thoroughly as in the check (ENGINE §1)."""

from __future__ import annotations

import secrets
import typing
from collections.abc import Sequence

from evaluator.contract import CaseResult, Verdict
from evaluator.judge.alike import near
from evaluator.judge.comparing import Comparer, failed, spent
from evaluator.judge.repeats import Fingerprints
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

    from evaluator.judge.inputs import InputSet

Calls = Sequence[Sequence["torch.Tensor"]]


class Looker:
    """Looks at the timed calls of one case. `share` of them, chosen secretly, are compared thoroughly whatever they look like.

    The quick look holds an output against torch's on the same inputs: equal where the op is exact, else near. What is not alike is
    compared thoroughly. Random outputs are alike in nothing: of them, one call in each command is chosen besides.
    """

    def __init__(self, op: Op, case: Case, comparer: Comparer) -> None:
        self.op, self.case, self.comparer = op, case, comparer
        self.share = 1.0
        self.worst: CaseResult | None = None
        self._drawn = Fingerprints() if op.random else None

    def wrong(self, inputs: Sequence[InputSet], theirs: Calls, ours: Calls) -> CaseResult | None:
        """The first call whose outputs are wrong. `ours` are torch's outputs for the same inputs."""
        if self.op.random:
            chosen = secrets.randbelow(len(inputs))
            alike = [number != chosen for number in range(len(inputs))]
        else:
            alike = near(theirs, ours, exact=self.op.compare == "exact")
        for number, each in enumerate(inputs):
            if alike[number] and secrets.randbelow(1_000_000) >= self.share * 1_000_000:
                continue
            result = self.comparer.compare(self.case, each, theirs[number])
            if not result.passed:
                return result
            if self.worst is None or spent(result) > spent(self.worst):
                self.worst = result
        again = self._drawn.repeated(theirs, ours) if self._drawn is not None else None
        if again is not None:
            return failed(self.case, Verdict.WRONG_RESULT, f"output {again}: timed calls gave the same random numbers again and again")
        return None
