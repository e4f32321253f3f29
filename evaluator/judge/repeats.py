"""Random outputs that come again: a random op must draw anew in every call.

Two equal outputs prove nothing where few outcomes exist (a dropout of one channel). So equality only raises the question. Then the
candidate draws seven times for the same inputs, and torch eight times. A candidate is wrong when torch never drew the same twice in
these 28 pairs and at least nine of the candidate's 21 pairs are alike. Of m equally likely outcomes that happens by chance at most five
times in 100 000, at m = 13: with fewer outcomes torch repeats itself, with more the candidate does not.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Sequence

from evaluator.correctness import same_dtype
from evaluator.judge.alike import same_bytes

if typing.TYPE_CHECKING:
    import torch

    from evaluator.judge.inputs import InputSet
    from evaluator.ops.definition import Op

DRAWS = 7
TORCH_DRAWS = 8
EQUAL_PAIRS = 9
"""Of 21: four draws at one address that are alike, and three at another; or more."""

Outputs = Sequence["torch.Tensor"]


def equal_pairs(draws: Sequence[Outputs], number: int) -> int:
    """How many pairs of calls gave the same bytes as output `number`."""
    flat = [draw[number].reshape(-1) for draw in draws]
    return sum(same_bytes(a, b) for a, b in itertools.combinations(flat, 2) if a.numel())


def suspicious(draws: Sequence[Outputs]) -> list[int]:
    """Numbers of the outputs that came twice."""
    return [number for number in range(len(draws[0])) if equal_pairs(draws, number)]


def repeated(op: Op, inputs: InputSet, draws: Sequence[Outputs], numbers: Sequence[int]) -> int | None:
    """The first of these outputs whose repetition is no chance; `draws` are `DRAWS` calls with these inputs."""
    args, kwargs = inputs.arguments()
    torchs = [same_dtype(op, args, kwargs) for _ in range(TORCH_DRAWS)]
    return next((n for n in numbers if not equal_pairs(torchs, n) and equal_pairs(draws, n) >= EQUAL_PAIRS), None)


class Fingerprints:
    """Outputs of timed calls, which all have inputs of their own, as sums of their bytes: numbers that were drawn beforehand come again.

    Counts repetitions of the candidate's and of torch's outputs. Chance makes both repeat alike, so `AGAIN` of the one and none of the
    other happen by chance at most three times in a million.
    """

    AGAIN = 16

    def __init__(self) -> None:
        self._theirs: dict[int, set[int]] = {}
        self._ours: dict[int, set[int]] = {}
        self._again: dict[int, int] = {}
        self._chance: set[int] = set()

    def repeated(self, theirs: Sequence[Outputs], ours: Sequence[Outputs]) -> int | None:
        """Number of an output that came again too often, of these calls and all before."""
        for number, sums in _sums(theirs).items():
            self._again[number] = self._again.get(number, 0) + _add(self._theirs.setdefault(number, set()), sums)
        self._chance |= {number for number, sums in _sums(ours).items() if _add(self._ours.setdefault(number, set()), sums)}
        return next((number for number, count in self._again.items() if count >= self.AGAIN and number not in self._chance), None)


def _add(known: set[int], sums: Sequence[int]) -> int:
    """How many of them were known."""
    before = len(known)
    known.update(sums)
    return len(sums) - (len(known) - before)


def _sums(calls: Sequence[Outputs]) -> dict[int, list[int]]:
    """For each output that is not empty, the sum of its 8-byte words in each call. Waits for the device once."""
    import torch

    numbers = [number for number, output in enumerate(calls[0]) if output.numel()]
    sums = torch.stack([_words(call[number]).sum() for number in numbers for call in calls]).tolist() if numbers else []
    return {number: sums[place * len(calls) : (place + 1) * len(calls)] for place, number in enumerate(numbers)}


def _words(output: torch.Tensor) -> torch.Tensor:
    import torch

    flat = output.reshape(-1).view(torch.uint8)
    return flat.view(torch.int64) if flat.numel() % 8 == 0 else flat
