"""What the right outputs are: the reference in float64, and torch's own answer in the op's dtype to learn its error from.

Where float64 costs too much (`evaluator/correctness/affordable.py`) the oracle is the reference in float32 without TF32.
"""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op

Wide: typing.TypeAlias = typing.Literal["float64", "float32"]


def oracle(op: Op, args: Sequence[object], kwargs: Mapping[str, object], dtype: Wide = "float64") -> tuple[torch.Tensor, ...]:
    """The reference on inputs upcast to `dtype` or the complex dtype of that precision; integers, bools and what is wider already stay.

    Returned outputs first, then the arguments that the op writes to.
    """
    with _products(tf32=False):
        return _call(op, args, kwargs, lambda tensor: _upcast(tensor, dtype))


def same_dtype(op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[torch.Tensor, ...]:
    """The reference in the inputs' own dtypes and the op's precision class: TF32 products only where the op says `tf32`."""
    with _products(tf32=op.precision == "tf32"):
        return _call(op, args, kwargs, lambda tensor: tensor)


@contextlib.contextmanager
def _products(*, tf32: bool) -> Iterator[None]:
    """Multiply float32 matrices and convolve with or without TF32, and then as before."""
    import torch

    matmul, convolution = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    _allow_tf32(tf32)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(matmul)
        torch.backends.cudnn.allow_tf32 = convolution


def set_float32_products(op: Op) -> None:
    """Set how torch multiplies float32 matrices and convolves to what the op's precision class says."""
    _allow_tf32(op.precision == "tf32")


def _allow_tf32(allowed: bool) -> None:
    """Convolutions have a switch of their own: cuDNN takes TF32 for them unless told otherwise."""
    import torch

    torch.set_float32_matmul_precision("high" if allowed else "highest")
    torch.backends.cudnn.allow_tf32 = allowed


def _upcast(tensor: torch.Tensor, dtype: Wide) -> torch.Tensor:
    import torch

    wide: torch.dtype = getattr(torch, dtype)
    if tensor.is_complex():
        return tensor.to(torch.promote_types(tensor.dtype, wide.to_complex()))
    if not tensor.is_floating_point():
        return tensor
    return tensor.to(wide) if tensor.itemsize < wide.itemsize else tensor


def _call(
    op: Op, args: Sequence[object], kwargs: Mapping[str, object], convert: Callable[[torch.Tensor], torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """Call the reference on converted tensors; those that it writes to are copies, so that the given ones stay."""
    import torch

    from evaluator.candidate.outputs import leaves

    taken: list[torch.Tensor] = []

    def take(value: torch.Tensor) -> torch.Tensor:
        tensor = convert(value)
        taken.append(tensor.clone() if tensor is value and len(taken) in op.mutates else tensor)
        return taken[-1]

    args, kwargs = [_mapped(a, take) for a in args], {name: _mapped(a, take) for name, a in kwargs.items()}
    with torch.no_grad():
        returned = leaves(op.reference(*args, **kwargs))
    return (*typing.cast("list[torch.Tensor]", returned), *(taken[number] for number in sorted(op.mutates)))


def _mapped(value: object, change: Callable[[torch.Tensor], torch.Tensor]) -> object:
    """The argument with its tensors changed, in order.

    A function that calls itself by a name of its caller's would be part of a cycle, and gigabytes of tensors with it until Python collects.
    """
    import torch

    if isinstance(value, torch.Tensor):
        return change(value)
    return tuple(_mapped(item, change) for item in value) if isinstance(value, tuple) else value
