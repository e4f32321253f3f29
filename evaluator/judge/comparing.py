"""Compare the outputs of one call with what the judge computes itself, and say it as the result of a case."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from evaluator.contract import CaseResult, Flag, Policy, Reason, Verdict
from evaluator.correctness import Comparison, Doubts, RuleError, compare_outputs
from evaluator.correctness.affordable import device_memory, oracle_dtype
from evaluator.judge.given import Given
from evaluator.judge.inputs import InputSet
from evaluator.judge.peer import InfrastructureError
from evaluator.ops.definition import Case, Op

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness.oracle import Wide
    from evaluator.devices import DeviceClass

OUT_OF_BOUNDS = "out_of_bounds_write"
HIDDEN_REASON = "failed on a hidden shape; shapes are drawn anew for each evaluation, so look at sizes that no power of two divides"
HINTS = {
    Verdict.WRONG_RESULT: "Compare with the reference on the shown elements; the case's command reproduces it on your machine.",
    Verdict.WRONG_SHAPE: "Return a tensor of the reference's shape.",
    Verdict.WRONG_DTYPE: "Return the dtype that torch would return for these inputs.",
    Verdict.WRONG_DEVICE: "Allocate the output on the input's device.",
    Verdict.WRONG_STRIDES: "Return a contiguous tensor, for example by allocating it with torch.empty.",
    Verdict.ALIASED_OUTPUT: "Allocate a new output in every call.",
    Verdict.INPUT_MUTATED: "Write to a new tensor, not to an argument.",
}
CODE_HINTS = {OUT_OF_BOUNDS: "Mask stores, so that the last block writes nothing beyond the tensor."}


class Comparer:
    """Compares calls of one op under one policy, and keeps count of what flags are made of. `device` is torch's, `hardware` its class.

    `given`: where inputs and what is right for them come from.
    """

    def __init__(
        self, op: Op, device: str, *, policy: Policy = Policy.SCALED, hardware: DeviceClass | None = None, given: Given | None = None
    ) -> None:
        self.op, self.policy = op, policy
        self.given = given or Given(op, device)
        self._hardware = hardware
        self._memory_bytes = device_memory(device)
        self._doubts = Doubts()

    def compare(self, case: Case, inputs: InputSet, outputs: Sequence[torch.Tensor]) -> CaseResult:
        """The result of one call whose outputs have the right form. Raises `InfrastructureError` when a rule of the op fails."""
        args, kwargs = inputs.arguments()
        dtype = oracle_dtype(self.op, case, self._hardware, self._memory_bytes) if self._needs_oracle() else None
        right = self.given.right(inputs, dtype)
        try:
            found = compare_outputs(
                self.op, case, expected=right.wide, torch_same_dtype=right.same, got=outputs, args=args, kwargs=kwargs, policy=self.policy
            )
        except RuleError as error:
            raise InfrastructureError(str(error)) from error
        if found.passed:
            self._doubts.add(found.outputs)
        return _result(case, found, dtype)

    def flags(self) -> list[Flag]:
        """What is odd about most of the outputs so far."""
        return self._doubts.flags()

    def _needs_oracle(self) -> bool:
        """Random ops are held to their rules alone, exact ones to torch's own output."""
        if self.op.random:
            return False
        return bool(self.op.rules) or (self.policy is Policy.SCALED and self.op.compare == "scaled")


def failed(case: Case, verdict: Verdict, reason: str, detail: str = "", code: str = "") -> CaseResult:
    """The result of a call that came to no comparison, or fell through it. A hidden case says that it failed, not on what."""
    return CaseResult(
        name=case.name,
        kind=case.kind,
        passed=False,
        inputs="hidden" if case.hidden else case.describe(),
        hidden=case.hidden,
        verdict=verdict,
        reason=HIDDEN_REASON if case.hidden else f"{reason}\n{detail}".rstrip(),
        code=code,
    )


def spent(result: CaseResult) -> float:
    """Share of the tolerance that a call's relative error takes."""
    return (result.rel_l2 or 0.0) / result.tolerance if result.tolerance else 0.0


def first_reason(result: CaseResult) -> Reason:
    """The evaluation's reason for a failed case."""
    message, _, detail = result.reason.partition("\n")
    hint = CODE_HINTS.get(result.code) or (HINTS.get(result.verdict, "") if result.verdict else "")
    return Reason(result.code or str(result.verdict), f"case {result.name}: {message}", detail, hint)


def _result(case: Case, found: Comparison, oracle: Wide | None) -> CaseResult:
    return CaseResult(
        name=case.name,
        kind=case.kind,
        passed=found.passed,
        inputs="hidden" if case.hidden else case.describe(),
        hidden=case.hidden,
        verdict=found.verdict,
        reason=HIDDEN_REASON if case.hidden and found.reason else found.reason,
        max_abs=found.max_abs,
        max_rel=found.max_rel,
        rel_l2=found.rel_l2,
        rel_l2_torch=found.rel_l2_torch,
        tolerance=found.tolerance,
        mismatch_share=None if case.hidden else found.mismatch_share,
        bias=found.bias,
        oracle=oracle or "",
        mismatches=() if case.hidden else found.mismatches,
    )
