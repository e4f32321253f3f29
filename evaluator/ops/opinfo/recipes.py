"""A sample of torch's op database as a recipe: what its tensors look like and where their values lie, instead of the values."""

from __future__ import annotations

import math
import numbers
import typing
from dataclasses import dataclass

from evaluator.ops.arguments import ITEM_BYTES
from evaluator.ops.definition import Argument, DType, Generator, TensorSpec
from evaluator.ops.recorded.arguments import DTYPES

if typing.TYPE_CHECKING:
    import torch

MOST_ELEMENTS = 20_000
MOST_SPAN = 2**31
LARGEST = 2**53
"""Bounds of a recipe are floats."""
FEWEST_SORTED = 4
"""Fewer values may stand in ascending order by chance, unless they begin with 0, as offsets do."""


class InexpressibleError(ValueError):
    """The sample holds something that no recipe can say; the message says what."""


@dataclass(frozen=True, slots=True)
class _Values:
    generator: Generator
    low: float = 0.0
    high: float = 1.0


def argument_of(value: object) -> Argument:
    """Raises `InexpressibleError`."""
    import torch

    if isinstance(value, torch.Tensor):
        return _spec(value)
    if isinstance(value, (list, tuple)):
        return tuple(argument_of(item) for item in value)
    if isinstance(value, torch.dtype):
        name = str(value).removeprefix("torch.")
        if name not in DTYPES:
            raise InexpressibleError(f"the dtype {name} as an argument")
        return DType(name)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise InexpressibleError(f"an argument of type {type(value).__name__}")


def _spec(tensor: torch.Tensor) -> TensorSpec:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if str(tensor.layout) != "torch.strided" or tensor.is_nested:
        raise InexpressibleError(f"a tensor of layout {tensor.layout}")
    if dtype not in ITEM_BYTES:
        raise InexpressibleError(f"a tensor of {dtype}")
    if tensor.is_conj() or tensor.is_neg():
        raise InexpressibleError("a tensor that is conjugated or negated when it is read")
    shape = tuple(tensor.shape)
    strides = None if tensor.is_contiguous() or not tensor.numel() else tuple(tensor.stride())
    if max(tensor.numel(), _extent(shape, strides)) > MOST_ELEMENTS:
        raise InexpressibleError(f"a tensor of more than {MOST_ELEMENTS} elements")
    values = _values(tensor.detach())
    return TensorSpec(shape, dtype, values.generator, values.low, values.high, strides)


def _extent(shape: tuple[int, ...], strides: tuple[int, ...] | None) -> int:
    return 0 if strides is None else 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def _values(tensor: torch.Tensor) -> _Values:
    """Floats are drawn evenly from the range of the sample's own values, so that domains stay; whole numbers stay whole.

    Indices that do not repeat and lists that are in order stay so.
    """
    import torch

    if not tensor.numel() or tensor.dtype == torch.bool:
        return _Values("integers", 0.0, 2.0) if not _floats(tensor) and tensor.dtype != torch.bool else _Values("normal")
    flat = (torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor).reshape(-1)
    if not _floats(tensor):
        return _whole(flat.to(torch.int64))
    numbers_ = flat.to(torch.float64)
    if not bool(numbers_.isfinite().all()):
        return _Values("special_nan" if bool(numbers_.isnan().any()) else "special")
    low, high = float(numbers_.min()), float(numbers_.max())
    if tensor.is_complex() or low == high:
        return _Values("uniform", low, high)
    if _in_order(tensor):
        return _Values("ascending", math.floor(low), math.ceil(high))
    if bool((numbers_ == numbers_.round()).all()) and high - low < MOST_SPAN:
        return _whole(numbers_.to(torch.int64))
    return _Values("uniform", low, high)


def _whole(flat: torch.Tensor) -> _Values:
    low, high = int(flat.min()), int(flat.max())
    if not high - low + 1 < MOST_SPAN or max(-low, high) > LARGEST:
        raise InexpressibleError("integers beyond 2**53, or further apart than 2**31")
    if low < high and _in_order(flat, 2 if low == 0 else FEWEST_SORTED):
        return _Values("ascending", low, high)
    distinct = flat.numel() > 1 and len(set(flat.tolist())) == flat.numel()
    return _Values("permutation" if distinct else "integers", low, high + 1)


def _floats(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _in_order(tensor: torch.Tensor, fewest: int = FEWEST_SORTED) -> bool:
    return tensor.dim() == 1 and tensor.numel() >= fewest and bool((tensor[1:] >= tensor[:-1]).all())
