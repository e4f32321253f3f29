"""Mutants that are no mutants: what they change does not change the op."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import replace

from evaluator.correctness import oracle, same_dtype
from evaluator.judge.alike import same_bytes
from evaluator.ops.definition import Case, Op
from evaluator.ops.validate import materialise
from evaluator.proving.mutants import LOWER_PRECISION, Mutant, torch_itself

if typing.TYPE_CHECKING:
    import torch

CLOSE = 1e-12
"""Two ways to compute one thing in float64 differ by less than this share of the largest element."""
COMMUTES = "the op is the same in both operands"
_SAME = {
    ("add", "operands 0 and 1 swapped"): COMMUTES,
    ("add_rms_norm", "operands 0 and 1 swapped"): "x and residual are added before anything else",
    ("addcmul", "operands 1 and 2 swapped"): "the two factors commute",
    ("complex_mul", "operands 0 and 1 swapped"): COMMUTES,
    ("histogram", "offset by one"): "counts do not depend on the order of what is counted",
    ("mse_loss", "operands 0 and 1 swapped"): COMMUTES,
    ("mul", "operands 0 and 1 swapped"): COMMUTES,
    ("smooth_l1_loss", "operands 0 and 1 swapped"): COMMUTES,
}


def why_the_same(op: str, mutant: str) -> str:
    """Why a mutant cannot differ from the op; "" when there is no reason that we know."""
    return _SAME.get((op, mutant), "")


def same_function(op: Op, mutant: Mutant, cases: Sequence[Case]) -> bool:
    """Whether the mutant gives what torch gives on every case: the same bits, or in float64 the same but for rounding."""
    in_float64 = mutant.name != LOWER_PRECISION
    return all(_alike(op, mutant, case, seed, in_float64=in_float64) for case in cases for seed in (1, 2))


def _alike(op: Op, mutant: Mutant, case: Case, seed: int, *, in_float64: bool) -> bool:
    both = [replace(op, reference=typing.cast("typing.Any", kernel)) for kernel in (mutant.make(), torch_itself(op))]
    args, kwargs = materialise(case, seed)
    theirs, ours = (same_dtype(each, args, kwargs) for each in both)
    if all(a.shape == b.shape and same_bytes(a.reshape(-1), b.reshape(-1)) for a, b in zip(theirs, ours, strict=True)):
        return True
    return in_float64 and all(_close(a, b) for a, b in zip(*(oracle(each, args, kwargs) for each in both), strict=True))


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    import torch

    if a.shape != b.shape or not (a.is_floating_point() or a.is_complex()):
        return a.shape == b.shape and torch.equal(a, b)
    largest = float(b[b.isfinite()].abs().max()) if bool(b.isfinite().any()) else 0.0
    return torch.allclose(a, b, rtol=CLOSE, atol=CLOSE * largest, equal_nan=True)
