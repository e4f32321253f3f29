"""Which of an operator's traced calls become cases: a few small ones of every kind to check, the largest to time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.ops.definition import Argument, DType, TensorSpec, tensors_of
from evaluator.ops.recorded.model import Devices, RecordedCase
from evaluator.ops.traces.recipe import Recipe

MIB = 1024 * 1024
MOST_CHECKED = 12
MOST_TIMED = 3


@dataclass(frozen=True, slots=True)
class Limit:
    """Of one call: inputs and outputs together, and FLOPs."""

    bytes: int
    flops: int


CHECKED = Limit(4 * MIB, 10**9)
"""Each correctness case is computed several times in float64, on two cores if need be."""
SMALLEST_CHECKED = Limit(64 * MIB, 2 * 10**10)
"""Where nothing is as small as that, the smallest is taken up to here."""
TIMED_ON_CPU = Limit(16 * MIB, 10**9)
TIMED_ON_GPU = Limit(1024 * MIB, 10**13)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A recipe and what one call of it costs."""

    recipe: Recipe
    bytes: int
    flops: int

    def fits(self, limit: Limit) -> bool:
        return self.bytes <= limit.bytes and self.flops <= limit.flops


class TooLargeError(ValueError):
    """No recipe is small enough to be checked."""


def choose(weighed: Sequence[Weighed]) -> tuple[RecordedCase, ...]:
    """Correctness cases for all devices, then performance cases for CPUs and for GPUs. Raises `TooLargeError`.

    Timed are those that move most bytes over the whole trace: size times count.
    """
    checked = _spread([each for each in weighed if each.fits(CHECKED)], MOST_CHECKED)
    if not checked:
        smallest = min(weighed, key=lambda each: (each.bytes, each.flops))
        if not smallest.fits(SMALLEST_CHECKED):
            raise TooLargeError(f"its smallest recipe needs {smallest.bytes // MIB} MiB and {smallest.flops:.2g} FLOPs a call")
        checked = [smallest]
    on_cpu, on_gpu = _heaviest(weighed, TIMED_ON_CPU), _heaviest(weighed, TIMED_ON_GPU)
    timed: list[tuple[Weighed, Devices]] = [(each, "all" if each in on_gpu else "cpu") for each in on_cpu]
    timed += [(each, "gpu") for each in on_gpu if each not in on_cpu]
    names = _names([*checked, *(each for each, _ in timed)])
    found = [RecordedCase(each.recipe.case(next(names), "correctness")) for each in checked]
    return (*found, *(RecordedCase(each.recipe.case(next(names), "performance"), devices) for each, devices in timed))


def _heaviest(weighed: Sequence[Weighed], limit: Limit) -> list[Weighed]:
    fitting = [each for each in weighed if each.recipe.timed and each.fits(limit)]
    return sorted(fitting, key=lambda each: each.bytes * max(each.recipe.count, 1), reverse=True)[:MOST_TIMED]


def _spread(weighed: Sequence[Weighed], most: int) -> list[Weighed]:
    """One of each kind (dtypes, layouts, scalars) in turn, the smallest and the largest of a kind before those between."""
    kinds: defaultdict[str, list[Weighed]] = defaultdict(list)
    for each in sorted(weighed, key=lambda each: (each.bytes, each.recipe.where)):
        kinds[_kind(each.recipe)].append(each)
    queues = [iter(_from_the_ends(members)) for members in sorted(kinds.values(), key=len, reverse=True)]
    found: list[Weighed] = []
    while queues and len(found) < most:
        for queue in list(queues):
            following = next(queue, None)
            if following is None:
                queues.remove(queue)
            elif len(found) < most:
                found.append(following)
    return found


def _from_the_ends(members: Sequence[Weighed]) -> Iterator[Weighed]:
    """First, last, then the middles of what lies between, so that any beginning of it is spread out."""
    spans = [(0, len(members) - 1)]
    yield members[0]
    if len(members) > 1:
        yield members[-1]
    while spans:
        low, high = spans.pop(0)
        if high - low > 1:
            middle = (low + high) // 2
            yield members[middle]
            spans += [(low, middle), (middle, high)]


def _kind(recipe: Recipe) -> str:
    def of(argument: Argument) -> str:
        if isinstance(argument, TensorSpec):
            return f"{argument.dtype}{'' if argument.strides is None else ' strided'}"
        if isinstance(argument, tuple):
            return f"({', '.join(map(of, argument))})" if tensors_of(argument) else "list"
        return str(argument) if isinstance(argument, (DType, bool, str)) or argument is None else type(argument).__name__

    return f"{[of(a) for a in recipe.args]} {[(name, of(value)) for name, value in sorted(recipe.kwargs.items())]}"


def _names(weighed: Sequence[Weighed]) -> Iterator[str]:
    """`64x128_float16`, after the largest tensor; a number behind it where that is taken."""
    taken: set[str] = set()
    for each in weighed:
        specs = [spec for argument in (*each.recipe.args, *each.recipe.kwargs.values()) for spec in tensors_of(argument)]
        largest = max(specs, key=lambda spec: math.prod(spec.shape))
        name = plain = f"{'x'.join(map(str, largest.shape)) or 'scalar'}_{largest.dtype}"[:70]
        number = 2
        while name in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name)
        yield name
