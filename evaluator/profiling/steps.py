"""Programs run one after the other in one sandbox (`inside/commands.py`): what they are told, and what became of them."""

from __future__ import annotations

import dataclasses
import json
import signal
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.profiling import bounded
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.running import Means, ToolFailed, ask
from evaluator.sandbox import Sandbox

if typing.TYPE_CHECKING:
    from evaluator.contract import JSON
    from evaluator.profiling.job import Job

MODULE = "evaluator.profiling.inside.commands"
TARGET = ("{python}", "-m", "evaluator.profiling.inside.target", "job.json", "{inputs}", "{compiled}")
"""The command line of the program that Nsight tools look at."""
MOST_STEPS = 64
_MOST_ENDS_BYTES = 64 << 10
_SLACK_BYTES = 1 << 18
_START_S = 2.0
"""Kept for the sandbox's start and for handing back what programs that were late have left."""
_CANNOT_START = 127


@dataclass(frozen=True, slots=True)
class Step:
    """One program; what it prints goes to the file `into`. `may_fail`: the next one runs whatever it returns."""

    argv: Sequence[str]
    timeout_s: float
    into: str
    may_fail: bool = True


@dataclass(frozen=True, slots=True)
class End:
    """How a program ended: its exit status, negative for a signal, None when its time was over. `error`: why it could not be started."""

    status: int | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """What was asked for, how each program ended, files that were taken, those that were too large to be, and the sandbox's layers."""

    steps: Sequence[Step]
    take: Mapping[str, int]
    ends: tuple[End, ...]
    files: Mapping[str, bytes]
    too_large: frozenset[str]
    layers: Mapping[str, str]

    def text(self, name: str) -> str:
        """A file of lines; "" where there is none. Raises `Unreadable` for one that was too large."""
        if name in self.too_large:
            raise Unreadable(f"{name} has more than {self.take[name]} bytes")
        return bounded.lines(self.files.get(name, b""), self.take[name])

    def check(self) -> None:
        """Raises `ToolFailed` for the first program that did not end by itself. A status above 0 says nothing yet: the tool's words do."""
        for step, end in zip(self.steps, self.ends, strict=False):
            program = Path(step.argv[0]).name
            if end.status is None:
                raise ToolFailed(f"it took longer than {step.timeout_s:.0f} s", hard=True)
            if end.status < 0:
                raise ToolFailed(f"{program} was killed by {_signal(-end.status)}", hard=True)
            if end.status == _CANNOT_START:
                raise ToolFailed(f"{program} cannot be started{f': {end.error}' if end.error else ''}")


def run(
    means: Means,
    steps: Sequence[Step],
    take: Mapping[str, int],
    *,
    timeout_s: float,
    files: Sequence[tuple[str, bytes]] = (),
    room_bytes: int | None = None,
    job: Job | None = None,
    sandbox: Sandbox | None = None,
    readable: Sequence[Path] = (),
) -> Ran:
    """Run them and take files of bounded size, together at most `room_bytes`. Raises `ToolFailed` when that does not end well.

    Programs for which no time is left have a status of None, like those whose own time was over.
    """
    room = sum(take.values()) if room_bytes is None else room_bytes
    question = {
        "steps": [dataclasses.asdict(step) for step in steps],
        "within_s": max(1.0, timeout_s - _START_S),
        "take": dict(take),
        "room_bytes": room,
    }
    answer = ask(
        means,
        MODULE,
        [("question.json", json.dumps(question).encode()), *files],
        timeout_s=timeout_s,
        answer_bytes=room + _SLACK_BYTES,
        job=job,
        sandbox=sandbox,
        packages=False,
        readable=readable,
    )
    try:
        ends, too_large = read_ends(answer.files.get("ends.json", b""))
    except Unreadable as error:
        raise ToolFailed(f"its answer cannot be read: {error}") from error
    return Ran(steps, take, ends, answer.files, too_large & set(take), answer.layers)


def read_ends(data: bytes) -> tuple[tuple[End, ...], frozenset[str]]:
    """`ends.json`: how each program ended, and the files that were too large. Raises `Unreadable`."""
    found = bounded.loads(data, _MOST_ENDS_BYTES)
    too_large = found.get("too_large") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(too_large, list):
        raise Unreadable("it does not say how its programs ended")
    ends = (End(_status(row.get("status")), bounded.text(row.get("error"))) for row in bounded.items(found.get("ends"), MOST_STEPS))
    return tuple(ends), frozenset(name for name in too_large if isinstance(name, str))


def _status(value: JSON) -> int | None:
    if value == "timeout":
        return None
    if type(value) is int and -signal.NSIG < value < 256:
        return value
    raise Unreadable(f"a program ended with {bounded.text(str(value), 40)}")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
