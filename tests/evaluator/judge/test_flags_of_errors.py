"""Kernels that pass and get a flag for how they err, through the judge's checker."""

from __future__ import annotations

import dataclasses

import torch

from evaluator.contract import Flag
from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.registry import get
from tests.evaluator.judge.in_process import checked

SIGMOID = dataclasses.replace(get("relu"), reference=torch.sigmoid)
CASE = correctness("bfloat16", tensor(64, 128, dtype="bfloat16"))


def cut_off(x: torch.Tensor) -> torch.Tensor:
    """Sigmoid in float32, whose lower 16 bits are dropped."""
    bits = torch.sigmoid(x.float()).view(torch.int32) & -65536
    return bits.view(torch.float32).to(x.dtype)


def test_a_kernel_that_cuts_bits_off_passes_and_is_flagged() -> None:
    result, checker = checked(SIGMOID, cut_off, CASE)

    assert result.passed, result.reason
    assert result.bias is not None and result.bias > 0.6
    assert checker.comparer.flags() == [Flag.SPENDS_TOLERANCE, Flag.BIASED]


def test_a_kernel_that_rounds_is_not() -> None:
    for kernel in (torch.sigmoid, lambda x: torch.sigmoid(x.float()).to(x.dtype), lambda x: (1 / (1 + (-x.float()).exp())).to(x.dtype)):
        result, checker = checked(SIGMOID, kernel, CASE)

        assert result.passed and result.bias is not None and result.bias < 0.1
        assert checker.comparer.flags() == []
