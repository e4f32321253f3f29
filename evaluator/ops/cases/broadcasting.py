"""Cases that the ops of several tensors, broadcast against each other, share.

An op says by one recipe an operand what the operand holds (`tensor()` for normal values); the layouts are given here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evaluator.ops.arguments import ITEM_BYTES, correctness, every_other, hidden, input_bytes, padded, takes_bfloat16, tensor, transposed
from evaluator.ops.cases.elementwise import FLOATS, NO_OPTIONS, Pick
from evaluator.ops.definition import Argument, Case, Cost, TensorSpec

LAYOUTS = (
    ("plain", tensor(64, 128), tensor(64, 128), tensor(64, 128)),
    ("odd", tensor(3, 67, 5), tensor(3, 67, 5), tensor(3, 67, 5)),
    ("one_element", tensor(1), tensor(1), tensor(1)),
    ("scalars", tensor(), tensor(), tensor()),
    ("empty", tensor(0, 7), tensor(0, 7), tensor(7)),
    ("row_broadcast", tensor(33, 65), tensor(65), tensor(33, 1)),
    ("column_broadcast", tensor(33, 1), tensor(33, 65), tensor(65)),
    ("both_broadcast", tensor(5, 1, 7), tensor(1, 3, 7), tensor(5, 3, 1)),
    ("scalar_broadcast", tensor(129), tensor(), tensor(129)),
    ("transposed", transposed(37, 53), tensor(37, 53), transposed(37, 53)),
    ("every_other", every_other(19, 31), transposed(19, 31), padded(19, 31, 3)),
    ("stride_0", tensor(23, 41), tensor(23, 41, strides=(0, 1)), tensor(23, 41, strides=(1, 0))),
)
"""A name, then where each of up to three operands lies."""


def holding(recipe: TensorSpec, layout: TensorSpec, dtype: str = "") -> TensorSpec:
    """The layout's tensor, filled as the recipe says. bool operands stay bool, others take `dtype` where one is given."""
    kept = recipe.dtype == "bool" or not dtype
    return replace(layout, dtype=recipe.dtype if kept else dtype, generator=recipe.generator, low=recipe.low, high=recipe.high)


def correctness_cases(
    device: str, operands: Sequence[TensorSpec], dtypes: Sequence[str] = FLOATS[1:], options: Mapping[str, Argument] = NO_OPTIONS
) -> list[Case]:
    """All layouts, a case with a large first operand of normal values, and one for each of the other dtypes."""
    first = next(n for n, operand in enumerate(operands) if operand.dtype != "bool")
    large = [replace(operand, generator="large") if n == first else operand for n, operand in enumerate(operands)]
    narrow = [dtype for dtype in dtypes if dtype != "bfloat16" or takes_bfloat16(device)]
    return [
        *(correctness(name, *_held(operands, layouts), **options) for name, *layouts in LAYOUTS),
        correctness("large", *_held(large, [tensor(1023)] * 3), **options),
        *(correctness(dtype, *_held(operands, [tensor(31, 129)] * 3, dtype), **options) for dtype in narrow),
    ]


def hidden_cases(pick: Pick, operands: Sequence[TensorSpec], **options: Argument) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    odd = tensor(rows, columns)
    return [
        hidden("odd", *_held(operands, (odd, odd, odd)), **options),
        hidden("broadcast", *_held(operands, (tensor(columns), odd, tensor(rows, 1))), **options),
        hidden("strided", *_held(operands, (transposed(columns, rows), every_other(columns, rows), padded(columns, rows, 5))), **options),
    ]


def _held(operands: Sequence[TensorSpec], layouts: Sequence[TensorSpec], dtype: str = "") -> list[TensorSpec]:
    return [holding(recipe, layout, dtype) for recipe, layout in zip(operands, layouts, strict=False)]


def common_shape(case: Case) -> tuple[int, ...]:
    """The shape that all tensors of a case are broadcast to."""
    shape: tuple[int, ...] = ()
    for spec in case.tensors:
        length = max(len(shape), len(spec.shape))
        a, b = ((1,) * (length - len(each)) + each for each in (shape, spec.shape))
        shape = tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))
    return shape


def least_cost(flops: int) -> Callable[[Case], Cost]:
    """Costs of an op whose output has the last tensor's dtype and needs `flops` an element."""

    def cost(case: Case) -> Cost:
        out = math.prod(common_shape(case))
        return Cost(input_bytes(case), out * ITEM_BYTES[case.tensors[-1].dtype], flops * out)

    return cost
