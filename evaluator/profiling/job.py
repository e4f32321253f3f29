"""What every profiler gets of a kernel: the source, how to call it, inputs of one case in memory of ours, and what others have compiled."""

from __future__ import annotations

import contextlib
import json
import secrets
from dataclasses import dataclass

from evaluator.contract import JSON
from evaluator.judge.blocks import HostBlock
from evaluator.judge.inputs import InputSet, Place
from evaluator.ops.definition import Case, Op
from evaluator.profiling.running import ToolFailed, memory_file

MOST_INPUT_BYTES = 4 * 1024**3
MOST_COMPILED_BYTES = 64 * 1024**2
CALLS, WARM_UP = 3, 3


@dataclass(frozen=True)
class Job:
    """A kernel ready to be profiled. `device` is torch's; `interpreted`: by Triton's interpreter, which takes its time.

    `compiled` is a memory file in which its processes hand on what Triton compiled (`evaluator/profiling/inside/cache.py`).
    """

    op: Op
    case: Case
    source: str
    filename: str
    device: str
    interpreted: bool
    block: HostBlock
    arguments: dict[str, object]
    compiled: int
    opened: contextlib.ExitStack

    @property
    def files(self) -> tuple[int, int]:
        """Descriptors that each program inside is given: inputs, what was compiled."""
        return self.block.fileno(), self.compiled

    @property
    def calls(self) -> int:
        return 1 if self.interpreted else CALLS

    def question(self, *, calls: int | None = None, **more: JSON) -> bytes:
        """`question.json` for a program inside; `calls` profiled ones instead of the usual number."""
        asked: dict[str, object] = {
            "source": self.source,
            "filename": self.filename,
            "entry_point": self.op.entry_point,
            "device": self.device,
            "args": self.arguments["args"],
            "kwargs": self.arguments["kwargs"],
            "inputs_bytes": self.block.length,
            "calls": self.calls if calls is None else calls,
            "warm_up": 1 if self.interpreted else WARM_UP,
        }
        return json.dumps(asked | more, allow_nan=False).encode()

    def close(self) -> None:
        self.opened.close()


def prepare(op: Op, case: Case, source: str, filename: str, device: str, *, interpreted: bool) -> Job:
    """Draw inputs and put them where the programs inside find them. Raises `ToolFailed` when they are too large."""
    place = Place(case, (), 0)
    if place.end > MOST_INPUT_BYTES:
        raise ToolFailed(f"the inputs of case {case.name} take {place.end / 2**30:.1f} GiB, profilers get at most 4 GiB")
    with contextlib.ExitStack() as opened:
        block = HostBlock(place.end)
        opened.callback(block.close)
        compiled = memory_file("compiled", MOST_COMPILED_BYTES, opened)
        place.write(block, InputSet(case, device, secrets.randbits(63)))
        return Job(op, case, source, filename, device, interpreted, block, place.describe("main"), compiled, opened.pop_all())
