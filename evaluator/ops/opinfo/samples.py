"""The samples of an entry as cases: distinct, few, and as unlike each other as can be."""

from __future__ import annotations

import itertools
import math
import typing
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence

from evaluator.ops.admission import Dropped
from evaluator.ops.definition import Argument, Case, TensorSpec, tensors_of
from evaluator.ops.opinfo.recipes import InexpressibleError, argument_of

if typing.TYPE_CHECKING:
    import torch
    from torch.testing._internal.opinfo.core import OpInfo

DTYPES = ("float32", "int64", "bool", "complex64", "float64", "float16", "bfloat16", "uint8")
"""The first of these that an entry takes is what its samples are made in."""
MOST_SAMPLES = 300
MOST_CASES = 10
MOST_EMPTY = 2


class NoSamples(ValueError):
    """There is nothing to make cases of; the message says why."""


def cases_of(entry: OpInfo) -> tuple[list[Case], list[Dropped]]:
    """All distinct samples that recipes can express, unnamed, and what could not be. Raises `NoSamples`."""
    dtype = dtype_of(entry)
    found: dict[str, Case] = {}
    dropped: dict[str, Dropped] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = entry.sample_inputs("cpu", dtype, requires_grad=False)  # type: ignore[no-untyped-call]
        try:
            for number, sample in enumerate(itertools.islice(samples, MOST_SAMPLES)):
                try:
                    args = tuple(argument_of(value) for value in (sample.input, *sample.args))
                    kwargs = {str(name): argument_of(value) for name, value in sample.kwargs.items()}
                except InexpressibleError as error:
                    dropped.setdefault(str(error), Dropped(f"sample_{number}", f"a recipe cannot express {error}"))
                    continue
                case = Case(f"sample_{number}", "correctness", args, kwargs, source=f"sample {number} of torch's op database")
                if not case.tensors:
                    dropped.setdefault("no tensor", Dropped(case.name, "it takes no tensor"))
                    continue
                found.setdefault(key(case), case)
        except Exception as error:  # the database's own code fails
            if not found:
                raise NoSamples(f"torch's op database makes no samples of it: {type(error).__name__}: {error}"[:300]) from error
    if not found:
        raise NoSamples("; ".join(each.reason for each in dropped.values()) or "torch's op database has no samples of it")
    return list(found.values()), list(dropped.values())


def dtype_of(entry: OpInfo) -> torch.dtype:
    import torch

    supported = entry.supported_dtypes("cpu")  # type: ignore[no-untyped-call]
    for name in DTYPES:
        dtype: torch.dtype = getattr(torch, name)
        if dtype in supported:
            return dtype
    raise NoSamples("torch has it for no dtype on a CPU")


def choose(cases: Sequence[Case], most: int = MOST_CASES) -> list[Case]:
    """One of each kind in turn, the largest of a kind first; of too many kinds, those at even distances. Few are empty."""
    empty = [case for case in cases if not size(case)][:MOST_EMPTY]
    return [*_spread([case for case in cases if size(case)], most - len(empty)), *empty]


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    kinds: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        kinds[_kind(case)].append(case)
    queues = [sorted(members, key=size, reverse=True) for members in kinds.values()]
    if len(queues) > most:
        queues = [queues[number * len(queues) // most] for number in range(most)]
    rounds = itertools.zip_longest(*queues)
    return [case for case in itertools.chain.from_iterable(rounds) if case is not None][:most]


def key(case: Case) -> str:
    """Cases with one key are one."""
    return repr((case.args, sorted(case.kwargs.items())))


def size(case: Case) -> int:
    """Elements of all tensors; 0 where a tensor is empty."""
    counts = [math.prod(spec.shape) for spec in case.tensors]
    return sum(counts) if all(counts) else 0


def _kind(case: Case) -> str:
    def of(argument: Argument) -> str:
        if isinstance(argument, TensorSpec):
            return f"{argument.dtype} {len(argument.shape)}{'' if argument.strides is None else ' strided'}"
        if isinstance(argument, tuple):
            return f"({', '.join(map(of, argument))})" if tensors_of(argument) else str(argument)
        return str(argument)

    return f"{[of(a) for a in case.args]} {[(name, of(value)) for name, value in sorted(case.kwargs.items())]}"


def namer() -> Callable[[Case], str]:
    """Gives each case a name after its largest tensor, `64x128_float16`, with a number behind it where that is taken."""
    taken: set[str] = set()

    def name(case: Case) -> str:
        largest = max(case.tensors, key=lambda spec: math.prod(spec.shape))
        plain = f"{'x'.join(map(str, largest.shape)) or 'scalar'}_{largest.dtype}"[:70]
        names = itertools.chain([plain], (f"{plain}_{number}" for number in itertools.count(2)))
        taken.add(free := next(each for each in names if each not in taken))
        return free

    return name
