"""Which torch function an entry is about, by a name that a document may hold."""

from __future__ import annotations

import dataclasses
import typing
import warnings
from collections.abc import Callable, Iterator, Sequence

from evaluator.ops.admission import Refused
from evaluator.ops.admission.running import identical
from evaluator.ops.definition import Case
from evaluator.ops.opinfo.samples import size
from evaluator.ops.recorded.targets import TargetError, resolve
from evaluator.ops.validate import materialise

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

T = typing.TypeVar("T")
SEED = 4


def target_of(entry: OpInfo, cases: Sequence[Case]) -> tuple[str, Sequence[Case]]:
    """The entry's own function by its name, else one that gives the same on every case, and the cases as it takes them. Raises `Refused`.

    Many entries wrap their function in a lambda, often one that swaps arguments, or are of an operator that torch has no public name for.
    """
    reasons: list[str] = []
    for target in _names(entry):
        try:
            function = resolve(target)
        except TargetError as error:
            reasons.append(str(error))
            continue
        if function is entry.op:
            return target, cases
        if agree(entry.op, _swapping(function), cases):  # first, because embedding_bag takes the old order, too
            return target, [dataclasses.replace(case, args=_swapped(case.args)) for case in cases]
        if agree(entry.op, function, cases):
            return target, cases
        reasons.append(f"{target} is not what the database tests under this name")
    raise Refused(reasons[0])


def yes_or_no(target: str, case: Case) -> bool:
    """Whether it answers yes or no, which for numbers that never meet and are never zero is always the same."""
    import torch

    try:
        outputs = _outputs(resolve(target), case, SEED)
    except Exception:  # torch says in many ways that it will not; admission says it again
        return False
    return isinstance(outputs[0], torch.Tensor) and outputs[0].dtype == torch.bool


def _names(entry: OpInfo) -> Iterator[str]:
    import torch

    name = str(entry.name)
    if name.startswith("torch."):
        yield name.removeprefix("torch.ops.")
        return
    yield f"torch.{name}"
    yield f"torch.Tensor.{name}"
    packet = getattr(torch.ops.aten, str(entry.aten_name), None)
    if isinstance(packet, torch._ops.OpOverloadPacket):
        overloads: list[str] = packet.overloads()  # type: ignore[no-untyped-call]
        yield from (f"aten.{entry.aten_name}.{overload}" for overload in overloads)


def _swapped(args: tuple[T, ...]) -> tuple[T, ...]:
    """The first two the other way round."""
    return (*args[1::-1], *args[2:])


def _swapping(function: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **kwargs: function(*_swapped(args), **kwargs)


def agree(tested: Callable[..., object], function: Callable[..., object], cases: Sequence[Case]) -> bool:
    """Whether both give the same on all cases that the tested one takes, at least one of them not empty.

    Cases in which something is drawn at random say nothing: the tested one may set the seed itself.
    """
    decided = False
    for case in cases:
        try:
            wanted = _outputs(tested, case, SEED)
        except Exception:  # torch says in many ways that it will not; admission says it again
            continue
        try:
            given, again = _outputs(function, case, SEED), _outputs(function, case, SEED + 1)
        except Exception:
            return False
        if not _all_same(given, again):
            continue
        if not _all_same(wanted, given):
            return False
        decided |= size(case) > 0
    return decided


def _outputs(function: Callable[..., object], case: Case, torch_seed: int) -> list[object]:
    """What comes back and what is left in the arguments."""
    import torch

    from evaluator.candidate.outputs import leaves

    args, kwargs = materialise(case, SEED)
    torch.manual_seed(torch_seed)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*leaves(function(*args, **kwargs)), *leaves((*args, *kwargs.values()))]


def _all_same(these: Sequence[object], those: Sequence[object]) -> bool:
    return len(these) == len(those) and all(map(_same, these, those))


def _same(a: object, b: object) -> bool:
    import torch

    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and a.layout == b.layout == torch.strided and identical(a, b)
    return type(a) is type(b) and a == b
