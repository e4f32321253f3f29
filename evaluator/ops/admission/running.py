"""Two calls of an offered op with the same arguments, and what can be seen of them."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.ops.definition import Case
from evaluator.ops.validate import materialise

if typing.TYPE_CHECKING:
    import torch

NEARLY = 1e-2
"""Two calls may differ by rounding, where threads add in another order; what is drawn at random differs by more."""


@dataclass(frozen=True, slots=True)
class Ran:
    """`outputs`: returned tensors, but for arguments that were written to. `written`: numbers of the tensors that the call changed.

    `strangers`: types of what was returned and is no tensor. `views`: an output lies in the memory of an argument.
    """

    outputs: tuple[torch.Tensor, ...]
    written: frozenset[int]
    strangers: tuple[str, ...]
    views: bool
    differs: bool


def call_twice(function: Callable[..., object], case: Case, seed: int) -> Ran:
    """Raises whatever torch raises."""
    from evaluator.candidate.outputs import leaves

    first, taken = _call(function, case, seed, torch_seed=1)
    second, _ = _call(function, case, seed, torch_seed=2)
    untouched = tensors_in(*materialise(case, seed))
    written = frozenset(number for number, (a, b) in enumerate(zip(taken, untouched, strict=True)) if not identical(a, b))
    values = leaves(first)
    tensors = _only_tensors(values)
    strangers = tuple(type(value).__name__ for value in values if not any(value is tensor for tensor in tensors))
    new = tuple(t for t in tensors if not any(t is taken[number] for number in written))
    differs = not all(_alike(a, b) for a, b in zip(tensors, _only_tensors(leaves(second)), strict=True))
    return Ran(new, written, strangers, _shares_memory(new, taken), differs)


def _call(function: Callable[..., object], case: Case, seed: int, *, torch_seed: int) -> tuple[object, list[torch.Tensor]]:
    import torch

    args, kwargs = materialise(case, seed)
    torch.manual_seed(torch_seed)
    with torch.no_grad():
        return function(*args, **kwargs), tensors_in(args, kwargs)


def tensors_in(args: Sequence[object], kwargs: Mapping[str, object]) -> list[torch.Tensor]:
    """The tensors of a call in the order of `Case.tensors`."""
    from evaluator.candidate.outputs import leaves

    return [tensor for value in (*args, *kwargs.values()) for tensor in _only_tensors(leaves(value))]


def _only_tensors(values: Sequence[object]) -> list[torch.Tensor]:
    import torch

    return [value for value in values if isinstance(value, torch.Tensor)]


def _shares_memory(outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor]) -> bool:
    places = {tensor.untyped_storage().data_ptr() for tensor in inputs if tensor.numel()}
    return any(out.untyped_storage().data_ptr() in places for out in outputs if out.numel())


def identical(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal in every element; NaN equals NaN."""
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    import torch

    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.is_complex():
        a, b = torch.view_as_real(a.resolve_conj()), torch.view_as_real(b.resolve_conj())
    if a.is_floating_point():
        return torch.allclose(a.double(), b.double(), rtol=NEARLY, atol=NEARLY, equal_nan=True)
    return torch.equal(a, b)
