"""Calls of an op's reference whose inputs or outputs are changed on the way: what wrong kernels are made of."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence

from evaluator.candidate.outputs import leaves
from evaluator.ops.definition import Op

if typing.TYPE_CHECKING:
    import torch

Kernel = Callable[..., object]
Edit = Callable[["list[torch.Tensor]", "list[torch.Tensor]"], None]
"""Changes outputs in place; the second list holds the inputs as they were before the call."""


def tensors(args: Sequence[object], kwargs: Mapping[str, object]) -> list[torch.Tensor]:
    """The tensors among arguments, numbered as `Case.tensors` is."""
    import torch

    return [leaf for leaf in leaves((*args, *kwargs.values())) if isinstance(leaf, torch.Tensor)]


def replaced(value: object, new: Callable[[torch.Tensor], object]) -> object:
    """A nested value with `new(tensor)` in place of each tensor, in order."""
    import torch

    if isinstance(value, torch.Tensor):
        return new(value)
    return tuple(replaced(item, new) for item in value) if isinstance(value, (tuple, list)) else value


def with_outputs(op: Op, edit: Edit) -> Kernel:
    """The reference, with contiguous outputs of its own that `edit` then changes."""

    def call(*args: object, **kwargs: object) -> object:
        import torch

        given = tensors(args, kwargs)
        before = [t.clone() for t in given] if op.mutates else given
        outputs: list[torch.Tensor] = []

        def own(tensor: torch.Tensor) -> torch.Tensor:
            outputs.append(tensor.clone(memory_format=torch.contiguous_format))
            return outputs[-1]

        value = replaced(op.reference(*args, **kwargs), own)
        edit([*outputs, *(given[number] for number in sorted(op.mutates))], before)
        return value

    return call


def with_inputs(op: Op, change: Callable[[list[torch.Tensor]], Sequence[torch.Tensor]]) -> Kernel:
    """The reference on other tensors than those given: `change` makes them from copies. What it writes is copied back."""

    def call(*args: object, **kwargs: object) -> object:
        import torch

        given = tensors(args, kwargs)
        other = change([t.clone() for t in given])
        remaining = iter(other)
        new_args = [replaced(a, lambda _t: next(remaining)) for a in args]
        new_kwargs = {name: replaced(a, lambda _t: next(remaining)) for name, a in kwargs.items()}
        value = op.reference(*new_args, **new_kwargs)
        for number in op.mutates:
            given[number].copy_(other[number])
        return replaced(value, lambda t: t.clone(memory_format=torch.contiguous_format))

    return call


def with_arguments(op: Op, change: Callable[[list[object], dict[str, object]], None]) -> Kernel:
    """The reference with other arguments: `change` edits the list and the mapping."""

    def call(*args: object, **kwargs: object) -> object:
        import torch

        new_args, new_kwargs = list(args), dict(kwargs)
        change(new_args, new_kwargs)
        return replaced(op.reference(*new_args, **new_kwargs), lambda t: t.clone(memory_format=torch.contiguous_format))

    return call
