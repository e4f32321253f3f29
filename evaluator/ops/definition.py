"""What an op is: signature, cases, reference, precision class and cost. torch is imported inside functions only."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

if typing.TYPE_CHECKING:
    import torch

Scalar = bool | int | float | str | None
Generator = typing.Literal["normal", "uniform", "integers", "large", "tiny_variance", "special", "constant_rows", "sparse"]


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
        return f"{self.dtype}{list(self.shape)}{strides}"


Argument = TensorSpec | Scalar | tuple[int, ...]


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
        return tuple(a for a in (*self.args, *self.kwargs.values()) if isinstance(a, TensorSpec))

    def describe(self) -> str:
        parts = [str(a) for a in self.args] + [f"{k}={v}" for k, v in self.kwargs.items()]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Cost:
    """Least work of one call: bytes that must cross device memory (inputs read once, outputs written once) and FLOPs."""

    input_bytes: int
    output_bytes: int
    flops: int

    @property
    def bytes(self) -> int:
        return self.input_bytes + self.output_bytes


@dataclass(frozen=True, slots=True)
class Op:
    """A function to beat.

    `reference(*args, **kwargs)` is torch eager, used both as fp64 oracle (inputs upcast by the judge) and as the
    `torch_eager` baseline in the op's own dtype. It returns one tensor or a tuple of tensors.
    `cases(device)` gives correctness and public performance cases for a device class; `hidden_cases(pick, device)` draws hidden
    correctness cases from a secret source of integers: `pick(low, high)` gives an integer in [low, high].
    """

    slug: str
    title: str
    summary: str
    signature: str
    reference: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]]
    cases: Callable[[str], Sequence[Case]]
    hidden_cases: Callable[[Callable[[int, int], int], str], Sequence[Case]]
    cost: Callable[[Case], Cost]
    precision: typing.Literal["ieee_fp32", "tf32", "fp16", "bf16", "fp8"] = "ieee_fp32"
    aten: str = ""
    suites: tuple[str, ...] = ("smoke",)
    dtypes: tuple[str, ...] = ("float32",)
    tags: tuple[str, ...] = ()
    strides_policy: typing.Literal["any", "contiguous", "as_reference"] = "contiguous"
    in_place: bool = False
    starters: Mapping[str, str] = field(default_factory=dict)

    @property
    def entry_point(self) -> str:
        """Name of the function that a submission must define."""
        return "".join(c if c.isidentifier() or c.isdigit() else "_" for c in self.slug) + "_kernel_impl"

    def performance_cases(self, device: str) -> tuple[Case, ...]:
        return tuple(c for c in self.cases(device) if c.kind == "performance")

    def correctness_cases(self, device: str) -> tuple[Case, ...]:
        return tuple(c for c in self.cases(device) if c.kind == "correctness")
