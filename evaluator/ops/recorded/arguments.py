"""Arguments of a case as JSON and back.

A tensor is `{"tensor": {shape, dtype, generator, low, high, strides}}`, a dtype `{"dtype": name}`, a tuple a list, a float
`{"float": "0.5"}`: as text, because JSON has neither NaN nor infinity and databases turn 1e16 into an integer. A plain number with a
point is read as a float, too. Integers, booleans, texts and null stand for themselves.
"""

from __future__ import annotations

import math
import typing

from evaluator.jsonable import JSON
from evaluator.ops.arguments import ITEM_BYTES
from evaluator.ops.definition import Argument, DType, Generator, TensorSpec
from evaluator.ops.recorded.errors import DocumentError
from evaluator.ops.recorded.fields import Fields

GENERATORS: tuple[str, ...] = typing.get_args(Generator)
INTEGER_GENERATORS = ("integers", "permutation", "ascending")
DTYPES = frozenset({*ITEM_BYTES, "complex128"})
DEEPEST = 4
LONGEST_LIST = 256
LONGEST_TEXT = 1000
MOST_DIMENSIONS = 12
MOST_BYTES = 1 << 38
"""Of one tensor, gaps between strides included."""
INT64 = 2**63


def argument_json(argument: Argument) -> JSON:
    if isinstance(argument, TensorSpec):
        return {"tensor": _tensor_json(argument)}
    if isinstance(argument, DType):
        return {"dtype": argument.name}
    if isinstance(argument, tuple):
        return [argument_json(item) for item in argument]
    return {"float": repr(argument)} if isinstance(argument, float) else argument


def _tensor_json(spec: TensorSpec) -> JSON:
    found: dict[str, JSON] = {"shape": list(spec.shape), "dtype": spec.dtype, "generator": spec.generator}
    found |= {"low": float(spec.low), "high": float(spec.high)}
    if spec.strides is not None:
        found["strides"] = list(spec.strides)
    return found


def read_argument(value: object, where: str, depth: int = 0) -> Argument:
    """Raises `DocumentError`."""
    if isinstance(value, list):
        if depth == DEEPEST:
            raise DocumentError(where, f"lists are nested more than {DEEPEST} deep")
        if len(value) > LONGEST_LIST:
            raise DocumentError(where, f"a list has {len(value)} items, {LONGEST_LIST} are allowed")
        return tuple(read_argument(item, f"{where}[{number}]", depth + 1) for number, item in enumerate(value))
    if isinstance(value, dict):
        return _marked(value, where)
    if isinstance(value, int) and not isinstance(value, bool) and not -INT64 <= value < INT64:
        raise DocumentError(where, f"{value} does not fit into 64 bits")
    if isinstance(value, str) and (len(value) > LONGEST_TEXT or "\x00" in value):
        raise DocumentError(where, f"a text has at most {LONGEST_TEXT} characters and no NUL")
    if isinstance(value, float) and not math.isfinite(value):
        raise DocumentError(where, f'{value!r} is no JSON; write {{"float": "{value!r}"}}')
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise DocumentError(where, f"{type(value).__name__} is no argument")


def _marked(value: dict[str, object], where: str) -> Argument:
    if set(value) == {"tensor"}:
        return read_tensor(value["tensor"], f"{where}.tensor")
    if set(value) == {"dtype"}:
        name = value["dtype"]
        if not isinstance(name, str) or name not in DTYPES:
            raise DocumentError(f"{where}.dtype", f"{name!r} is not one of {', '.join(sorted(DTYPES))}")
        return DType(name)
    if set(value) == {"float"}:
        try:
            return float(str(value["float"]))
        except ValueError:
            raise DocumentError(f"{where}.float", f"{value['float']!r} is no number") from None
    raise DocumentError(where, "an object is {tensor: …}, {dtype: …} or {float: …}")


def read_tensor(value: object, where: str) -> TensorSpec:
    fields = Fields(value, where)
    shape = fields.integers("shape", high=1 << 40, most=MOST_DIMENSIONS)
    dtype = fields.choice("dtype", ITEM_BYTES)
    generator = typing.cast("Generator", fields.choice("generator", GENERATORS, default="normal"))
    low, high = fields.number("low", 0.0), fields.number("high", 1.0)
    strides = fields.integers("strides", high=1 << 40, most=MOST_DIMENSIONS) if fields.has("strides") else None
    fields.end()
    if strides is not None and len(strides) != len(shape):
        raise DocumentError(f"{where}.strides", f"{len(strides)} strides for {len(shape)} dimensions")
    size = storage_bytes(shape, dtype, strides)
    if size > MOST_BYTES:
        raise DocumentError(where, f"the tensor takes {size} bytes, {MOST_BYTES} are allowed")
    _check_range(dtype, generator, low, high, where)
    return TensorSpec(shape, dtype, generator, low, high, strides)


def storage_bytes(shape: tuple[int, ...], dtype: str, strides: tuple[int, ...] | None) -> int:
    if 0 in shape:
        return 0
    extent = math.prod(shape) if strides is None else 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    return extent * ITEM_BYTES[dtype]


def _check_range(dtype: str, generator: str, low: float, high: float, where: str) -> None:
    floats = dtype.startswith(("float", "bfloat", "complex"))
    if dtype == "bool" or (floats and generator not in INTEGER_GENERATORS):
        return
    if low != int(low) or high != int(high):
        raise DocumentError(where, f"low={low} and high={high} must be whole numbers for {dtype} from {generator}")
    span = high - low + (generator == "ascending")
    if not 0 < span < 2**31:
        raise DocumentError(where, f"low={low} high={high} leave no integers to draw; 0 < high - low < 2**31")
