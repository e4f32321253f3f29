"""What the right outputs are: the reference in float64, and torch's own answer in the op's dtype to learn its error from."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterator, Mapping, Sequence

if typing.TYPE_CHECKING:
    import torch

    from evaluator.ops.definition import Op


def oracle(op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[torch.Tensor, ...]:
    """The reference on inputs upcast to float64; integer and bool inputs stay."""
    return _call(op, [_upcast(a) for a in args], {name: _upcast(a) for name, a in kwargs.items()})


def same_dtype(op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[torch.Tensor, ...]:
    """The reference in the inputs' own dtypes and the op's precision class: TF32 products only where the op says `tf32`."""
    with float32_products(op):
        return _call(op, args, kwargs)


@contextlib.contextmanager
def float32_products(op: Op) -> Iterator[None]:
    """Set how torch multiplies float32 matrices to what the op's precision class says."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if op.precision == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _upcast(value: object) -> object:
    import torch

    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.to(torch.float64)
    return value


def _call(op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[torch.Tensor, ...]:
    import torch

    with torch.no_grad():
        result = op.reference(*args, **kwargs)
    return (result,) if isinstance(result, torch.Tensor) else tuple(result)
