"""How many representable numbers lie between two values."""

from __future__ import annotations

import math
import typing

if typing.TYPE_CHECKING:
    import torch


def distance(expected: complex, got: complex, dtype: torch.dtype) -> float | None:
    """Steps in the output's dtype from `expected`, rounded to it, to `got`; None where one is not finite or the dtype is no float.

    Neighbours are 1 apart, +0 and -0 are 0 apart. Of complex numbers, the part that is farther off counts.
    """
    if dtype.is_complex:
        parts = [(expected.real, got.real), (expected.imag, got.imag)]
        steps = [_steps(a, b, dtype.to_real()) for a, b in parts]
        return None if None in steps else max(step for step in steps if step is not None)
    return _steps(expected.real, got.real, dtype) if dtype.is_floating_point else None


def _steps(expected: float, got: float, dtype: torch.dtype) -> float | None:
    import torch

    pair = torch.tensor([expected, got], dtype=torch.float64).to(dtype)
    if not all(map(math.isfinite, pair.tolist())) or not math.isfinite(expected):
        return None
    integers = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    first, second = (_ordered(bits, 8 * dtype.itemsize) for bits in pair.view(integers).tolist())
    return float(abs(first - second))


def _ordered(bits: int, width: int) -> int:
    """Sign and magnitude as one integer that grows with the value."""
    return bits if bits >= 0 else -(bits + 2 ** (width - 1))
