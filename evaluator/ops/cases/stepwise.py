"""Cases that optimizer steps share: a parameter, its gradient and its states, written in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluator.ops.arguments import (
    correctness,
    elements,
    every_other,
    first_tensor,
    hidden,
    input_bytes,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    tensor_bytes,
    transposed,
)
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Argument, Case, Cost, TensorSpec

States = Callable[[TensorSpec], tuple[TensorSpec, ...]]
"""Gradient and states that belong to a parameter."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Scalars of a step as models are trained with, and those that show what each tensor does in a single step.

    A real learning rate changes a parameter by less than half precision can tell: a step of `plain` changes every tensor by more than
    any tolerance.
    """

    plain: dict[str, Argument]
    timed: dict[str, Argument]


def steps(device: str, states: States, settings: Settings) -> list[Case]:
    def case(name: str, parameter: TensorSpec) -> Case:
        return correctness(name, parameter, *states(parameter), **settings.plain)

    return [
        case("plain", tensor(64, 128)),
        case("odd", tensor(3, 67, 5)),
        case("one_element", tensor(1)),
        case("prime", tensor(4099)),
        case("transposed", transposed(37, 53)),
        case("every_other", every_other(19, 31)),
        case("padded_rows", padded(11, 45, 3)),
        case("large", tensor(15, 65, generator="large")),
        case("float16", tensor(31, 33, dtype="float16")),
        *([case("bfloat16", tensor(31, 33, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *timed_steps(device, states, settings),
    ]


def timed_steps(device: str, states: States, settings: Settings) -> list[Case]:
    def case(name: str, source: str, *shape: int, dtype: str = "float32") -> Case:
        parameter = tensor(*shape, dtype=dtype, high=0.02)
        return performance(name, source, parameter, *states(parameter), **settings.timed)

    if device == "cpu":
        return [
            case("768x768", "GPT-2 attention projection", 768, 768),
            case("384x1536", "ViT-S/16 MLP", 384, 1536),
        ]
    half, short = ("bfloat16", "bf16") if takes_bfloat16(device) else ("float16", "fp16")
    return [
        case("gpt2_mlp", "GPT-2 MLP", 768, 3072),
        case("llama3_8b_attention", "Llama 3 8B attention projection", 4096, 4096),
        case(f"llama3_8b_mlp_{short}", f"Llama 3 8B MLP, states in {half}", 14336, 4096, dtype=half),
    ]


def hidden_steps(pick: Pick, states: States, settings: Settings) -> list[Case]:
    odd, strided = tensor(2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1), transposed(pick(2, 80), pick(2, 80))
    long = tensor(pick(5_000, 20_000))
    return [
        hidden("odd", odd, *states(odd), **settings.plain),
        hidden("strided", strided, *states(strided), **settings.plain),
        hidden("long", long, *states(long), **settings.plain),
    ]


def least_cost(written: tuple[int, ...], flops: int) -> Callable[[Case], Cost]:
    """Every tensor is read once, and those with these numbers are written once."""

    def least(case: Case) -> Cost:
        out = sum(tensor_bytes(case.tensors[number]) for number in written)
        return Cost(input_bytes(case), out, flops * elements(first_tensor(case)))

    return least
