"""The sums and the look at every element of `sums.py` and `elements.py` as two Triton kernels, for large float outputs on a GPU.

Each reads its tensors once, where torch's operations make a float64 tensor at every step. For outputs without NaN and infinities; the
others, and those that turn out wrong, go through torch's operations.
"""

# Triton kernels have no Python types.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl

from evaluator.correctness.blocks import row_length
from evaluator.correctness.elements import Bound, Judged
from evaluator.correctness.sums import Errors, Sums

LEAST_ELEMENTS = 1 << 20
SHORTEST_ROW = 16
"""Shorter rows would need more memory for their norms than a comparison may have."""
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
PROGRAMS, TILE = 2048, 512
FIGURES, FOUND = 9, 3


def usable(y: torch.Tensor, same: torch.Tensor, c: torch.Tensor) -> bool:
    large = LEAST_ELEMENTS <= c.numel() < 2**31 - PROGRAMS * TILE
    return (
        large and row_length(c.shape) >= SHORTEST_ROW and all(t.is_cuda and t.is_contiguous() and t.dtype in DTYPES for t in (y, same, c))
    )


def measure(y: torch.Tensor, same: torch.Tensor, c: torch.Tensor) -> Sums | None:
    """As `sums.measure`, for the whole tensor as one block; None where something is not finite in the output's dtype."""
    count = c.numel()
    programs = min(PROGRAMS, triton.cdiv(count, TILE))
    found = torch.empty((programs, FIGURES), dtype=torch.float64, device=c.device)
    _measure[(programs,)](y, same, c, found, count, programs * TILE, TILE=TILE)
    rows = found.cpu()
    total = rows.sum(0).tolist()
    least, most = float(rows[:, 7].min()), float(rows[:, 8].max())
    if not all(map(math.isfinite, total)) or most > torch.finfo(c.dtype).max:
        return None
    return Sums(total[0], count, Errors(*total[1:4]), Errors(*total[4:7]), (True,), (least == 0,), {})


def judge(y: torch.Tensor, c: torch.Tensor, bound: Bound) -> Judged:
    """As `elements.judge`, where `measure` gave something."""
    count, columns = c.numel(), row_length(c.shape)
    rms = torch.linalg.vector_norm(y.view(-1, columns), dim=1, dtype=torch.float64).div_(math.sqrt(columns))
    limits = torch.tensor([bound.factor, bound.slack], dtype=torch.float64, device=c.device)
    programs = min(PROGRAMS, triton.cdiv(count, TILE))
    found = torch.empty((programs, FOUND), dtype=torch.float64, device=c.device)
    _judge[(programs,)](y, c, rms, limits, found, count, columns, programs * TILE, TILE=TILE)
    rows = found.cpu()
    most = rows.max(0).values.tolist()
    return Judged((round(float(rows[:, 0].sum())),), most[1], most[2])


def warm_up() -> None:
    """Compile and load the kernels for the usual dtypes."""
    y = torch.ones(LEAST_ELEMENTS, dtype=torch.float64, device="cuda")
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        c = y.to(dtype)
        measure(y, c, c)
        judge(y, c, Bound(1.0, 1.0))


@triton.jit
def _measure(y_ptr, same_ptr, c_ptr, found_ptr, n, step, TILE: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, TILE)
    y_square = tl.zeros([TILE], dtype=tl.float64)
    square, total, size = y_square, y_square, y_square
    torch_square, torch_total, torch_size = y_square, y_square, y_square
    least, most = y_square + float("inf"), y_square
    start = tl.program_id(0) * TILE
    for first in range(start, n, step):
        at = first + lanes
        inside = at < n
        y = tl.load(y_ptr + at, mask=inside, other=0.0).to(tl.float64)
        c = tl.load(c_ptr + at, mask=inside, other=0.0).to(tl.float64)
        same = tl.load(same_ptr + at, mask=inside, other=0.0).to(tl.float64)
        magnitude = tl.abs(y)
        error = c - y
        torch_error = same - y
        y_square += y * y
        square += error * error
        total += error
        size += tl.abs(c) - magnitude
        torch_square += torch_error * torch_error
        torch_total += torch_error
        torch_size += tl.abs(same) - magnitude
        least = tl.minimum(least, tl.where(inside, magnitude, float("inf")))
        most = tl.maximum(most, magnitude)
    found = found_ptr + tl.program_id(0) * 9
    tl.store(found, tl.sum(y_square, 0))
    tl.store(found + 1, tl.sum(square, 0))
    tl.store(found + 2, tl.sum(total, 0))
    tl.store(found + 3, tl.sum(size, 0))
    tl.store(found + 4, tl.sum(torch_square, 0))
    tl.store(found + 5, tl.sum(torch_total, 0))
    tl.store(found + 6, tl.sum(torch_size, 0))
    tl.store(found + 7, tl.min(least, 0))
    tl.store(found + 8, tl.max(most, 0))


@triton.jit(do_not_specialize=["columns"])
def _judge(y_ptr, c_ptr, rms_ptr, limits_ptr, found_ptr, n, columns, step, TILE: tl.constexpr):  # noqa: N803
    lanes = tl.arange(0, TILE)
    factor, slack = tl.load(limits_ptr), tl.load(limits_ptr + 1)
    wrong = tl.zeros([TILE], dtype=tl.float64)
    largest, relative = wrong, wrong
    start = tl.program_id(0) * TILE
    for first in range(start, n, step):
        at = first + lanes
        inside = at < n
        y = tl.load(y_ptr + at, mask=inside, other=0.0).to(tl.float64)
        c = tl.load(c_ptr + at, mask=inside, other=0.0).to(tl.float64)
        rms = tl.load(rms_ptr + at // columns, mask=inside, other=0.0)
        magnitude = tl.abs(y)
        error = tl.abs(c - y)
        wrong += tl.where(error > (magnitude + rms) * factor + slack, 1.0, 0.0)
        largest = tl.maximum(largest, error)
        relative = tl.maximum(relative, tl.where(magnitude > 0, error / tl.where(magnitude > 0, magnitude, 1.0), 0.0))
    found = found_ptr + tl.program_id(0) * 3
    tl.store(found, tl.sum(wrong, 0))
    tl.store(found + 1, tl.max(largest, 0))
    tl.store(found + 2, tl.max(relative, 0))
