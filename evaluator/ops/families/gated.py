"""Gated activations: one half of a layer's output decides how much of the other passes."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    padded,
    performance,
    tensor,
    transposed,
)
from evaluator.ops.cases import broadcasting
from evaluator.ops.cases.elementwise import FLOATS, Pick, half
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

NORMAL = tensor()


def swiglu_reference(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.silu(gate) * up


def geglu_reference(gate: torch.Tensor, up: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    import torch

    return torch.nn.functional.gelu(gate, approximate=approximate) * up


def glu_reference(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    import torch

    return torch.nn.functional.glu(x, dim)


def two_input_cases(device: str, **options: Argument) -> list[Case]:
    """Gate and up as operands of one shape; `packed`: both cut out of the output of one matrix product."""
    packed = padded(27, 45, 45)
    same_shape = [c for c in broadcasting.correctness_cases(device, (NORMAL, NORMAL), options=options) if _of_one_shape(c)]
    return [
        *same_shape,
        correctness("packed", packed, packed, **options),
        correctness("wide", tensor(43, 61, high=6.0), tensor(43, 61), **options),
        correctness("negative", tensor(41, 43, generator="uniform", low=-5, high=-2), tensor(41, 43), **options),
        correctness("prime", tensor(4099), tensor(4099), **options),
    ]


def _of_one_shape(case: Case) -> bool:
    return len({spec.shape for spec in case.tensors}) == 1


def two_input_hidden_cases(pick: Pick, **options: Argument) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120) + 1
    packed = padded(pick(2, 60), pick(2, 120), pick(1, 9))
    return [
        hidden("odd", tensor(rows, columns), tensor(rows, columns), **options),
        hidden("packed", packed, packed, **options),
        hidden("strided", transposed(columns, rows), every_other(columns, rows), **options),
    ]


def two_input_cost(flops: int) -> Callable[[Case], Cost]:
    def least_cost(case: Case) -> Cost:
        gate = first_tensor(case)
        return cost(case, elements(gate), gate.dtype, flops=flops * elements(gate))

    return least_cost


def pair(name: str, source: str, spec: TensorSpec, **options: Argument) -> Case:
    """A performance case whose operands lie alike."""
    return performance(name, source, spec, spec, **options)


def swiglu_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            pair("tinyllama", "TinyLlama 1.1B MLP, 128 tokens", tensor(128, 5632)),
            pair("qwen2_0_5b_packed", "Qwen2 0.5B MLP with one product for both, 128 tokens", padded(128, 4864, 4864)),
        ]
    return [
        pair("mistral_7b", "Mistral 7B MLP, 2048 tokens", tensor(2048, 14336)),
        pair("llama3_8b_half", "Llama 3 8B MLP, 8192 tokens", tensor(8192, 14336, dtype=half(device))),
        pair("llama3_8b_packed_half", "Llama 3 8B MLP with one product for both", padded(4096, 14336, 14336, dtype=half(device))),
    ]


def geglu_cases(device: str) -> list[Case]:
    packed = padded(35, 33, 33)
    return [
        *two_input_cases(device),
        correctness("tanh", tensor(63, 65), tensor(63, 65), approximate="tanh"),
        correctness("tanh_packed", packed, packed, approximate="tanh"),
        correctness("tanh_float16", tensor(1001, dtype="float16"), tensor(1001, dtype="float16"), approximate="tanh"),
        *geglu_performance_cases(device),
    ]


def geglu_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            pair("stable_diffusion_packed", "Stable Diffusion 1.5 transformer block at 16 x 16", padded(256, 5120, 5120)),
            pair("t5_large", "T5 1.1 large MLP, 256 tokens", tensor(256, 2816), approximate="tanh"),
        ]
    return [
        pair("stable_diffusion_packed", "Stable Diffusion 1.5 block at 64 x 64, batch 8", padded(32768, 1280, 1280)),
        pair("gemma2_9b_half", "Gemma 2 9B MLP, 4096 tokens", tensor(4096, 14336, dtype=half(device)), approximate="tanh"),
    ]


def glu_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128)),
        correctness("odd_half", tensor(33, 66), -1),
        correctness("two", tensor(2)),
        correctness("one_row", tensor(1, 514)),
        correctness("one_pair_a_row", tensor(67, 2), 1),
        correctness("empty", tensor(0, 14)),
        correctness("first_dim", tensor(62, 45), 0),
        correctness("middle_dim", tensor(5, 34, 27), 1),
        correctness("middle_dim_from_the_end", tensor(5, 26, 7, 9), dim=-3),
        correctness("long", tensor(3, 6002), -1),
        correctness("transposed", transposed(37, 54), 1),
        correctness("every_other", every_other(18, 31), 0),
        correctness("padded_rows", padded(29, 46, 5), -1),
        correctness("large", tensor(31, 66, generator="large")),
        correctness("wide", tensor(31, 66, high=6.0)),
        correctness("float16", tensor(31, 130, dtype="float16")),
        *([correctness("bfloat16", tensor(31, 130, dtype="bfloat16"))] if half(device) == "bfloat16" else []),
        *glu_performance_cases(device),
    ]


def glu_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("conformer_l_channels", "Conformer-L convolution module, one utterance of 10 s", tensor(1, 1024, 500), 1),
            performance("conformer_l", "Conformer-L convolution module, channels last, 256 frames", tensor(256, 1024), -1),
        ]
    return [
        performance("conformer_l_channels", "Conformer-L convolution module, batch 64", tensor(64, 1024, 750), 1),
        performance("conformer_xl_half", "Conformer XL convolution module, channels last", tensor(64, 750, 2048, dtype=half(device)), -1),
    ]


def glu_hidden_cases(pick: Pick, device: str) -> list[Case]:
    rows, columns = 2 * pick(1, 60) + 1, 2 * pick(1, 120)
    return [
        hidden("last_dim", tensor(rows, columns), -1),
        hidden("middle_dim", tensor(pick(2, 7), 2 * pick(1, 30), pick(2, 40)), 1),
        hidden("strided", transposed(2 * pick(1, 40), pick(2, 80)), 0),
    ]


def glu_cost(case: Case) -> Cost:
    x = first_tensor(case)
    out = elements(x) // 2
    return cost(case, out, x.dtype, flops=5 * out)


SWIGLU = Op(
    slug="swiglu",
    title="SwiGLU",
    summary="Multiplies one tensor by the SiLU of another.",
    description=(
        "Each element of the result is gate / (1 + exp(-gate)) * up. It stands between the matrix products of the MLPs of Llama, Mistral "
        "and Qwen. As two operations it writes and reads a tensor of the widest layer once more than needed; one kernel reads gate and up "
        "once. Where one product makes both, they are the halves of each row, and copying them first costs more than the op."
    ),
    signature="swiglu(Tensor gate, Tensor up) -> Tensor",
    reference=swiglu_reference,
    cases=lambda device: [*two_input_cases(device), *swiglu_performance_cases(device)],
    hidden_cases=lambda pick, _device: two_input_hidden_cases(pick),
    cost=two_input_cost(flops=6),
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "gated", "activation", "fused"),
    strides_policy="any",
    starters=starter.load("swiglu"),
)

GEGLU = Op(
    slug="geglu",
    title="GEGLU",
    summary="Multiplies one tensor by the GELU of another.",
    description=(
        "Each element of the result is gelu(gate) * up, with the exact GELU or, by approximate='tanh', its approximation. Gemma and T5 "
        "1.1 use the approximation in their MLPs, Stable Diffusion the exact form in its transformer blocks. As two operations it writes "
        "and reads a tensor of the widest layer once more than needed. Where one product makes gate and up, they are the halves of each "
        "row."
    ),
    signature="geglu(Tensor gate, Tensor up, *, str approximate='none') -> Tensor",
    reference=geglu_reference,
    cases=geglu_cases,
    hidden_cases=lambda pick, _device: two_input_hidden_cases(pick, approximate=("none", "tanh")[pick(0, 1)]),
    cost=two_input_cost(flops=11),
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "gated", "activation", "fused"),
    strides_policy="any",
    starters=starter.load("geglu"),
)

GLU = Op(
    slug="glu",
    title="Gated linear unit",
    summary="Multiplies the first half of a tensor by the sigmoid of the second half.",
    description=(
        "The tensor is cut in two halves a and b along dim, whose size must be even; the result is a / (1 + exp(-b)). The convolution "
        "modules of Conformers use it along the channels, which lie innermost or not. A kernel must find both halves without copying "
        "them. Memory bounds it: two loads and one store an element."
    ),
    signature="glu(Tensor self, int dim=-1) -> Tensor",
    reference=glu_reference,
    cases=glu_cases,
    hidden_cases=glu_hidden_cases,
    cost=glu_cost,
    aten="aten.glu.default",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "gated", "activation"),
    strides_policy="any",
    starters=starter.load("glu"),
)

OPS: tuple[Op, ...] = (SWIGLU, GEGLU, GLU)
