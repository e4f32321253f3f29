"""A chain of loads, each of which must wait for the one before: how long it takes says where the lines lie."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

ENTRIES, APART, STEPS = 4 << 20, 16_416, 256
"""Of int32: 16 MB, which fit into L2; each step goes to a line, and a page of memory, of its own."""


@triton.jit
def _follow(following, last, STEPS: tl.constexpr):  # noqa: N803
    at = tl.load(following)
    for _ in range(STEPS):
        at = tl.load(following + at)
    tl.store(last, at)


class Chain:
    """On the current CUDA device."""

    def __init__(self) -> None:
        self.following = (torch.arange(ENTRIES, dtype=torch.int32, device="cuda") + APART) % ENTRIES
        self.last = torch.empty(1, dtype=torch.int32, device="cuda")

    def follow(self) -> None:
        _follow[(1,)](self.following, self.last, STEPS=STEPS)
