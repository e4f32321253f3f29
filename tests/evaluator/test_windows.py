"""Counts of sliding windows agree with what torch's own windows do."""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.cases.windows import Window, overlaps, sizes

SMALL = st.integers(1, 5)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 14), SMALL, SMALL, st.integers(0, 4), st.integers(1, 3))
def test_places_and_taps_are_those_of_a_convolution(size: int, kernel: int, stride: int, padding: int, dilation: int) -> None:
    assume(size + 2 * padding > dilation * (kernel - 1))
    window = Window(size, kernel, stride, padding, dilation)

    ones = torch.conv1d(torch.ones(1, 1, size), torch.ones(1, 1, kernel), None, stride, padding, dilation)

    assert (window.places, window.taps) == (ones.numel(), int(ones.sum()))


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 14), SMALL, SMALL, st.integers(0, 2), st.integers(1, 3), st.booleans())
def test_places_are_those_of_pooling(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> None:
    assume(size + 2 * padding > dilation * (kernel - 1) and 2 * padding <= kernel)

    pooled = torch.max_pool1d(torch.zeros(1, 1, size), kernel, stride, padding, dilation, ceil_mode)

    assert Window(size, kernel, stride, padding, dilation, ceil_mode).places == pooled.numel()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), SMALL, SMALL, st.integers(0, 2), st.integers(1, 3))
def test_overlaps_are_those_of_a_transposed_convolution(size: int, kernel: int, stride: int, padding: int, dilation: int) -> None:
    out = (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
    assume(out > 0)

    ones = torch.conv_transpose1d(torch.ones(1, 1, size), torch.ones(1, 1, kernel), None, stride, padding, 0, 1, dilation)

    assert overlaps(out, kernel, size, stride, padding, dilation) == int(ones.sum())


def test_sizes_may_be_one_integer_for_all_dimensions() -> None:
    case = correctness("c", tensor(1), 2, padding=(1, 3))

    assert sizes(case, 1, "stride", 2, 1) == (2, 2)
    assert sizes(case, 2, "padding", 2, 0) == (1, 3)
    assert sizes(case, 3, "dilation", 3, 1) == (1, 1, 1)
    with pytest.raises(TypeError, match="padding of case c is"):
        sizes(case, 2, "padding", 3, 0)
