"""Outputs to compare, and how the tests of this folder compare them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from hypothesis import strategies as st

from evaluator.contract import Policy
from evaluator.correctness import Comparison, blocks, compare_outputs
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.registry import get

CASE = Case("made_up", "correctness", (TensorSpec((1,)),))
OP = get("softmax")
SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.lists(st.integers(1, 9), max_size=3).map(tuple)
FLOAT_DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
COMPLEX_DTYPES = [torch.complex64, torch.complex128]


def compare(
    expected: torch.Tensor, got: torch.Tensor, same: torch.Tensor | None = None, op: Op = OP, policy: Policy = Policy.SCALED
) -> Comparison:
    """Compare one output; torch's own answer is the rounded oracle unless given."""
    same = expected.to(got.dtype) if same is None else same
    return compare_outputs(op, CASE, expected=[expected], torch_same_dtype=[same], got=[got], policy=policy)


def normal(shape: tuple[int, ...], seed: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """float64, or complex128 for complex dtypes: what an oracle gives for an output of this dtype."""
    wide = torch.complex128 if dtype.is_complex else torch.float64
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=wide)


@contextlib.contextmanager
def small_blocks(elements: int) -> Iterator[None]:
    """Compare by so few elements at a time."""
    before = blocks.BLOCK_ELEMENTS["cpu"]
    blocks.BLOCK_ELEMENTS["cpu"] = elements
    try:
        yield
    finally:
        blocks.BLOCK_ELEMENTS["cpu"] = before
