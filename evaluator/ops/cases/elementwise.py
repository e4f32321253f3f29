"""Cases that the ops of one tensor, element by element, share, and the ops themselves."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Argument, Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

Pick = Callable[[int, int], int]
FLOATS = ("float32", "float16", "bfloat16")
NO_OPTIONS: Mapping[str, Argument] = {}


@dataclass(frozen=True, slots=True)
class Size:
    """A tensor that a model has: a performance case. `dtype` may be `half`: bfloat16 where the device takes it, else float16.

    Values have mean 0; `deviation` is their standard deviation.
    """

    name: str
    source: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    deviation: float = 1.0

    def case(self, device: str, options: Mapping[str, Argument]) -> Case:
        dtype = half(device) if self.dtype == "half" else self.dtype
        return performance(self.name, self.source, tensor(*self.shape, dtype=dtype, high=self.deviation), **options)


def half(device: str) -> str:
    """The 16-bit dtype that models run in on this device."""
    return "bfloat16" if takes_bfloat16(device) else "float16"


def correctness_cases(device: str, kwargs: Mapping[str, Argument]) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), **kwargs),
        correctness("odd", tensor(3, 67, 5), **kwargs),
        correctness("one_element", tensor(1), **kwargs),
        correctness("scalar", tensor(), **kwargs),
        correctness("empty", tensor(0, 7), **kwargs),
        correctness("prime", tensor(4099), **kwargs),
        correctness("transposed", transposed(37, 53), **kwargs),
        correctness("every_other", every_other(19, 31), **kwargs),
        correctness("large", tensor(1023, generator="large"), **kwargs),
        correctness("sparse", tensor(33, 65, generator="sparse"), **kwargs),
        correctness("float16", tensor(31, 129, dtype="float16"), **kwargs),
        *([correctness("bfloat16", tensor(31, 129, dtype="bfloat16"), **kwargs)] if takes_bfloat16(device) else []),
    ]


def hidden_cases(pick: Pick, kwargs: Mapping[str, Argument]) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    return [
        hidden("odd", tensor(rows, columns), **kwargs),
        hidden("transposed", transposed(pick(2, 80), pick(2, 80)), **kwargs),
        hidden("long", tensor(pick(5_000, 20_000)), **kwargs),
    ]


def special() -> Case:
    """Infinities and signed zeros, for ops that define what becomes of them."""
    return correctness("special", tensor(61, 67, generator="special"))


def unary(
    slug: str,
    *,
    title: str,
    summary: str,
    description: str,
    signature: str,
    reference: Callable[..., torch.Tensor],
    aten: str,
    flops: int,
    gpu: Sequence[Size],
    cpu: Sequence[Size],
    base: Mapping[str, Argument] = NO_OPTIONS,
    more: Sequence[Case] = (),
    timed: Mapping[str, Argument] = NO_OPTIONS,
    draw: Callable[[Pick], Mapping[str, Argument]] = lambda _pick: NO_OPTIONS,
    suites: tuple[str, ...] = ("core",),
    tags: tuple[str, ...] = (),
) -> Op:
    """An op of one tensor, element by element.

    `flops` are those of one element. Options: `base` for the shared cases, `timed` for the performance cases `gpu` and `cpu`,
    `draw(pick)` for the hidden cases. `more` are correctness cases of its own.
    """

    def cases(device: str) -> list[Case]:
        sizes = cpu if device == "cpu" else gpu
        return [*correctness_cases(device, base), *more, *(size.case(device, timed) for size in sizes)]

    def least_cost(case: Case) -> Cost:
        x = first_tensor(case)
        return cost(case, elements(x), x.dtype, flops=flops * elements(x))

    return Op(
        slug=slug,
        title=title,
        summary=summary,
        description=description,
        signature=signature,
        reference=reference,
        cases=cases,
        hidden_cases=lambda pick, _device: hidden_cases(pick, draw(pick)),
        cost=least_cost,
        aten=aten,
        suites=suites,
        dtypes=FLOATS,
        tags=("elementwise", *tags),
        strides_policy="any",
        starters=starter.load(slug),
    )
