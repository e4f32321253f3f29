"""When quantised numbers are right: each is the nearest one that the type can hold, by a hair either way."""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    import torch

SLACK = 2.0**-19
"""Share of a number by which float32 arithmetic may move it before it is rounded: half a dozen roundings, and those twice."""


def not_nearest(exact: torch.Tensor, got: torch.Tensor) -> str:
    """What is wrong with `got` as the rounding of the float64 numbers `exact` to its dtype; "" when nothing is.

    Where `exact` lies in the middle of two numbers of the dtype, both are right.
    """
    import torch

    nearest = exact.round() if not got.is_floating_point() else exact.to(got.dtype).to(torch.float64)
    have = got.to(torch.float64)
    wrong = ~((have - exact).abs() <= (nearest - exact).abs() + SLACK * exact.abs())
    count = int(wrong.sum())
    if not count:
        return ""
    first = tuple(wrong.nonzero()[0].tolist())
    expected = f"{exact[first].item():.9g} rounds to {nearest[first].item():.9g}"
    return f"{count} of {got.numel()} numbers are not the nearest; first at {list(first)}: {expected}, got {have[first].item():.9g}"
