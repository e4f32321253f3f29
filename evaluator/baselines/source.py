"""An op's reference as a Python file of its own, which needs nothing of ours: what a sandboxed process and an external tool can read."""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator

from evaluator.ops.definition import Op
from evaluator.ops.recorded import Reference
from evaluator.ops.recorded.targets import callable_text

HEAD = '''"""The reference of {slug}, made by `python -m evaluator baseline`."""

from __future__ import annotations

import torch
'''
PRODUCTS = """torch.set_grad_enabled(False)
torch.set_float32_matmul_precision("{precision}")
torch.backends.cudnn.allow_tf32 = {tf32}
"""
"""As the judge's own torch eager runs (`evaluator.correctness.oracle.set_float32_products`)."""
COMPILER = """import os

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # compile in this process: no pool of others

import torch._dynamo

torch._dynamo.config.recompile_limit = 1000
torch._dynamo.config.accumulated_recompile_limit = 10000
torch._dynamo.config.fail_on_recompile_limit_hit = True  # never fall back to eager in silence
"""
REFERENCE = "reference"
Written: typing.TypeAlias = tuple[object, str]
"""A global of the reference's module and the source that defines it."""
_CONSTANTS = (bool, int, float, str, bytes, type(None))


class NotPortable(ValueError):
    """The reference uses something of ours that cannot be written into a file."""


def reference_source(op: Op) -> str:
    """A module that defines `reference(*args, **kwargs)`, in the op's precision class. Raises `NotPortable`."""
    return _module(op, "", f"{_defined(op)}\n")


def eager_source(op: Op) -> str:
    """The same as a submission of kernel type `torch`: what torch eager does, under the op's entry point. Raises `NotPortable`."""
    return _module(op, "", f"{_defined(op)}\n\n{op.entry_point} = {REFERENCE}\n")


def compiled_source(op: Op) -> str:
    """The reference under `torch.compile`, as a submission of kernel type `torch`. Raises `NotPortable`.

    `dynamic=False`: each shape gets code of its own. That is the fastest that torch.compile does by default settings, and it costs
    time when compiling only.
    """
    return _module(op, COMPILER, f"{_defined(op)}\n\n{op.entry_point} = torch.compile({REFERENCE}, dynamic=False)\n")


def _module(op: Op, setup: str, body: str) -> str:
    tf32 = op.precision == "tf32"
    products = PRODUCTS.format(precision="high" if tf32 else "highest", tf32=tf32)
    return "\n".join(part for part in (HEAD.format(slug=op.slug), setup, products, body) if part)


def _defined(op: Op) -> str:
    """Source that binds `reference`."""
    if isinstance(op.reference, Reference):
        return f"def {REFERENCE}(*args, **kwargs):\n    return {callable_text(op.reference.target)}(*args, **kwargs)\n"
    found: dict[str, Written] = {}
    name = _collect(op.reference, found)
    parts = [text for _, text in found.values()]
    return "\n\n".join(parts) + (f"\n\n{REFERENCE} = {name}" if name != REFERENCE else "")


def _collect(function: object, found: dict[str, Written]) -> str:
    """Put the source of a function, behind that of all that it uses, into `found`; its name."""
    if not isinstance(function, types.FunctionType) or function.__closure__ or not function.__name__.isidentifier():
        raise NotPortable(f"{getattr(function, '__qualname__', function)!s} is no plain function")
    name = function.__name__
    if _is_there(name, function, found):
        return name
    text = textwrap.dedent(inspect.getsource(function))
    found[name] = function, text  # at once: it may call itself
    for used in sorted(_globals(function, text)):
        _write(used, function.__globals__[used], found)
    found[name] = found.pop(name)  # behind what it uses
    return name


def _write(name: str, value: object, found: dict[str, Written]) -> None:
    if isinstance(value, types.FunctionType):
        if _collect(value, found) != name and not _is_there(name, value, found):
            found[name] = value, f"{name} = {value.__name__}\n"
    elif _is_there(name, value, found):
        return
    elif isinstance(value, types.ModuleType):
        found[name] = value, f"import {value.__name__} as {name}\n"
    elif _is_constant(value):
        found[name] = value, f"{name} = {value!r}\n"
    else:
        raise NotPortable(f"{name} is a {type(value).__name__}")


def _is_there(name: str, value: object, found: dict[str, Written]) -> bool:
    if name in found and found[name][0] is not value and found[name][0] != value:
        raise NotPortable(f"two different things are named {name}")
    return name in found


def _is_constant(value: object) -> bool:
    return isinstance(value, _CONSTANTS) or (isinstance(value, tuple) and all(map(_is_constant, value)))


def _globals(function: types.FunctionType, text: str) -> set[str]:
    """Names of its module that the function reads when it is called, or its text when it is defined (defaults, decorators)."""
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef)
    at_once = [*definition.decorator_list, *definition.args.defaults, *filter(None, definition.args.kw_defaults)]
    named = {node.id for part in at_once for node in ast.walk(part) if isinstance(node, ast.Name)}
    return (named | set(_read(function.__code__))) & set(function.__globals__)


def _read(code: types.CodeType) -> Iterator[str]:
    yield from (str(each.argval) for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL")
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _read(inner)
