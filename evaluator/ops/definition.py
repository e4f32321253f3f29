"""What an op is: signature, cases, reference, precision class and cost. torch is imported inside functions only."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

if typing.TYPE_CHECKING:
    import torch

Scalar = bool | int | float | str | None
Generator = typing.Literal[
    "normal",
    "uniform",
    "integers",
    "large",
    "tiny_variance",
    "special",
    "special_nan",
    "constant_rows",
    "sparse",
    "permutation",
    "ascending",
]


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A recipe of one input tensor.

    `strides` are in elements; None means contiguous. `generator`: `normal` (mean `low`… see `evaluator/generate.py`),
    `uniform` in [low, high), `integers` in [low, high), and the stress generators.
    """

    shape: tuple[int, ...]
    dtype: str = "float32"
    generator: Generator = "normal"
    low: float = 0.0
    high: float = 1.0
    strides: tuple[int, ...] | None = None

    def __str__(self) -> str:
        strides = f" stride{list(self.strides)}" if self.strides is not None else ""
        generator = f" {self.generator}" if self.generator != "normal" and self.dtype != "bool" else ""
        return f"{self.dtype}{list(self.shape)}{strides}{generator}"


@dataclass(frozen=True, slots=True)
class DType:
    """A dtype as an argument, such as `DType("float16")` for `dtype=torch.float16`."""

    name: str

    def __str__(self) -> str:
        return self.name


Argument: typing.TypeAlias = "TensorSpec | DType | Scalar | tuple[Argument, ...]"
"""What a call takes: tensors, dtypes, scalars, and tuples of these (sizes, dims, lists of tensors)."""


def tensors_of(argument: Argument) -> tuple[TensorSpec, ...]:
    """The tensors in an argument, in order."""
    if isinstance(argument, TensorSpec):
        return (argument,)
    return tuple(spec for item in argument for spec in tensors_of(item)) if isinstance(argument, tuple) else ()


def fill_in(argument: Argument, tensor: Callable[[TensorSpec], object]) -> object:
    """The argument as a function of torch takes it: `tensor(spec)` for each recipe, in order, torch's dtype for a `DType`."""
    if isinstance(argument, TensorSpec):
        return tensor(argument)
    if isinstance(argument, DType):
        import torch

        return getattr(torch, argument.name)
    return tuple(fill_in(item, tensor) for item in argument) if isinstance(argument, tuple) else argument


def _described(argument: Argument) -> str:
    if isinstance(argument, tuple):
        return f"({', '.join(_described(item) for item in argument)}{',' if len(argument) == 1 else ''})"
    return str(argument)


@dataclass(frozen=True, slots=True)
class Case:
    """One input recipe. `name` is unique within (op, kind, device class); `source` names the model a shape was taken from."""

    name: str
    kind: typing.Literal["correctness", "performance"]
    args: tuple[Argument, ...]
    kwargs: Mapping[str, Argument] = field(default_factory=dict)
    hidden: bool = False
    source: str = ""

    @property
    def tensors(self) -> tuple[TensorSpec, ...]:
        return tuple(spec for a in (*self.args, *self.kwargs.values()) for spec in tensors_of(a))

    def describe(self) -> str:
        parts = [_described(a) for a in self.args] + [f"{k}={_described(v)}" for k, v in self.kwargs.items()]
        return ", ".join(parts)

    def filled_in(self, tensor: Callable[[TensorSpec], object]) -> tuple[list[object], dict[str, object]]:
        """Arguments by position and by name, with `tensor(spec)` for each recipe in the order of `tensors`."""
        return [fill_in(a, tensor) for a in self.args], {name: fill_in(a, tensor) for name, a in self.kwargs.items()}


@dataclass(frozen=True, slots=True)
class Cost:
    """Least work of one call: bytes that must cross device memory (inputs read once, outputs written once) and FLOPs.

    `sure_input_bytes`: what every right kernel reads, where the data decide how much of the inputs that is. None: all of them.
    """

    input_bytes: int
    output_bytes: int
    flops: int
    sure_input_bytes: int | None = None

    @property
    def bytes(self) -> int:
        return self.input_bytes + self.output_bytes


@dataclass(frozen=True, slots=True)
class Call:
    """One judged call, for rules: the judge's own arguments, the float64 oracle's outputs and what the candidate gave.

    Tensors of `args` and `kwargs` are in their own dtypes and hold what the candidate was given. For ops that write to arguments,
    the written ones follow the returned outputs in `expected` and `got`. For random ops `expected` is a draw of torch's own, in the
    outputs' dtypes. `got` has the right shapes and dtypes, and any values: a rule that raises on them is our fault, not the kernel's.
    """

    args: Sequence[object]
    kwargs: Mapping[str, object]
    expected: Sequence[torch.Tensor]
    got: Sequence[torch.Tensor]


Rule = Callable[[Call], str]
"""An op's own test of one output, for answers that are not unique. Returns what is wrong, "" when nothing is."""


@dataclass(frozen=True, slots=True)
class Op:
    """A function to beat.

    `reference(*args, **kwargs)` is torch eager, used both as fp64 oracle (inputs upcast by the judge) and as the
    `torch_eager` baseline in the op's own dtype. It returns a tensor, None, or a tuple (also nested) of these.
    `mutates` numbers the tensors, in the order of `Case.tensors`, that the op writes to; the reference writes to them too, and they are
    judged after the returned outputs. A reference that returns None while it mutates says that the returned value does not matter.
    `compare`: `scaled` judges floats by the tolerance and all else exactly; `exact` wants every output equal to torch's own.
    `rules` replaces that by a test of the op's own for the outputs with these numbers. `random` ops give another answer each time: every
    output needs a rule, and nothing is said about determinism. `may_alias` ops may return views of their inputs.
    `cases(device)` gives correctness and public performance cases for a device class; `hidden_cases(pick, device)` draws hidden
    correctness cases from a secret source of integers: `pick(low, high)` gives an integer in [low, high].
    `max_memory_mb`: device memory (10^6 bytes) that a kernel may hold at its peak, 0 for any amount.
    `entry` names the entry point where the slug does not. `document` is what an op given as data was read from (`evaluator/ops/recorded`).
    """

    slug: str
    title: str
    summary: str
    signature: str
    reference: Callable[..., torch.Tensor | tuple[torch.Tensor, ...] | None]
    cases: Callable[[str], Sequence[Case]]
    hidden_cases: Callable[[Callable[[int, int], int], str], Sequence[Case]]
    cost: Callable[[Case], Cost]
    precision: typing.Literal["ieee_fp32", "tf32", "fp16", "bf16", "fp8", "int8"] = "ieee_fp32"
    aten: str = ""
    suites: tuple[str, ...] = ("smoke",)
    dtypes: tuple[str, ...] = ("float32",)
    tags: tuple[str, ...] = ()
    strides_policy: typing.Literal["any", "contiguous", "as_reference"] = "contiguous"
    description: str = ""
    mutates: tuple[int, ...] = ()
    compare: typing.Literal["scaled", "exact"] = "scaled"
    rules: Mapping[int, Rule] = field(default_factory=dict)
    random: bool = False
    may_alias: bool = False
    starters: Mapping[str, str] = field(default_factory=dict)
    max_memory_mb: int = 0
    entry: str = ""
    document: Mapping[str, object] | None = None

    @property
    def in_place(self) -> bool:
        return bool(self.mutates)

    @property
    def entry_point(self) -> str:
        """Name of the function that a submission must define."""
        return self.entry or "".join(c if c.isidentifier() or c.isdigit() else "_" for c in self.slug) + "_kernel_impl"

    def performance_cases(self, device: str) -> tuple[Case, ...]:
        return tuple(c for c in self.cases(device) if c.kind == "performance")

    def correctness_cases(self, device: str) -> tuple[Case, ...]:
        return tuple(c for c in self.cases(device) if c.kind == "correctness")
