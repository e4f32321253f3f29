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
from dataclasses import dataclass

from evaluator.contract import Mismatch
from evaluator.correctness.blocks import blocks, real_dtype
from evaluator.correctness.elements import Bound, Judged, judge, wrong_in
from evaluator.correctness.mismatches import first_wrong, wrong_elements
from evaluator.correctness.result import OutputComparison
from evaluator.correctness.result import right as nothing_differs
from evaluator.correctness.sums import Sums, measure, relative
from evaluator.correctness.tolerance import ELEMENT_FACTOR, TORCH_ERROR_FACTOR, tolerance

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What the sums over an output say of it, and how far its elements may be off. `far`: the norm of the errors alone refuses it."""

    sums: Sums
    rel_l2: float
    rel_l2_torch: float
    tolerance: float
    far: bool
    bound: Bound

    @classmethod
    def of(cls, op: Op, dtype: torch.dtype, sums: Sums) -> Yardstick:
        rel_l2, rel_l2_torch = relative(sums.ours.square, sums.y_square), relative(sums.torchs.square, sums.y_square)
        t = tolerance(op, str(dtype).removeprefix("torch."), rel_l2_torch)
        far = _far_from_zero(sums) if sums.y_square == 0 else not rel_l2 <= t
        return cls(sums, rel_l2, rel_l2_torch, t, far, Bound(ELEMENT_FACTOR * t, _slack(sums, dtype, far)))


def compare_floats(op: Op, expected: torch.Tensor, torch_same: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    if got.numel() == 0:
        return nothing_differs(0)
    y, same, c = (tensor.detach() for tensor in (expected, torch_same, got))
    passed = _passed_quickly(op, y, same, c)
    if passed is not None:
        return passed
    dtype = real_dtype(c.dtype)
    parts = blocks(c)
    sums = measure(y, same, c, parts)
    stick = Yardstick.of(op, dtype, sums)
    judged = judge(y, c, parts, sums, stick.bound)
    if judged.count:
        bad = (block for block, count in zip(parts, judged.wrong, strict=True) if count)
        mismatches = first_wrong(y, c, bad, lambda block: wrong_in(block, y, c, sums, stick.bound))
        return _found(stick, judged, c, wrong_elements(judged.count, c.numel(), mismatches), mismatches)
    if stick.far:
        # If no element erred by more than half of t, the norm of the errors could not exceed t.
        half = Bound(stick.tolerance / 2, 0.0)
        mismatches = first_wrong(y, c, parts, lambda block: wrong_in(block, y, c, sums, half))
        return _found(stick, judged, c, f"relative error {stick.rel_l2:.3g} is above the tolerance {stick.tolerance:.3g}", mismatches)
    return _found(stick, judged, c)


def _passed_quickly(op: Op, y: torch.Tensor, same: torch.Tensor, c: torch.Tensor) -> OutputComparison | None:
    """The result by two kernels, where a large output on a GPU passes; None elsewhere."""
    if not c.is_cuda:
        return None
    from evaluator.correctness import fused

    sums = fused.measure(y, same, c) if fused.usable(y, same, c) else None
    stick = Yardstick.of(op, c.dtype, sums) if sums is not None else None
    if stick is None or stick.far:
        return None
    judged = fused.judge(y, c, stick.bound)
    return _found(stick, judged, c) if not judged.count else None


def _found(stick: Yardstick, judged: Judged, c: torch.Tensor, reason: str = "", mismatches: tuple[Mismatch, ...] = ()) -> OutputComparison:
    return OutputComparison(
        reason,
        c.numel(),
        max_abs=judged.max_abs,
        max_rel=judged.max_rel,
        rel_l2=stick.rel_l2,
        rel_l2_torch=stick.rel_l2_torch,
        tolerance=stick.tolerance,
        mismatch_share=judged.count / c.numel(),
        bias=stick.sums.ours.bias(stick.sums.finite),
        bias_torch=stick.sums.torchs.bias(stick.sums.finite),
        mismatches=mismatches,
        dtype=str(c.dtype).removeprefix("torch."),
    )


def _far_from_zero(sums: Sums) -> bool:
    return math.sqrt(sums.ours.square) > TORCH_ERROR_FACTOR * math.sqrt(sums.torchs.square)


def _slack(sums: Sums, dtype: torch.dtype, far: bool) -> float:
    """eps(dtype) rms(y); where the oracle is zero everywhere, the norm alone decides."""
    import torch

    if sums.y_square == 0:
        return 0.0 if far else math.inf
    return torch.finfo(dtype).eps * math.sqrt(sums.y_square / max(sums.finite, 1))
