"""The baseline timed alone, before submitted source enters any process on the device (ENGINE §4).

What a submission does to the baseline while both are timed (a process that loads the GPU or the core in the baseline's turn) makes its own
speedup look better. It cannot have done so here. Nor can it choose how many calls a command has: that is found here, too.
"""

from __future__ import annotations

import secrets
import statistics
from dataclasses import dataclass

from evaluator.judge.blocks import Block
from evaluator.judge.inputs import InputSet
from evaluator.judge.peer import Peer
from evaluator.judge.plan import GRAPH_BELOW_US, MAX_CALLS, calls_a_command
from evaluator.judge.sides import Commands, NotCapturedError
from evaluator.timing.watch import Reading

COMMANDS = 3
DRIFT = 0.03
"""A baseline slower than alone by more than this share was disturbed."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """What the baseline alone took (µs a call, by its shortest command), in how many calls a command, by which method, at which clocks.

    `in_vain`: it was to be captured and could not be.
    """

    shortest_us: float
    calls: int
    graph: bool
    reading: Reading | None = None
    in_vain: bool = False

    def drift(self, baseline_us: float, readings: list[Reading | None]) -> float | None:
        """How much slower the baseline was beside the submission (0.05 means 5 %), where that is more than `DRIFT` and than lower clocks
        explain; None where it is not.
        """
        share = baseline_us / self.shortest_us - 1
        return share if share > DRIFT + self._clocks_fell(readings) else None

    def _clocks_fell(self, readings: list[Reading | None]) -> float:
        """By how much longer the same work takes at the later clocks, at most."""
        later = [reading.sm_mhz for reading in readings if reading is not None and reading.sm_mhz]
        if self.reading is None or not later:
            return 0.0
        return max(0.0, self.reading.sm_mhz / statistics.median(later) - 1)


def measure(commands: Commands, baseline: tuple[Peer, Block], most: int, *, graph: bool | None) -> Quiet:
    """Time the baseline of one case. Raises `InfrastructureError`.

    `graph`: whether the case is to be timed by graph; None: if its calls are short. An op that looks at its results on the host cannot be
    captured by anybody: its cases are timed call by call.
    """
    side = commands.side(baseline, most, trusted=True)
    seed = secrets.randbits(63)
    inputs: list[InputSet] = []

    def warm(calls: int) -> int:
        """Give a command of so many calls; how many the next should have by what it took."""
        inputs.extend(InputSet(commands.case, commands.device, seed + n) for n in range(len(inputs), calls))
        commands.give(side, inputs[:calls], warming=True)
        return calls_a_command(side.samples_us[-1], most, commands.device)

    warm(1)
    calls = warm(1)
    if graph is None:
        graph = side.samples_us[-1] < GRAPH_BELOW_US
    if graph:
        commands.graph = True
        try:
            calls = warm(calls)  # a call in a graph is shorter than one from Python
        except NotCapturedError:
            commands.graph = False
    if not commands.graph:
        calls = min(calls, MAX_CALLS)
    warm(calls)
    side.forget()
    given = [commands.give(side, inputs[:calls], warming=True) for _ in range(COMMANDS)]
    in_vain = graph and not commands.graph
    return Quiet(min(command.mean_us for command in given), calls, commands.graph, given[-1].reading, in_vain)
