"""Comparison of a float or complex output with the oracle, policy `scaled`.

With t the tolerance, c the output and y the oracle, an output is right when its NaN, +Inf and -Inf stand where the oracle's do,
relL2(c, y) = |c - y| / |y| <= t over the finite elements, and for each of them
|c - y| <= 16 t (|y| + rms_row(y)) + eps(dtype) rms(y). A row is the last dimension longer than 1, or all that there is. What of the
oracle lies beyond the range of the output's dtype counts as what torch's conversion makes of it: infinity, or for float8_e4m3fn
its largest number or NaN. Where the oracle is zero everywhere, the output may be as far from it as three times torch is.

Complex outputs are judged as pairs of reals by the same formula: relL2 is that of the moduli, an element is wrong when one of its
parts is, and a row is the last dimension with both parts.
"""

from __future__ import annotations

import math
import typing

from evaluator.contract import Mismatch
from evaluator.correctness.blocks import blocks, real_dtype
from evaluator.correctness.elements import Bound, judge, wrong_in
from evaluator.correctness.mismatches import first_wrong, wrong_elements
from evaluator.correctness.result import OutputComparison
from evaluator.correctness.result import right as nothing_differs
from evaluator.correctness.sums import Sums, measure, relative
from evaluator.correctness.tolerance import ELEMENT_FACTOR, TORCH_ERROR_FACTOR, tolerance

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op


def compare_floats(op: Op, expected: torch.Tensor, torch_same: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    if got.numel() == 0:
        return nothing_differs(0)
    y, same, c = (tensor.detach() for tensor in (expected, torch_same, got))
    parts = blocks(c)
    sums = measure(y, same, c, parts)
    rel_l2, rel_l2_torch = relative(sums.ours.square, sums.y_square), relative(sums.torchs.square, sums.y_square)
    t = tolerance(op, str(real_dtype(c.dtype)).removeprefix("torch."), rel_l2_torch)
    far = _far_from_zero(sums) if sums.y_square == 0 else not rel_l2 <= t
    bound = Bound(ELEMENT_FACTOR * t, _slack(sums, real_dtype(c.dtype), far))
    judged = judge(y, c, parts, sums, bound)
    mismatches: tuple[Mismatch, ...] = ()
    reason = ""
    if judged.count:
        bad = (block for block, count in zip(parts, judged.wrong, strict=True) if count)
        mismatches = first_wrong(y, c, bad, lambda block: wrong_in(block, y, c, sums, bound))
        reason = wrong_elements(judged.count, got.numel(), mismatches)
    elif far:
        # If no element erred by more than half of t, the norm of the errors could not exceed t.
        half = Bound(t / 2, 0.0)
        mismatches = first_wrong(y, c, parts, lambda block: wrong_in(block, y, c, sums, half))
        reason = f"relative error {rel_l2:.3g} is above the tolerance {t:.3g}"
    return OutputComparison(
        reason,
        got.numel(),
        max_abs=judged.max_abs,
        max_rel=judged.max_rel,
        rel_l2=rel_l2,
        rel_l2_torch=rel_l2_torch,
        tolerance=t,
        mismatch_share=judged.count / got.numel(),
        bias=sums.ours.bias(sums.finite),
        bias_torch=sums.torchs.bias(sums.finite),
        mismatches=mismatches,
    )


def _far_from_zero(sums: Sums) -> bool:
    return math.sqrt(sums.ours.square) > TORCH_ERROR_FACTOR * math.sqrt(sums.torchs.square)


def _slack(sums: Sums, dtype: torch.dtype, far: bool) -> float:
    """eps(dtype) rms(y); where the oracle is zero everywhere, the norm alone decides."""
    import torch

    if sums.y_square == 0:
        return 0.0 if far else math.inf
    return torch.finfo(dtype).eps * math.sqrt(sums.y_square / max(sums.finite, 1))
