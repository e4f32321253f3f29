"""The wrong elements that an author is shown: the first ones, by index."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable

from evaluator.contract import Mismatch
from evaluator.correctness.blocks import Block
from evaluator.correctness.ulp import distance

if typing.TYPE_CHECKING:
    import torch

SHOWN_MISMATCHES = 16


def first_wrong(
    expected: torch.Tensor, got: torch.Tensor, blocks: Iterable[Block], wrong: Callable[[Block], torch.Tensor]
) -> tuple[Mismatch, ...]:
    """The first wrong elements of blocks that come in row-major order; `wrong` gives the mask of a block's elements."""
    places: list[int] = []
    for block in blocks:
        found: list[list[int]] = wrong(block).nonzero()[: SHOWN_MISMATCHES - len(places)].tolist()
        places += [block.start + row * block.width + column for row, column in found]
        if len(places) >= SHOWN_MISMATCHES:
            break
    return tuple(_mismatch(expected, got, _unravel(place, tuple(got.shape))) for place in places)


def wrong_elements(count: int, total: int, mismatches: tuple[Mismatch, ...]) -> str:
    """One sentence that names how many elements are wrong and the first of them."""
    first = mismatches[0]
    where = f"at {list(first.index)}" if first.index else "the value"
    share = f"{count} of {total} elements are wrong ({100 * count / total:.3g} %)" if total > 1 else "the element is wrong"
    return f"{share}; first {where}: expected {first.expected}, got {first.got}"


def _mismatch(expected: torch.Tensor, got: torch.Tensor, index: tuple[int, ...]) -> Mismatch:
    import torch

    if got.dtype == torch.bool:
        return Mismatch(index, _truth(expected[index]), _truth(got[index]))
    right, have = expected[index].item(), got[index].item()
    if isinstance(right, int) and isinstance(have, int):
        return Mismatch(index, str(right), str(have))
    digits = 17 if got.dtype in (torch.float64, torch.complex128) else 9
    return Mismatch(index, f"{right:.{digits}g}", f"{have:.{digits}g}", distance(right, have, got.dtype))


def _truth(value: torch.Tensor) -> str:
    """A bool in memory is a byte, and 0 and 1 are the only ones that torch knows."""
    import torch

    byte = int(value.view(torch.uint8).item())
    return str(bool(byte)) if byte in (0, 1) else f"the byte {byte}"


def _unravel(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    index = []
    for size in reversed(shape):
        place, remainder = divmod(place, size)
        index.append(remainder)
    return tuple(reversed(index))
