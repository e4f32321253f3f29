"""Comparison of a float output with the float64 oracle.

With t the tolerance, c the output and y the oracle, an output is right when its NaN, +Inf and -Inf stand where the oracle's do,
relL2(c, y) = |c - y| / |y| <= t over the finite elements, and for each of them
|c - y| <= 16 t (|y| + rms_row(y)) + eps(dtype) rms(y). A row is the last dimension longer than 1, or all that there is. The
oracle's infinities are those after rounding to the output's dtype. Where the oracle is zero everywhere, the output may be as far
from it as three times torch is.
"""

from __future__ import annotations

import math
import typing

from evaluator.contract import Mismatch
from evaluator.correctness.blocks import blocks
from evaluator.correctness.elements import Bound, first_wrong, judge
from evaluator.correctness.result import OutputComparison, wrong_elements
from evaluator.correctness.sums import Sums, measure, relative
from evaluator.correctness.tolerance import ELEMENT_FACTOR, TORCH_ERROR_FACTOR, tolerance

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op


def compare_floats(op: Op, expected: torch.Tensor, torch_same: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    if got.numel() == 0:
        return OutputComparison(True, "", 0.0, 0.0, 0.0, 0.0, None, 0.0, ())
    columns = next((size for size in reversed(got.shape) if size > 1), 1)
    y, same, c = (t.detach().reshape(-1, columns) for t in (expected, torch_same, got))
    parts = list(blocks(c))
    sums = measure(y, same, c, parts)
    rel_l2, rel_l2_torch = relative(sums.error_square, sums.y_square), relative(sums.torch_error_square, sums.y_square)
    t = tolerance(op, str(got.dtype).removeprefix("torch."), rel_l2_torch)
    far = _far_from_zero(sums) if sums.y_square == 0 else not rel_l2 <= t
    bound = Bound(ELEMENT_FACTOR * t, _slack(sums, got.dtype, far))
    judged = judge(y, c, parts, sums, bound)
    mismatches: tuple[Mismatch, ...] = ()
    reason = ""
    if judged.wrong:
        mismatches = first_wrong(expected, got, y, c, parts, sums, bound)
        reason = wrong_elements(judged.wrong, got.numel(), mismatches)
    elif far:
        # If no element erred by more than half of t, the norm of the errors could not exceed t.
        mismatches = first_wrong(expected, got, y, c, parts, sums, Bound(t / 2, 0.0))
        reason = f"relative error {rel_l2:.3g} is above the tolerance {t:.3g}"
    share = judged.wrong / got.numel()
    return OutputComparison(not reason, reason, judged.max_abs, judged.max_rel, rel_l2, rel_l2_torch, t, share, mismatches)


def _far_from_zero(sums: Sums) -> bool:
    return math.sqrt(sums.error_square) > TORCH_ERROR_FACTOR * math.sqrt(sums.torch_error_square)


def _slack(sums: Sums, dtype: torch.dtype, far: bool) -> float:
    """eps(dtype) rms(y); where the oracle is zero everywhere, the norm alone decides."""
    import torch

    if sums.y_square == 0:
        return 0.0 if far else math.inf
    return torch.finfo(dtype).eps * math.sqrt(sums.y_square / max(sums.finite, 1))
