"""Bytes around the tensors of a call that nobody may write: poisoned before the call, looked at after it."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from dataclasses import dataclass

if typing.TYPE_CHECKING:
    from evaluator.judge.blocks import Block

POISON = 0xFF


@dataclass(frozen=True, slots=True)
class Guard:
    """`length` bytes from `offset` on. `before` and `after` name the tensors on both sides, "" where there is none."""

    offset: int
    length: int
    before: str
    after: str


def poison(guards: Sequence[Guard], block: Block) -> None:
    import torch

    for guard in guards:
        block.arena.flat(guard.offset, torch.uint8, guard.length).fill_(POISON)


def damage(guards: Sequence[Guard], block: Block) -> str:
    """What was written into the first damaged guard, such as `at least 12 bytes past the end of output 0`; "" when all are whole.

    Waits for the device once. A byte that was written over with the poison itself is not noticed.
    """
    import torch

    around = torch.cat([block.arena.flat(guard.offset, torch.uint8, guard.length) for guard in guards])
    written: list[int] = (around != POISON).nonzero().flatten().tolist()
    if not written:
        return ""
    start = 0
    for guard in guards:
        here = [place - start for place in written if start <= place < start + guard.length]
        if here:
            return _words(guard, here)
        start += guard.length
    return ""


def _words(guard: Guard, places: Sequence[int]) -> str:
    """Named after the tensor that the written bytes lie nearer to."""
    ends_at_after = guard.length - 1 - places[-1]
    behind = guard.before and (not guard.after or places[0] <= ends_at_after)
    count = f"at least {len(places)} bytes" if len(places) > 1 else "at least 1 byte"
    return f"{count} past the end of {guard.before}" if behind else f"{count} before the start of {guard.after}"
