"""Short ways to write the arguments of a case, and counts that every cost model needs."""

from __future__ import annotations

import math

from evaluator.ops.definition import Argument, Case, Cost, Generator, TensorSpec

ITEM_BYTES = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
    "complex64": 8,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
}


def tensor(
    *shape: int,
    dtype: str = "float32",
    generator: Generator = "normal",
    low: float = 0.0,
    high: float = 1.0,
    strides: tuple[int, ...] | None = None,
) -> TensorSpec:
    return TensorSpec(shape, dtype, generator, low, high, strides)


def transposed(*shape: int, dtype: str = "float32") -> TensorSpec:
    """A tensor whose last two dimensions are swapped in memory."""
    *batch, rows, columns = shape
    strides = [1, rows]
    step = rows * columns
    for size in reversed(batch):
        strides.insert(0, step)
        step *= size
    return TensorSpec(shape, dtype, strides=tuple(strides))


def permuted(*shape: int, order: tuple[int, ...], dtype: str = "float32") -> TensorSpec:
    """A tensor whose dimensions lie in memory in another order: `order` names them from the outermost to the innermost."""
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
    return TensorSpec(shape, dtype, strides=tuple(strides))


def padded(rows: int, columns: int, gap: int, dtype: str = "float32") -> TensorSpec:
    """A matrix cut out of a wider one: `gap` unused elements after each row."""
    return TensorSpec((rows, columns), dtype, strides=(columns + gap, 1))


def every_other(rows: int, columns: int, dtype: str = "float32") -> TensorSpec:
    """A matrix that takes every other column of a wider one."""
    return TensorSpec((rows, columns), dtype, strides=(2 * columns, 2))


def elements(spec: TensorSpec) -> int:
    return math.prod(spec.shape)


def tensor_bytes(spec: TensorSpec) -> int:
    """Bytes that reading the tensor once must move; a broadcast dimension (stride 0) is read once."""
    shape = spec.shape if spec.strides is None else [n for n, step in zip(spec.shape, spec.strides, strict=True) if step]
    return math.prod(shape) * ITEM_BYTES[spec.dtype]


def input_bytes(case: Case) -> int:
    return sum(tensor_bytes(spec) for spec in case.tensors)


def takes_bfloat16(device: str) -> bool:
    """Triton's interpreter adds and multiplies bfloat16 wrongly (it sees the bits as integers); a T4 has no such products."""
    return device not in ("cpu", "t4")


def first_tensor(case: Case) -> TensorSpec:
    spec = case.args[0]
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"the first argument of case {case.name} is not a tensor")
    return spec


def argument(case: Case, position: int, name: str, default: object = None) -> object:
    """An argument given by position or by name."""
    if position < len(case.args):
        return case.args[position]
    return case.kwargs.get(name, default)


def cost(case: Case, output_elements: int, output_dtype: str, flops: int) -> Cost:
    return Cost(input_bytes(case), output_elements * ITEM_BYTES[output_dtype], flops)


def correctness(name: str, *args: Argument, **kwargs: Argument) -> Case:
    return Case(name, "correctness", args, kwargs)


def hidden(name: str, *args: Argument, **kwargs: Argument) -> Case:
    return Case(f"hidden_{name}", "correctness", args, kwargs, hidden=True)


def performance(name: str, source: str, *args: Argument, **kwargs: Argument) -> Case:
    return Case(name, "performance", args, kwargs, source=source)
