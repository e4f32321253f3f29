"""How a case is timed on a device: by graph or call by call, and with how many calls in a command. Never the submission's choice."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from evaluator.correctness import expected_meta
from evaluator.devices import DeviceClass
from evaluator.judge.audit import PLANNED_US
from evaluator.judge.checking import CALLS_A_CASE, room
from evaluator.judge.inputs import places
from evaluator.ops.definition import Case, Op
from evaluator.timing import sol

MIN_CALLS = 5
MAX_CALLS = 20
"""Timed calls in one command: five, or as many as make the command long enough for the judge's clock."""
MAX_GRAPH_CALLS = 128
LONG_CALL_US = 50_000.0
"""Calls that take longer are timed one a command."""
BLOCK_BYTES = 4 * 1024**3
SHARE_OF_MEMORY = 16
"""A block takes at most this part of a GPU's memory: there are two, and each side and the judge hold as much again."""
GRAPH_BELOW_US = 50.0
EXPECTED_SHARE = 0.3
"""What an ordinary kernel reaches of the speed of light; from it follows how long a case is expected to take."""


def by_graph(op: Op, case: Case, device: DeviceClass) -> bool | None:
    """Whether a case is so short that its calls are replayed in a CUDA graph: by the case's cost and the device's ceilings alone.

    None on a GPU whose ceilings are not known: there torch's own time decides, before the submission is loaded anywhere.
    """
    if device.kind != "cuda":
        return False
    light = sol.speed_of_light(op.cost(case), device, sol.precision_of(op, case))
    return None if light.floor_us is None else light.floor_us / EXPECTED_SHARE < GRAPH_BELOW_US


def calls_in_block(op: Op, case: Case, device: DeviceClass) -> int:
    """How many calls of a case are timed in one command at most, so that a block leaves room on the device."""
    torch_device = "cpu" if device.kind == "cpu" else "cuda"
    one = places(op, case, expected_meta(op, case, torch_device), 1, lambda: 0)[-1].end
    most = MAX_CALLS if by_graph(op, case, device) is False else MAX_GRAPH_CALLS
    return max(1, min(most, block_bytes(torch_device) // max(one, 1)))


def block_length(op: Op, checked: Sequence[Case], timed: Sequence[Case], device: DeviceClass) -> int:
    """Bytes of the block in which a process is called: room for the largest of these cases."""
    torch_device = "cpu" if device.kind == "cpu" else "cuda"
    calls = [(case, CALLS_A_CASE) for case in checked] + [(case, calls_in_block(op, case, device)) for case in timed]
    return max(room(op, case, torch_device, count) for case, count in calls)


@functools.cache
def block_bytes(torch_device: str) -> int:
    """The largest block for timed calls."""
    if torch_device == "cuda":
        import torch

        if torch.cuda.is_available():
            return min(BLOCK_BYTES, torch.cuda.get_device_properties(0).total_memory // SHARE_OF_MEMORY)
    return BLOCK_BYTES


def calls_a_command(call_us: float, most: int, torch_device: str) -> int:
    """Calls in a command, from what one call took: enough work for the judge's clock."""
    if call_us > LONG_CALL_US:
        return 1
    return min(most, max(MIN_CALLS, math.ceil(PLANNED_US[torch_device] / max(call_us, 0.001))))
