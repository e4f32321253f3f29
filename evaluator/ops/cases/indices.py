"""Recipes of index tensors, and how much of a table such indices touch."""

from __future__ import annotations

import math

from evaluator.ops.arguments import tensor
from evaluator.ops.definition import TensorSpec


def indices(*shape: int, below: int, dtype: str = "int64", strides: tuple[int, ...] | None = None) -> TensorSpec:
    """Numbers drawn from [0, below), repeats included."""
    return tensor(*shape, dtype=dtype, generator="integers", low=0, high=below, strides=strides)


def distinct(draws: int, rows: int) -> int:
    """How many different rows so many draws touch on average: only these must be read. At least one where anything is drawn."""
    if not draws or not rows:
        return 0
    return max(1, math.floor(rows * -math.expm1(draws * math.log1p(-1 / rows)))) if rows > 1 else 1
