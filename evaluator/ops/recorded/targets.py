"""Which torch functions a document may name as its op's reference, and how they are found.

Nothing is evaluated: a name is split at its dots and looked up. What may be named is an allow rule, not a list of dangers:

- `aten.<name>.<overload>`: an operator of torch's dispatcher whose schema takes at least one tensor that is not there for the result only,
  besides it only numbers, texts, lists of these and optional devices, and gives tensors (or writes to its arguments). So nothing that
  takes a storage, a stream or an object, gives a handle, or only reads a file.
- `torch.<name>`, also below `nn.functional`, `linalg`, `special`, `fft` and `Tensor`: a function that torch lists as one that works on
  tensors (`torch.overrides.get_testing_overrides()`); loading, saving, hubs, devices and generators are not there. Names with a leading
  underscore are refused, and those of `REFUSED`, which reach memory, files, devices or hooks by way of a tensor.
"""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable

if typing.TYPE_CHECKING:
    import torch

ROOTS = ("torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.Tensor", "torch")
REFUSED = frozenset(
    {
        "apply_",
        "as_subclass",
        "backward",
        "byte_storage",
        "cpu",
        "cuda",
        "data_ptr",
        "detach_",
        "dim_order",
        "from_file",
        "hpu",
        "ipu",
        "item",
        "map2_",
        "map_",
        "module_load",
        "mtia",
        "names",
        "numpy",
        "pin_memory",
        "record_stream",
        "refine_names",
        "register_hook",
        "register_post_accumulate_grad_hook",
        "rename",
        "rename_",
        "requires_grad_",
        "resize",
        "resize_",
        "resize_as",
        "resize_as_",
        "retain_grad",
        "set_",
        "share_memory_",
        "storage",
        "storage_type",
        "to",
        "tolist",
        "type",
        "typed_storage",
        "untyped_storage",
        "xpu",
    }
)
_SCHEMA_TYPES = frozenset({"Tensor", "int", "bool", "float", "number", "str"})
_OPTIONAL_TYPES = frozenset({"Device", "Generator"})
_ATEN = re.compile(r"aten\.([A-Za-z_]\w*)\.([A-Za-z_]\w*)", re.ASCII)
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_LONGEST = 200


class TargetError(LookupError):
    """The target may not be named, or this torch does not have it."""


def check_name(target: str) -> str:
    """What is wrong with the name itself, "" when nothing is. Needs no torch."""
    if len(target) > _LONGEST:
        return f"a target has at most {_LONGEST} characters"
    if _ATEN.fullmatch(target):
        return ""
    root, name = _root_and_name(target)
    if not root or not _NAME.fullmatch(name):
        return f"{target!r} is neither aten.<name>.<overload> nor a name in {', '.join(ROOTS)}"
    if name in REFUSED:
        return f"{target} reaches past tensors' values and cannot be a reference"
    return ""


def callable_text(target: str) -> str:
    """The target as Python source."""
    return f"torch.ops.{target}" if target.startswith("aten.") else target


@functools.cache
def resolve(target: str) -> Callable[..., object]:
    """The function. Raises `TargetError`."""
    wrong = check_name(target)
    if wrong:
        raise TargetError(wrong)
    if target.startswith("aten."):
        overload = aten_overload(target)
        if (why := refusal(overload)) != "":
            raise TargetError(f"{target} {why}")
        return typing.cast("Callable[..., object]", overload)
    return _torch_function(target)


def aten_overload(target: str) -> torch._ops.OpOverload:
    """The operator of an `aten.<name>.<overload>`, whether it may be a reference or not. Raises `TargetError`."""
    import torch

    found = _ATEN.fullmatch(target)
    if found is None:
        raise TargetError(f"{target!r} is not of the form aten.<name>.<overload>")
    name, overload = found.groups()
    packet = getattr(torch.ops.aten, name, None)
    if not isinstance(packet, torch._ops.OpOverloadPacket):
        raise TargetError(f"torch {torch.__version__} has no operator aten.{name}")
    overloads: list[str] = packet.overloads()  # type: ignore[no-untyped-call]
    if overload not in overloads:
        raise TargetError(f"aten.{name} has no overload {overload}; it has {', '.join(sorted(overloads))}")
    return typing.cast("torch._ops.OpOverload", getattr(packet, overload))


def refusal(overload: torch._ops.OpOverload) -> str:
    """Why an operator may not be a reference; "" when it may."""
    import torch

    schema = overload._schema
    if not torch._C._dispatch_has_kernel(schema.name + (f".{schema.overload_name}" if schema.overload_name else "")):
        return "is no operator of torch's dispatcher"
    for argument in schema.arguments:
        base, optional = _base_type(str(argument.type))
        if base not in _SCHEMA_TYPES and not (optional and base in _OPTIONAL_TYPES):
            return f"takes a {argument.type} ({argument.name})"
    if not any(_base_type(str(argument.type))[0] == "Tensor" for argument in schema.arguments if not argument.is_out):
        return "takes no tensor to compute with"
    if any(_base_type(str(returned.type))[0] != "Tensor" for returned in schema.returns):
        return "does not give tensors"
    if not schema.returns and not schema.is_mutable:
        return "gives nothing"
    if torch.Tag.inplace_view in overload.tags:
        return "changes the form of its argument"
    if "pin_memory" in schema.name:
        return "moves memory"
    return ""


def _base_type(text: str) -> tuple[str, bool]:
    """`Optional[List[int]]` is (`int`, True)."""
    optional = text.startswith("Optional[")
    return re.sub(r"(?:Optional|List)\[|\]", "", text), optional


def _root_and_name(target: str) -> tuple[str, str]:
    for root in ROOTS:
        if target.startswith(f"{root}."):
            return root, target.removeprefix(f"{root}.")
    return "", ""


def _torch_function(target: str) -> Callable[..., object]:
    import torch

    root, name = _root_and_name(target)
    place: object = torch
    for part in root.split(".")[1:]:
        place = getattr(place, part)
    function = getattr(place, name, None)
    try:
        listed = function in torch.overrides.get_testing_overrides()
    except TypeError:  # what cannot be hashed is no function
        listed = False
    if not listed or not callable(function):
        raise TargetError(f"{target} is not among the functions of tensors that torch {torch.__version__} lists")
    return typing.cast("Callable[..., object]", function)
