"""A comparison needs at most twice the output's memory beside the tensors that it is given: counted by torch's own allocator events."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest
import torch

from evaluator.contract import Policy
from tests.evaluator.correctness.outputs import OP, compare, normal

EXACT = dataclasses.replace(OP, compare="exact")


def peak_bytes(call: Callable[[], object]) -> int:
    """The most that was allocated at once within a call, and not before it."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        call()
    running = peak = 0
    for event in profile.profiler.kineto_results.events():  # type: ignore[union-attr]
        if event.name() == "[memory]":
            running += event.nbytes()
            peak = max(peak, running)
    return peak


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((450, 600), torch.float32),
        ((300, 400), torch.float64),
        ((600, 900), torch.bfloat16),
        ((1 << 19, 2), torch.float16),
        ((2, 1 << 18), torch.float16),
        ((1000, 1000), torch.float8_e5m2),
        ((300, 400), torch.complex64),
        ((1000, 1000), torch.uint8),
        ((1000, 1000), torch.bool),
        ((300, 400), torch.int64),
    ],
    ids=str,
)
def test_little_memory_is_needed(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    floats = dtype.is_floating_point or dtype.is_complex
    right = normal(shape, 1, dtype) if floats else torch.randint(0, 2, shape).to(dtype)
    got = right.to(dtype, copy=True)
    same = got.clone()
    special, wrong = got.clone(), got.clone()
    special.view(-1)[5:7] = 1
    wrong.view(torch.uint8).reshape(-1)[: got.numel() // 2] ^= 1
    if floats:
        right.view(-1)[3] = same.view(-1)[3] = got.view(-1)[3] = math.nan
    allowed = 2 * got.numel() * got.element_size()

    for policy, op in ((Policy.SCALED, OP), (Policy.SCALED, EXACT), (Policy.BACKENDBENCH, OP)):
        for output in (got, special, wrong):
            used = peak_bytes(lambda: compare(right, output, same, op, policy))  # noqa: B023
            assert used <= allowed, (policy, op.compare, used / allowed)


def test_strides_cost_no_copy_of_the_whole() -> None:
    right = normal((600, 1, 1200), 1).permute(2, 1, 0)
    got, same = right.contiguous().float(), right.float()

    assert not right.is_contiguous() and not same.is_contiguous()
    assert peak_bytes(lambda: compare(right, got, same)) <= 2 * got.numel() * got.element_size()
