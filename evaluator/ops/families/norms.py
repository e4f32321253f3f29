"""Normalisations of rows. Those over channels are in `channel_norms.py`."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    input_bytes,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases import rowwise
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
LAYER_NORM_FLOPS, RMS_NORM_FLOPS = 8, 5
"""An element: sum, deviation, square and its sum, two for the normalisation, scale, shift; without mean and shift."""
EPS = 1e-5
RMS_EPS = 1e-6


def layer_norm_reference(
    x: torch.Tensor,
    normalized_shape: tuple[int, ...],
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    import torch

    return torch.nn.functional.layer_norm(x, normalized_shape, weight, bias, eps)


def layer_norm_arguments(x: TensorSpec, dims: int = 1, eps: float = EPS) -> tuple[Argument, ...]:
    return x, x.shape[-dims:], rowwise.scale(x, dims), tensor(*x.shape[-dims:], dtype=x.dtype), eps


def layer_norm_cases(device: str) -> list[Case]:
    return [
        *rowwise.normalised(device, layer_norm_arguments, EPS),
        correctness("two_normalized_dims", *layer_norm_arguments(tensor(5, 9, 11), 2)),
        correctness("no_weight_no_bias", tensor(13, 65), (65,)),
        correctness("no_bias", tensor(13, 65), (65,), tensor(65), None, EPS),
        *layer_norm_performance(device),
    ]


def layer_norm_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("64x14336", "BLOOM, 64 tokens", *layer_norm_arguments(tensor(64, 14336))),
            performance("128x4096", "OPT-6.7B, 128 tokens", *layer_norm_arguments(tensor(128, 4096))),
        ]
    return [
        performance("gpt2", "GPT-2, batch 16", *layer_norm_arguments(tensor(16, 1024, 768))),
        performance("opt_6_7b", "OPT-6.7B, 8192 tokens", *layer_norm_arguments(tensor(8192, 4096))),
        performance("opt_6_7b_fp16", "OPT-6.7B, 8192 tokens", *layer_norm_arguments(tensor(8192, 4096, dtype="float16"))),
    ]


def layer_norm_hidden(pick: Pick, device: str) -> list[Case]:
    two_dims = hidden("two_dims", *layer_norm_arguments(tensor(pick(2, 12), pick(3, 40), pick(3, 40)), 2))
    return [*rowwise.hidden_normalised(pick, layer_norm_arguments, EPS), two_dims]


def layer_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=LAYER_NORM_FLOPS * elements(x))


def rms_norm_reference(
    x: torch.Tensor, normalized_shape: tuple[int, ...], weight: torch.Tensor | None = None, eps: float = 1e-6
) -> torch.Tensor:
    import torch

    return torch.nn.functional.rms_norm(x, normalized_shape, weight, eps)


def rms_norm_arguments(x: TensorSpec, dims: int = 1, eps: float = RMS_EPS) -> tuple[Argument, ...]:
    return x, x.shape[-dims:], rowwise.scale(x, dims), eps


def rms_norm_cases(device: str) -> list[Case]:
    return [
        *rowwise.normalised(device, rms_norm_arguments, RMS_EPS),
        correctness("two_normalized_dims", *rms_norm_arguments(tensor(5, 9, 11), 2)),
        correctness("no_weight", tensor(13, 65), (65,)),
        correctness("default_eps", tensor(33, 9, high=2e-3), (9,), tensor(9)),
        *llama_rows(device, rms_norm_arguments),
    ]


def llama_rows(device: str, arguments: rowwise.Normalised) -> list[Case]:
    """Timed at the hidden sizes of Llama 3 and Qwen 2.5, whose norms these are."""

    def case(name: str, source: str, x: TensorSpec) -> Case:
        return performance(name, source, *arguments(x, 1, RMS_EPS))

    if device == "cpu":
        return [
            case("128x4096", "Llama 3 8B, 128 tokens", tensor(128, 4096)),
            case("64x8192", "Llama 3 70B, 64 tokens", tensor(64, 8192)),
        ]
    bfloat16 = case("llama3_70b_bf16", "Llama 3 70B, 4096 tokens", tensor(4096, 8192, dtype="bfloat16"))
    return [
        case("llama3_8b", "Llama 3 8B, 8192 tokens", tensor(8192, 4096)),
        case("qwen2_5_7b_fp16", "Qwen 2.5 7B, 8192 tokens", tensor(8192, 3584, dtype="float16")),
        *([bfloat16] if takes_bfloat16(device) else []),
    ]


def rms_norm_hidden(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_normalised(pick, rms_norm_arguments, RMS_EPS)


def rms_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=RMS_NORM_FLOPS * elements(x))


def add_rms_norm_reference(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    total = x + residual
    return torch.nn.functional.rms_norm(total, weight.shape, weight, eps), total


def add_rms_norm_arguments(x: TensorSpec, dims: int = 1, eps: float = RMS_EPS) -> tuple[Argument, ...]:
    residual = tensor(*x.shape, dtype=x.dtype, generator=x.generator, high=2 * x.high)
    return x, residual, rowwise.scale(x, dims), eps


def add_rms_norm_cases(device: str) -> list[Case]:
    return [
        *rowwise.normalised(device, add_rms_norm_arguments, RMS_EPS),
        correctness("strided_residual", tensor(19, 37), transposed(19, 37), tensor(37), RMS_EPS),
        correctness("default_eps", tensor(33, 9, high=1e-3), tensor(33, 9, high=1e-3), tensor(9)),
        correctness("cancelling", tensor(17, 65, low=5.0), tensor(17, 65, low=-5.0), tensor(65), RMS_EPS),
        *llama_rows(device, add_rms_norm_arguments),
    ]


def add_rms_norm_hidden(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_normalised(pick, add_rms_norm_arguments, RMS_EPS)


def add_rms_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return Cost(input_bytes(case), 2 * elements(x) * ITEM_BYTES[x.dtype], (RMS_NORM_FLOPS + 1) * elements(x))


OPS: tuple[Op, ...] = (
    Op(
        slug="layer_norm",
        title="Layer norm",
        summary="Brings rows to mean 0 and variance 1, then scales and shifts them.",
        description=(
            "(x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance over the last dimensions, those of "
            "`normalized_shape`. Transformers before Llama have two in each layer. A row has to be seen as a whole before its first "
            "output, so it should stay on chip; then memory sets the pace. The variance comes from deviations: the mean of squares minus "
            "the square of the mean loses its digits."
        ),
        signature="layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        reference=layer_norm_reference,
        cases=layer_norm_cases,
        hidden_cases=layer_norm_hidden,
        cost=layer_norm_cost,
        aten="aten.layer_norm.default",
        suites=("smoke", "core"),
        dtypes=DTYPES,
        tags=("normalisation", "row-wise"),
        starters=starter.load("layer_norm"),
    ),
    Op(
        slug="rms_norm",
        title="RMS norm",
        summary="Divides rows by their root mean square, then scales them.",
        description=(
            "x / sqrt(mean(x²) + eps) * weight, with the mean over the last dimensions, those of `normalized_shape`. Llama, Qwen, "
            "Mistral and DeepSeek use it in place of layer_norm, twice in each layer: no mean to subtract, no bias to add. Memory sets "
            "the pace; a row is read once when it stays on chip. Half precision is squared and added in float32. Where torch's own "
            "rms_norm derives eps from the dtype, this op has 1e-6, as these models do."
        ),
        signature="rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float eps=1e-06) -> Tensor",
        reference=rms_norm_reference,
        cases=rms_norm_cases,
        hidden_cases=rms_norm_hidden,
        cost=rms_norm_cost,
        aten="aten.rms_norm.default",
        suites=("smoke", "core"),
        dtypes=DTYPES,
        tags=("normalisation", "row-wise"),
        starters=starter.load("rms_norm"),
    ),
    Op(
        slug="add_rms_norm",
        title="Add and RMS norm",
        summary="Adds a residual, and gives the sum and its RMS norm.",
        description=(
            "total = x + residual; returns total / sqrt(mean(total²) + eps) * weight, with the mean over the last dimension, and total "
            "itself, which is the next residual. This stands between any two blocks of Llama and its relatives. Eager torch writes the "
            "sum and reads it again; a fused kernel reads two tensors and writes two, once each. The norm may use the sum before or "
            "after it is rounded to half precision."
        ),
        signature="add_rms_norm(Tensor input, Tensor residual, Tensor weight, float eps=1e-06) -> (Tensor, Tensor)",
        reference=add_rms_norm_reference,
        cases=add_rms_norm_cases,
        hidden_cases=add_rms_norm_hidden,
        cost=add_rms_norm_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("normalisation", "row-wise", "fused", "two-outputs"),
        starters=starter.load("add_rms_norm"),
    ),
)
