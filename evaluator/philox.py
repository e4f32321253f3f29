"""Philox4x32-10 on int64 tensors.

The counter's four words are (block, stream, low and high half of the caller's counter); the key is the 64-bit seed. Blocks come in
tiles of `LANES`, so that the same word of neighbouring blocks lands in neighbouring elements on a CPU and on a GPU.
"""

from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
WEYL_0, WEYL_1 = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
MASK = 0xFFFFFFFF
LANES = 1024
TILES_AT_ONCE = {"cpu": 32, "cuda": 4096}
"""Working memory is about 64 bytes a block: 2 MiB on a CPU (the fastest size tried), 256 MiB on a GPU."""


def blocks(elements: int, per_block: int, device_type: str) -> Iterator[tuple[int, int]]:
    """Ranges (first block, number of blocks), whole tiles each, that together give `elements` values."""
    tiles = -(-elements // (per_block * LANES))
    tiles_at_once = TILES_AT_ONCE.get(device_type, 32)
    for tile in range(0, tiles, tiles_at_once):
        yield tile * LANES, min(tiles_at_once, tiles - tile) * LANES


def philox(first: int, count: int, stream: int, counter: int, seed: int, device: torch.device) -> list[torch.Tensor]:
    """The four words of `count` blocks from block `first` on, each an int64 tensor of values below 2**32."""
    import torch

    c0 = torch.arange(first, first + count, dtype=torch.int64, device=device)
    return rounds(
        c0,
        torch.full_like(c0, stream),
        torch.full_like(c0, counter & MASK),
        torch.full_like(c0, (counter >> 32) & MASK),
        seed & MASK,
        (seed >> 32) & MASK,
    )


def rounds(c0: torch.Tensor, c1: torch.Tensor, c2: torch.Tensor, c3: torch.Tensor, key_0: int, key_1: int) -> list[torch.Tensor]:
    """Ten rounds on counter words; the given tensors are used up.

    A product of two 32-bit words wraps in int64 without losing bits. Its lower half needs no mask before the next round's
    exclusive-or, because the mask that follows that one clears the upper bits.
    """
    for _ in range(ROUNDS):
        product_0 = c0.mul_(MULTIPLIER_0)
        product_1 = c2.mul_(MULTIPLIER_1)
        c0 = product_1.bitwise_right_shift(32).bitwise_xor_(c1).bitwise_xor_(key_0).bitwise_and_(MASK)
        c2 = product_0.bitwise_right_shift(32).bitwise_xor_(c3).bitwise_xor_(key_1).bitwise_and_(MASK)
        c1, c3 = product_1, product_0
        key_0, key_1 = (key_0 + WEYL_0) & MASK, (key_1 + WEYL_1) & MASK
    return [c0, c1.bitwise_and_(MASK), c2, c3.bitwise_and_(MASK)]
