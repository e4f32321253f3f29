"""One call's inputs: the judge's private copy, and where they and the outputs lie in memory shared with a harness process."""

from __future__ import annotations

import hashlib
import itertools
import math
import typing
from collections.abc import Callable, Collection, Iterator, Sequence

from evaluator.generate import contiguous_strides, fill, laid_out, storage_elements, view
from evaluator.judge.alike import same_bytes
from evaluator.judge.blocks import GUARD_BYTES, Block, rounded
from evaluator.judge.guards import Guard
from evaluator.ops.definition import Argument, Case, DType, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

    from evaluator.correctness import OutputMeta


def derive(seed: int, *parts: object) -> int:
    """A 64-bit seed for one purpose, so that no two calls share inputs."""
    text = "\x1f".join(str(p) for p in (seed, *parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class InputSet:
    """Inputs of one call, in memory that only the judge can reach."""

    def __init__(self, case: Case, device: str, seed: int) -> None:
        import torch

        self.case = case
        self.seed = seed
        self._flats = [torch.empty(storage_elements(s), dtype=getattr(torch, s.dtype), device=device) for s in case.tensors]
        self.tensors = [view(flat, spec) for flat, spec in zip(self._flats, case.tensors, strict=True)]
        self.refill(seed)

    def refill(self, seed: int) -> None:
        self.seed = seed
        for number, (tensor, spec) in enumerate(zip(self.tensors, self.case.tensors, strict=True)):
            fill(tensor, spec, seed, number)

    def arguments(self) -> tuple[list[object], dict[str, object]]:
        """The call's arguments by position and by name, made of `tensors`."""
        remaining = iter(self.tensors)
        return self.case.filled_in(lambda _spec: next(remaining))


class Place:
    """Room for one call in a shared block: inputs and poisoned outputs, apart from each other by guard bytes (`guards`).

    `outputs` are the returned ones; inputs whose numbers are in `mutates` are outputs too, where they lie.
    """

    def __init__(self, case: Case, outputs: Sequence[OutputMeta], start: int, mutates: Collection[int] = ()) -> None:
        import torch

        self.case = case
        self.start = start
        self.mutates = mutates
        self.inputs: list[tuple[int, TensorSpec]] = []
        self.outputs: list[tuple[int, OutputMeta]] = []
        self.written: list[tuple[int, int]] = []
        """Number of each input that the op writes to, and where the harness puts its copy of what was written."""
        self.guards: list[Guard] = []
        names = [f"input {n}" for n in range(len(case.tensors))] + [f"output {n}" for n in range(len(outputs))]
        names += [f"the copy of input {n}" for n in sorted(mutates)]
        around = itertools.pairwise(("", *names, ""))
        cursor = self._guarded(rounded(start), *next(around))
        for spec in case.tensors:
            self.inputs.append((cursor, spec))
            cursor = self._guarded(cursor + storage_elements(spec) * getattr(torch, spec.dtype).itemsize, *next(around))
        self.outputs_start = cursor
        for meta in outputs:
            self.outputs.append((cursor, meta))
            cursor = self._guarded(cursor + math.prod(meta.shape) * getattr(torch, meta.dtype).itemsize, *next(around))
        for number in sorted(mutates):
            spec = case.tensors[number]
            self.written.append((number, cursor))
            cursor = self._guarded(cursor + math.prod(spec.shape) * getattr(torch, spec.dtype).itemsize, *next(around))
        self.end = cursor

    def _guarded(self, cursor: int, before: str, after: str) -> int:
        """Where the next tensor may begin."""
        end = rounded(cursor + GUARD_BYTES)
        self.guards.append(Guard(cursor, end - cursor, before, after))
        return end

    def write(self, block: Block, inputs: InputSet) -> None:
        """Put the inputs where the other process will find them, and NaN (all bits set) wherever it should write."""
        write_all(block, [self], [inputs])

    def changed_input(self, block: Block, inputs: InputSet) -> int | None:
        """Number of the first input whose bytes are no longer what the judge wrote, gaps between strides included.

        Of an input that the op may write to, nothing is said; `written_between` looks at its gaps.
        """
        return next((number for number, left, private in self.unchangeable(block, inputs) if not same_bytes(left, private)), None)

    def unchangeable(self, block: Block, inputs: InputSet) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """Number of each input that the op may not write to, flat, as it lies there and as the judge wrote it."""
        for number, ((offset, _spec), private) in enumerate(zip(self.inputs, inputs._flats, strict=True)):
            if number not in self.mutates and private.numel():
                yield number, block.arena.flat(offset, private.dtype, private.numel()), private

    def written_between(self, block: Block, inputs: InputSet) -> int | None:
        """Number of the first input that the op may write to of which the call changed what lies between its elements."""
        for number in sorted(self.mutates):
            (offset, spec), private = self.inputs[number], inputs._flats[number]
            if spec.strides is None or not private.numel():
                continue
            left = block.arena.flat(offset, private.dtype, private.numel()).clone()
            view(left, spec).copy_(view(private, spec))
            if not same_bytes(left, private):
                return number
        return None

    def read(self, block: Block) -> list[torch.Tensor]:
        """The outputs, then what was written to inputs, as the other process left them: views of shared memory, to be copied first."""
        import torch

        return [
            block.arena.tensor(offset, getattr(torch, dtype), shape, contiguous_strides(shape)) for offset, dtype, shape in self._results()
        ]

    def _results(self) -> list[tuple[int, str, tuple[int, ...]]]:
        """Offset, dtype and shape of all that the harness leaves for the judge."""
        specs = [(offset, self.inputs[number][1]) for number, offset in self.written]
        return [(offset, meta.dtype, meta.shape) for offset, meta in self.outputs] + [(at, spec.dtype, spec.shape) for at, spec in specs]

    def describe(self, arena: str) -> dict[str, object]:
        """The call as the harness reads it."""
        inputs = [_tensor(arena, offset, spec.dtype, spec.shape, laid_out(spec)) for offset, spec in self.inputs]
        places = iter(inputs)

        def argument(value: Argument) -> object:
            if isinstance(value, TensorSpec):
                return next(places)
            if isinstance(value, DType):
                return {"dtype": value.name}
            if isinstance(value, float) and not math.isfinite(value):
                return {"float": str(value)}  # JSON has no infinities
            return {"items": [argument(item) for item in value]} if isinstance(value, tuple) else value

        return {
            "args": [argument(a) for a in self.case.args],
            "kwargs": {k: argument(v) for k, v in self.case.kwargs.items()},
            "outputs": [_tensor(arena, o, m.dtype, m.shape, contiguous_strides(m.shape)) for o, m in self.outputs],
            "written": [
                [inputs[number], _tensor(arena, offset, spec.dtype, spec.shape, contiguous_strides(spec.shape))]
                for (number, offset), spec in ((pair, self.inputs[pair[0]][1]) for pair in self.written)
            ],
        }


def write_all(block: Block, used: Sequence[Place], inputs: Sequence[InputSet]) -> None:
    """Put the inputs of several calls where the other process will find them, and NaN (all bits set) wherever it should write."""
    import torch

    for place in used:
        if place.end > place.outputs_start:
            block.arena.flat(place.outputs_start, torch.uint8, place.end - place.outputs_start).fill_(0xFF)
    theirs, ours = [], []
    for place, each in zip(used, inputs, strict=True):
        for (offset, _spec), private in zip(place.inputs, each._flats, strict=True):
            if private.numel():
                theirs.append(block.arena.flat(offset, private.dtype, private.numel()))
                ours.append(private)
    _copy(theirs, ours)


def copy_all(to: Sequence[Sequence[torch.Tensor]], calls: Sequence[Sequence[torch.Tensor]]) -> None:
    """Copy what several calls gave."""
    _copy([tensor for call in to for tensor in call], [tensor for call in calls for tensor in call])


def _copy(to: list[torch.Tensor], tensors: list[torch.Tensor]) -> None:
    """On a GPU in a few launches for all: one for each would take longer than the copying."""
    import torch

    if to:
        torch._foreach_copy_(to, tensors)


def _tensor(arena: str, offset: int, dtype: str, shape: Sequence[int], strides: Sequence[int]) -> dict[str, object]:
    return {"arena": arena, "offset": offset, "dtype": dtype, "shape": list(shape), "strides": list(strides)}


def places(op: Op, case: Case, outputs: Sequence[OutputMeta], count: int, gap: Callable[[], int]) -> list[Place]:
    """`count` places one after the other; `gap` gives the bytes left free before each, so that addresses differ from run to run."""
    found: list[Place] = []
    cursor = 0
    for _ in range(count):
        found.append(Place(case, outputs, cursor + gap(), op.mutates))
        cursor = found[-1].end
    return found
