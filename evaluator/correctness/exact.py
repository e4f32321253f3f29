"""Comparison of integer and bool outputs: equal or wrong."""

from __future__ import annotations

import typing

from evaluator.contract import Mismatch
from evaluator.correctness.result import SHOWN_MISMATCHES, OutputComparison, wrong_elements

if typing.TYPE_CHECKING:
    import torch


def compare_exact(expected: torch.Tensor, got: torch.Tensor) -> OutputComparison:
    import torch

    wrong = expected != got
    count = int(wrong.sum())
    if not count:
        return OutputComparison(True, "", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ())
    places = [tuple(int(i) for i in place) for place in _first_places(wrong)]
    mismatches = tuple(Mismatch(p, str(expected[p].item()), str(got[p].item())) for p in places)
    worst = (expected.to(torch.float64) - got.to(torch.float64)).abs().max()
    reason = wrong_elements(count, got.numel(), mismatches)
    return OutputComparison(False, reason, float(worst), None, None, None, 0.0, count / got.numel(), mismatches)


def _first_places(wrong: torch.Tensor) -> list[list[int]]:
    places: list[list[int]] = wrong.nonzero()[:SHOWN_MISMATCHES].tolist()
    return places
