"""A case with one of its sizes changed, for hidden cases."""

from __future__ import annotations

import dataclasses

from evaluator.ops.definition import Argument, Case, TensorSpec

BOUNDED = ("integers", "permutation", "ascending")


def resizable(spec: TensorSpec) -> bool:
    """Whether the tensor's strides follow from its sizes: its dimensions lie in memory one in the other, in some order, without gaps."""
    return spec.strides is None or spec.strides == _strides(spec.shape, spec.strides)


def _strides(shape: tuple[int, ...], like: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of `shape` in memory order of `like`; a dimension of stride 0 keeps it."""
    strides, step = [0] * len(shape), 1
    for dim in sorted(range(len(shape)), key=lambda dim: (like[dim], -dim)):
        if like[dim]:
            strides[dim] = step
            step *= shape[dim]
    return tuple(strides)


def resized(case: Case, size: int, to: int, *, name: str, hidden: bool = False) -> Case:
    """Every dimension of length `size`, in all tensors, gets length `to`; indices below `size` become indices below `to`."""

    def change(argument: Argument) -> Argument:
        if isinstance(argument, TensorSpec):
            shape = tuple(to if length == size else length for length in argument.shape)
            strides = argument.strides and _strides(shape, argument.strides)
            bounded = argument.generator in BOUNDED and argument.low == 0 and argument.high == size
            return dataclasses.replace(argument, shape=shape, strides=strides, high=float(to) if bounded else argument.high)
        return tuple(change(item) for item in argument) if isinstance(argument, tuple) else argument

    args, kwargs = tuple(change(a) for a in case.args), {key: change(value) for key, value in case.kwargs.items()}
    return dataclasses.replace(case, name=name, args=args, kwargs=kwargs, hidden=hidden)
