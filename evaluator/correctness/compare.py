"""Compare outputs with what is right and say what is wrong."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.contract import Mismatch, Policy, Verdict
from evaluator.correctness.exact import compare_exact
from evaluator.correctness.fixed import compare_fixed
from evaluator.correctness.floats import compare_floats
from evaluator.correctness.metadata import check_metadata, output_meta
from evaluator.correctness.result import OutputComparison
from evaluator.correctness.rules import by_rule
from evaluator.ops.definition import Call

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Case, Op


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether all outputs of one case are right. Figures are those of the first wrong output, else of the one that spends most of its
    tolerance; `bias` is the largest of all. Under `scaled`, errors are errors against the oracle."""

    passed: bool
    verdict: Verdict | None
    reason: str
    max_abs: float | None = None
    max_rel: float | None = None
    rel_l2: float | None = None
    rel_l2_torch: float | None = None
    tolerance: float | None = None
    mismatch_share: float | None = None
    bias: float | None = None
    mismatches: tuple[Mismatch, ...] = ()
    outputs: tuple[OutputComparison, ...] = ()


def compare_outputs(
    op: Op,
    case: Case,
    *,
    expected: Sequence[torch.Tensor],
    torch_same_dtype: Sequence[torch.Tensor],
    got: Sequence[torch.Tensor],
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    policy: Policy = Policy.SCALED,
) -> Comparison:
    """Compare `got` with `expected`, the oracle's outputs, with torch's own error in the same dtype as the yardstick.

    `args` and `kwargs` are what the judge holds of the call's arguments; rules look at them. `torch_same_dtype` tells the form that outputs
    must have; memory layout is not judged here. Needs at most twice the largest output's memory beside what is given.
    Raises `RuleError` when a rule of the op fails.
    """
    unlike = check_metadata(_any_strides(op), case, [output_meta(t) for t in torch_same_dtype], [output_meta(t) for t in got])
    if unlike is not None:
        return Comparison(False, *unlike)
    call = Call(args, kwargs or {}, expected, got)
    return _combine([_compare(op, number, call, same, policy) for number, same in enumerate(torch_same_dtype)])


def _compare(op: Op, number: int, call: Call, same: torch.Tensor, policy: Policy) -> OutputComparison:
    if number in op.rules:
        return by_rule(op, number, call)
    right, got = call.expected[number], call.got[number]
    if policy is Policy.BACKENDBENCH:
        return compare_fixed(same, got)
    if op.compare == "exact":
        return compare_exact(same, got)
    if got.is_floating_point() or got.is_complex():
        return compare_floats(op, right, same, got)
    return compare_exact(right, got)


def _any_strides(op: Op) -> Op:
    return dataclasses.replace(op, strides_policy="any")


def _combine(outputs: Sequence[OutputComparison]) -> Comparison:
    wrong = next(((number, output) for number, output in enumerate(outputs) if not output.passed), None)
    shown = wrong[1] if wrong else max(outputs, key=lambda output: output.spent, default=OutputComparison("", 0))
    return Comparison(
        passed=wrong is None,
        verdict=Verdict.WRONG_RESULT if wrong else None,
        reason=f"output {wrong[0]}: {wrong[1].reason}" if wrong else "",
        max_abs=shown.max_abs,
        max_rel=shown.max_rel,
        rel_l2=shown.rel_l2,
        rel_l2_torch=shown.rel_l2_torch,
        tolerance=shown.tolerance,
        mismatch_share=shown.mismatch_share,
        bias=max((output.bias for output in outputs if output.bias is not None), default=None),
        mismatches=shown.mismatches,
        outputs=tuple(outputs),
    )
