"""Compare outputs with the oracle and say what is wrong."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.contract import Mismatch, Verdict
from evaluator.correctness.exact import compare_exact
from evaluator.correctness.floats import compare_floats
from evaluator.correctness.metadata import check_metadata, output_meta

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness.result import OutputComparison
    from evaluator.ops.definition import Case, Op


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether all outputs of one case are right. Errors are the worst over outputs and compare with the fp64 oracle."""

    passed: bool
    verdict: Verdict | None
    reason: str
    max_abs: float | None = None
    max_rel: float | None = None
    rel_l2: float | None = None
    rel_l2_torch: float | None = None
    tolerance: float | None = None
    mismatch_share: float | None = None
    mismatches: tuple[Mismatch, ...] = ()


def compare_outputs(
    op: Op,
    case: Case,
    *,
    expected: Sequence[torch.Tensor],
    torch_same_dtype: Sequence[torch.Tensor],
    got: Sequence[torch.Tensor],
) -> Comparison:
    """Compare `got` with `expected` (float64 where outputs are floats), with torch's own error as the yardstick.

    `torch_same_dtype` tells the form that outputs must have; memory layout is not judged here.
    """
    unlike = check_metadata(_any_strides(op), case, [output_meta(t) for t in torch_same_dtype], [output_meta(t) for t in got])
    if unlike is not None:
        return Comparison(False, *unlike)
    outputs = [
        compare_floats(op, right, same, have) if same.is_floating_point() else compare_exact(right, have)
        for right, same, have in zip(expected, torch_same_dtype, got, strict=True)
    ]
    return _combine(outputs)


def _any_strides(op: Op) -> Op:
    import dataclasses

    return dataclasses.replace(op, strides_policy="any")


def _combine(outputs: Sequence[OutputComparison]) -> Comparison:
    wrong = next(((i, out) for i, out in enumerate(outputs) if not out.passed), None)
    shown = wrong[1] if wrong else max(outputs, key=lambda out: out.rel_l2 or 0.0)
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
        mismatches=shown.mismatches,
    )
