"""Flags for outputs that pass and yet are worse than they need be.

An output counts when it has at least 4096 elements: below, chance is too large a part of its error. It

- *spends the tolerance* when its relative error is more than half of the tolerance and more than 1.5 times torch's own. An honest kernel
  rounds about as often as torch does. Where the tolerance is three times torch's error, half of it is those 1.5 times; two roundings
  to the dtype in place of one make 1.41, rounding towards zero makes 2.
- *is biased* when the mean of its errors is more than 8 / sqrt(n) of their root mean square, for n elements: eight times what n errors
  of random sign give. Errors below an eighth of the tolerance are left alone (float32 kernels that sum a row in another order have a
  little in common in each row), and so is a bias that torch's own output shows at least half of.

An evaluation gets a flag when more than half of the outputs of one dtype that count show it, in checked and timed calls alike, and at
least two do. (Of 460 such outputs of 62 Triton starters of this project, on a CPU, one showed anything: a running sum over a long row,
biased. No starter got a flag.) Both are flags, never verdicts: a lower precision than asked and rounding towards zero look like this,
and so may something harmless.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from evaluator.contract import Flag
from evaluator.correctness.result import OutputComparison

LARGE = 4096
SPENT, WORSE_THAN_TORCH = 0.5, 1.5
SIGMAS, WORTH_A_LOOK = 8.0, 0.125
FEWEST = 2


def counts(output: OutputComparison) -> bool:
    """Whether an output says anything here."""
    return output.bias is not None and output.elements >= LARGE


def doubts_of(output: OutputComparison) -> set[Flag]:
    """What is odd about one output that counts."""
    found: set[Flag] = set()
    error, torch_error, bias = output.rel_l2 or 0.0, output.rel_l2_torch or 0.0, output.bias or 0.0
    if output.spent > SPENT and error > WORSE_THAN_TORCH * torch_error:
        found.add(Flag.SPENDS_TOLERANCE)
    if bias > SIGMAS / math.sqrt(output.elements) and output.spent > WORTH_A_LOOK and (output.bias_torch or 0.0) < bias / 2:
        found.add(Flag.BIASED)
    return found


class Doubts:
    """Counts over all compared outputs of one evaluation."""

    def __init__(self) -> None:
        self._outputs: Counter[str] = Counter()
        self._seen: Counter[tuple[Flag, str]] = Counter()

    def add(self, outputs: Iterable[OutputComparison]) -> None:
        """Outputs of a call that passed."""
        for output in filter(counts, outputs):
            self._outputs[output.dtype] += 1
            self._seen.update((flag, output.dtype) for flag in doubts_of(output))

    def flags(self) -> list[Flag]:
        most = {flag for (flag, dtype), count in self._seen.items() if count >= FEWEST and count > self._outputs[dtype] / 2}
        return sorted(most, reverse=True)
