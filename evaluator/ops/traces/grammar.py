"""The arguments of one traced call, as text: `((T([64, 128], f16), -1, False), {'dtype': f32})`.

Parsed by `ast` into a closed set of values; nothing is evaluated. `T(shape, dtype)` is a tensor, also with strides as a third argument
or as `stride=`; dtypes are `f16`, `'f16'` or `torch.float16` (`th.` is `torch.`); `inf` and `nan` are floats; layouts, memory formats
and devices are recognised so that `recipe.py` can say what becomes of them.
"""

from __future__ import annotations

import ast
import math
import typing
from dataclasses import dataclass

from evaluator.ops.arguments import ITEM_BYTES
from evaluator.ops.definition import Argument, DType, TensorSpec
from evaluator.ops.recorded.arguments import INT64, LONGEST_LIST, MOST_BYTES, MOST_DIMENSIONS, storage_bytes

LONGEST = 32_768
"""Characters of one call."""
DEEPEST = 12
"""Brackets within brackets: far above any real trace, far below what Python's parser can take."""

DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u8": "uint8",
    "b8": "bool",
    "c32": "complex32",
    "c64": "complex64",
    "c128": "complex128",
}
_TORCH_NAMES = {
    **{name: name for name in DTYPES.values()},
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
}
_LAYOUTS = ("strided", "sparse_coo", "sparse_csr", "jagged")
_MEMORY_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")


class CallError(ValueError):
    """The text is not a call that can be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A value that only torch has: `kind` is `device`, `layout` or `memory_format`."""

    kind: str
    name: str


Value: typing.TypeAlias = "Argument | Marker"


def parse_call(text: str) -> tuple[tuple[Value, ...], dict[str, Value]]:
    """Arguments by position and by name. Raises `CallError`."""
    text = text.strip()
    if len(text) > LONGEST:
        raise CallError(f"the call has {len(text)} characters, {LONGEST} are allowed")
    if (depth := _depth(text)) > DEEPEST:
        raise CallError(f"brackets are nested {depth} deep, {DEEPEST} are allowed")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise CallError(f"this is no list of arguments: {message}") from None
    if not isinstance(tree, ast.Tuple) or len(tree.elts) != 2:
        raise CallError("expected ((arguments…), {names: arguments})")
    args, kwargs = tree.elts
    if not isinstance(args, ast.Tuple) or not isinstance(kwargs, ast.Dict):
        raise CallError("expected a tuple of arguments, then a dictionary")
    try:
        return tuple(_value(node) for node in args.elts), {name: _value(node) for name, node in _named(kwargs)}
    except RecursionError:  # signs and sums nest without brackets
        raise CallError("the arguments are nested too deep") from None


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest


def _named(node: ast.Dict) -> list[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str) or not key.value.isidentifier():
            raise CallError(f"{_shown(key)} is no name of an argument")
        found.append((key.value, value))
    return found


def _value(node: ast.expr) -> Value:
    if isinstance(node, ast.Constant):
        return _constant(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        number = _value(node.operand)
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise CallError(f"{_shown(node)} is no number")
        return _in_range(-number if isinstance(node.op, ast.USub) else number)
    if isinstance(node, (ast.Tuple, ast.List)):
        return _items(node)
    if isinstance(node, ast.Name):
        return _name(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("torch", "th"):
        return _torch_name(node.attr)
    if isinstance(node, ast.Call):
        return _call(node)
    raise CallError(f"{_shown(node)} is not known here")


def _constant(node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, str):
        if value in DTYPES:
            return DType(DTYPES[value])
        if value.startswith(("torch.device(", "device(")):
            return _value(_parsed(value))
        return value
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        return _in_range(value)
    raise CallError(f"{_shown(node)} is of a kind that is not known here")


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise CallError(f"{text[:80]!r} is no device") from None


def _in_range(value: int | float) -> int | float:
    if isinstance(value, int) and not -INT64 <= value <= INT64:  # the number itself, before its sign
        raise CallError(f"{value} does not fit into 64 bits")
    return value


def _items(node: ast.Tuple | ast.List) -> tuple[Argument, ...]:
    if len(node.elts) > LONGEST_LIST:
        raise CallError(f"a list has {len(node.elts)} items, {LONGEST_LIST} are allowed")
    values = [_value(item) for item in node.elts]
    if marker := next((value for value in values if isinstance(value, Marker)), None):
        raise CallError(f"a {marker.kind} ({marker.name}) in a list is not known here")
    return tuple(typing.cast("list[Argument]", values))


def _name(name: str) -> Value:
    if name in ("inf", "nan"):
        return math.inf if name == "inf" else math.nan
    if name in DTYPES:
        return DType(DTYPES[name])
    raise CallError(f"the name {name!r} is not known here")


def _torch_name(name: str) -> Value:
    if name in ("inf", "nan"):
        return _name(name)
    if name in _TORCH_NAMES:
        return DType(_TORCH_NAMES[name])
    if name in _LAYOUTS:
        return Marker("layout", name)
    if name in _MEMORY_FORMATS:
        return Marker("memory_format", name)
    raise CallError(f"torch.{name} is not known here")


def _call(node: ast.Call) -> Value:
    """`T(…)`, `device(…)`, `torch.device(…)`, `float('inf')`."""
    called = ast.unparse(node.func)
    if called == "T":
        return _tensor(node)
    if called in ("device", "torch.device", "th.device"):
        given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "type")]
        if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
            return Marker("device", given[0].value)
    if called == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and not node.keywords:
        try:
            return float(str(node.args[0].value))
        except ValueError:
            pass
    raise CallError(f"{_shown(node)} is not known here")


def _tensor(node: ast.Call) -> TensorSpec:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    given = [*node.args, *([named.pop("stride")] if "stride" in named and len(node.args) == 2 else [])]
    device = named.pop("device", None)
    if named or len(given) not in (2, 3) or (device is not None and not isinstance(device, ast.Constant)):
        raise CallError(f"{_shown(node)}: a tensor is T(shape, dtype) or T(shape, dtype, strides)")
    dtype = _value(given[1])
    if not isinstance(dtype, DType):
        raise CallError(f"{_shown(node)}: {_shown(given[1])} is no dtype")
    if dtype.name not in ITEM_BYTES:
        raise CallError(f"{_shown(node)}: tensors of {dtype.name} are not supported")
    shape = _lengths(given[0], node)
    strides = None if len(given) == 2 or _value(given[2]) is None else _lengths(given[2], node)
    if strides is not None and len(strides) != len(shape):
        raise CallError(f"{_shown(node)}: {len(strides)} strides for {len(shape)} dimensions")
    size = storage_bytes(shape, dtype.name, strides)
    if size > MOST_BYTES:
        raise CallError(f"{_shown(node)}: the tensor takes {size} bytes, {MOST_BYTES} are allowed")
    return TensorSpec(shape, dtype.name, strides=strides)


def _lengths(node: ast.expr, tensor: ast.Call) -> tuple[int, ...]:
    values = _value(node)
    if not isinstance(values, tuple) or len(values) > MOST_DIMENSIONS:
        raise CallError(f"{_shown(tensor)}: {_shown(node)} is no list of at most {MOST_DIMENSIONS} lengths")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise CallError(f"{_shown(tensor)}: {value!r} is no length")
    return typing.cast("tuple[int, ...]", values)


def _shown(node: ast.AST | None) -> str:
    text = ast.unparse(node) if node is not None else "**"
    return text if len(text) <= 80 else f"{text[:77]}…"
