"""How far an output may be from the oracle (the formulae of ENGINE, section 3)."""

from __future__ import annotations

from evaluator.ops.definition import Op

FLOORS = {"float64": 1e-12, "float32": 1e-5, "tf32": 1e-3, "float16": 1e-3, "bfloat16": 5e-3, "float8_e4m3fn": 5e-2, "float8_e5m2": 5e-2}
TORCH_ERROR_FACTOR = 3.0
ELEMENT_FACTOR = 16.0
CEILING = 0.5
"""No tolerance reaches 1, where a zero output would pass, however wrong torch itself is."""


def floor(op: Op, dtype: str) -> float:
    """The tolerance that an op grants even where torch makes no error at all."""
    return FLOORS["tf32" if dtype == "float32" and op.precision == "tf32" else dtype]


def tolerance(op: Op, dtype: str, rel_l2_torch: float) -> float:
    """t = max(3 x torch's own relative error, floor), at most `CEILING`. A torch error that is no number counts as none."""
    own = TORCH_ERROR_FACTOR * rel_l2_torch
    return min(max(own, floor(op, dtype)), CEILING) if own < float("inf") else floor(op, dtype)
