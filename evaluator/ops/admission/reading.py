"""Which inputs every kernel must read whole: an embedding's table is an input and mostly not read, and then it is no cost.

Found by trying: single elements of an input are changed, and the output is looked at. An input of which every tried element matters
counts with all its bytes, any other with none, so the least bytes of a case are never more than what a kernel must move.
"""

from __future__ import annotations

import math
import random
import typing
from collections.abc import Iterator, Sequence

from evaluator.correctness import same_dtype
from evaluator.ops.admission.running import identical, tensors_in
from evaluator.ops.arguments import tensor_bytes
from evaluator.ops.definition import Case, Op, TensorSpec
from evaluator.ops.validate import materialise

if typing.TYPE_CHECKING:
    import torch

SAMPLES = 6
PROBED_CASES = 4
SEED = 2


def read_whole(op: Op, cases: Sequence[Case]) -> dict[int, tuple[bool, ...]]:
    """By number of tensors in a case: for each tensor, whether all of it was needed in every case that was tried (the smallest)."""
    found: dict[int, tuple[bool, ...]] = {}
    for count in sorted({len(case.tensors) for case in cases}):
        alike = sorted((case for case in cases if len(case.tensors) == count), key=_elements)[:PROBED_CASES]
        tried = [_needed(op, case) for case in alike]
        found[count] = tuple(all(each[number] for each in tried) for number in range(count))
    return found


def input_bytes(case: Case, needed: dict[int, tuple[bool, ...]]) -> int:
    """0 where no case with as many tensors was tried."""
    flags = needed.get(len(case.tensors), (False,) * len(case.tensors))
    return sum(tensor_bytes(spec) for spec, flag in zip(case.tensors, flags, strict=True) if flag)


def _elements(case: Case) -> int:
    return sum(math.prod(spec.shape) for spec in case.tensors)


def _needed(op: Op, case: Case) -> list[bool]:
    args, kwargs = materialise(case, SEED)
    tensors = tensors_in(args, kwargs)
    before = same_dtype(op, args, kwargs)
    places = random.Random(SEED)

    def matters(tensor: torch.Tensor, spec: TensorSpec) -> bool:
        place = tuple(places.randrange(length) for length in tensor.shape)
        was = tensor[place].clone()
        try:
            for value in _others(spec, was.item()):
                tensor[place] = value
                try:
                    after = same_dtype(op, args, kwargs)
                except Exception:  # whatever torch raises: the op is not defined for this value
                    continue
                if not all(identical(a, b) for a, b in zip(before, after, strict=True)):
                    return True
            return False
        finally:
            tensor[place] = was

    return [
        tensor.numel() == 0 or all(matters(tensor, spec) for _ in range(SAMPLES))
        for tensor, spec in zip(tensors, case.tensors, strict=True)
    ]


def _others(spec: TensorSpec, was: bool | int | float) -> Iterator[bool | int | float]:
    """Values that could stand there instead. Integers stay in their range: they may be indices."""
    if isinstance(was, bool):
        yield not was
    elif spec.dtype.startswith(("float", "bfloat", "complex")):
        yield from (math.nan, 300.0, -300.0, 0.0)
    else:
        low, high = int(spec.low), int(spec.high)
        yield from (value for value in (low, high - 1, (low + high) // 2) if value != was)
