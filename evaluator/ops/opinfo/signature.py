"""The signature that a reader sees and that the starter file has."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator, Sequence

from evaluator.ops.definition import Case
from evaluator.ops.opinfo.target import SEED, agree
from evaluator.ops.recorded.signature import ANY, python_parameters
from evaluator.ops.recorded.starter import function_text
from evaluator.ops.recorded.targets import resolve
from evaluator.ops.validate import materialise

if typing.TYPE_CHECKING:
    import torch

LONGEST = 2000
_OPTIONAL = re.compile(r"(\? \w+)(?=[,)])")
"""What may be None, and for which the operator has no default though the Python function has: `int[1]? dim`."""
_TYPES = {"Tensor": "Tensor", "int": "int", "float": "float", "bool": "bool", "str": "str"}


def signature_of(target: str, cases: Sequence[Case]) -> str:
    """The first signature of the target with which the starter file does what the target does, on every case."""
    function = resolve(target)
    returned = _returned(function, cases)
    name = target.rpartition(".")[2] if not target.startswith("aten.") else target.removeprefix("aten.")
    for text in _candidates(target, name, function, returned):
        if len(text) <= LONGEST and python_parameters(text) != ANY and agree(function, _starter(text, target), cases):
            return text
    return f"{name}(*args, **kwargs) -> {returned}"


def _candidates(target: str, name: str, function: Callable[..., object], returned: str) -> Iterator[str]:
    import torch

    if target.startswith("aten."):
        yield str(typing.cast("torch._ops.OpOverload", function)._schema).removeprefix("aten::")
        return
    if inspect.isfunction(function):
        yield _python_signature(name, function, returned)
    else:
        texts = [str(schema).removeprefix("aten::") for schema in _schemas(function) if not schema.is_mutable]
        yield from texts
        yield from (_OPTIONAL.sub(r"\1=None", text) for text in texts)
    yield _python_signature(name, torch.overrides.get_testing_overrides()[function], returned)


def _returned(function: Callable[..., object], cases: Sequence[Case]) -> str:
    """`Tensor`, `(Tensor, Tensor)`, or both where it depends on the arguments."""
    import torch

    from evaluator.candidate.outputs import as_outputs

    structures: dict[str, None] = {}
    with torch.no_grad():
        for case in cases:
            args, kwargs = materialise(case, SEED)
            structures[as_outputs(function(*args, **kwargs))[1].replace("T", "Tensor")] = None
    return " | ".join(structures)


def _schemas(function: Callable[..., object]) -> Sequence[torch._C.FunctionSchema]:
    from torch.fx.operator_schemas import get_signature_for_torch_op

    try:
        found = get_signature_for_torch_op(function, return_schemas=True)
    except Exception:  # made for tracing, and not for every function
        return ()
    return typing.cast("Sequence[torch._C.FunctionSchema]", found[1] or ())


def _python_signature(name: str, function: Callable[..., object], returned: str) -> str:
    parts: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.VAR_KEYWORD:
            return ""
        if parameter.name == "out":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            star = True
            parts.append("*")
        annotation = parameter.annotation if isinstance(parameter.annotation, str) else getattr(parameter.annotation, "__name__", "")
        kind = _TYPES.get(annotation.rpartition(".")[2], "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{kind} {parameter.name}{default}".strip())
    return f"{name}({', '.join(parts)}) -> {returned}"


def _starter(signature: str, target: str) -> Callable[..., object]:
    """The starter's function. Its text is made here, of a checked name and a checked signature."""
    import torch

    space: dict[str, typing.Any] = {"torch": torch}
    exec(function_text("starter", signature, target), space)
    return typing.cast("Callable[..., object]", space["starter"])
