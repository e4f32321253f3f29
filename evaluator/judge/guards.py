"""Bytes around the tensors of a call that nobody may write: poisoned before the call, looked at after it."""

from __future__ import annotations

import functools
import typing
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.judge.blocks import GUARD_BYTES, Block

if typing.TYPE_CHECKING:
    import torch

POISON = (0xBF, 0xFF)
"""Two bytes again and again. float32 and bfloat16 see a signalling NaN: who reads it into a result has NaN there, and who writes what
he made of it writes other bits, since arithmetic sets the quiet bit."""


@dataclass(frozen=True, slots=True)
class Guard:
    """`length` bytes from `offset` on. `before` and `after` name the tensors on both sides, "" where there is none."""

    offset: int
    length: int
    before: str
    after: str


def poison(guards: Sequence[Guard], block: Block) -> None:
    for guard in guards:
        view = _bytes(guard, block)
        view.copy_(_pattern(guard, view))


def damage(guards: Sequence[Guard], block: Block) -> str:
    """What was written into the first damaged guard, such as `at least 12 bytes past the end of output 0`; "" when all are whole.

    Waits for the device once. A byte that was written over with the poison itself is not noticed.
    """
    import torch

    views = [_bytes(guard, block) for guard in guards]
    right = torch.cat([_pattern(guard, view) for guard, view in zip(guards, views, strict=True)])
    written: list[int] = (torch.cat(views) != right).nonzero().flatten().tolist()
    if not written:
        return ""
    start = 0
    for guard in guards:
        here = [place - start for place in written if start <= place < start + guard.length]
        if here:
            return _words(guard, here)
        start += guard.length
    return ""


def _bytes(guard: Guard, block: Block) -> torch.Tensor:
    import torch

    return block.arena.flat(guard.offset, torch.uint8, guard.length)


def _pattern(guard: Guard, view: torch.Tensor) -> torch.Tensor:
    """The poison as it stands at this offset."""
    first = guard.offset % 2
    return _poison(view.device)[first : first + guard.length]


@functools.cache
def _poison(device: torch.device) -> torch.Tensor:
    import torch

    return torch.tensor(POISON * GUARD_BYTES, dtype=torch.uint8, device=device)


def _words(guard: Guard, places: Sequence[int]) -> str:
    """Named after the tensor that the written bytes lie nearer to."""
    ends_at_after = guard.length - 1 - places[-1]
    behind = guard.before and (not guard.after or places[0] <= ends_at_after)
    count = f"at least {len(places)} bytes" if len(places) > 1 else "at least 1 byte"
    return f"{count} past the end of {guard.before}" if behind else f"{count} before the start of {guard.after}"
