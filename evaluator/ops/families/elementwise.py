"""Element by element: arithmetic of two tensors broadcast against each other, and two functions of one."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, performance, tensor
from evaluator.ops.cases import broadcasting
from evaluator.ops.cases.broadcasting import least_cost
from evaluator.ops.cases.elementwise import FLOATS, Pick, Size, half, special, unary
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

NORMAL = tensor()
DIVISOR = tensor(generator="uniform", low=0.5, high=2.5)


def add_reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.add(x, y)


def mul_reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.mul(x, y)


def div_reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.div(x, y)


def exp_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.exp(x)


def clamp_reference(x: torch.Tensor, min: float | None = None, max: float | None = None) -> torch.Tensor:  # noqa: A002
    import torch

    return torch.clamp(x, min, max)


def add_cases(device: str) -> list[Case]:
    return [
        *broadcasting.correctness_cases(device, (NORMAL, NORMAL)),
        correctness("special", tensor(61, 67, generator="special"), tensor(61, 67, generator="special")),
        *add_performance_cases(device),
    ]


def add_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x4096", "OPT-6.7B residual, 256 tokens", tensor(256, 4096), tensor(256, 4096)),
            performance("197x3072_bias", "ViT-B/16 MLP bias, one image", tensor(197, 3072), tensor(3072)),
        ]
    residual = tensor(8192, 4096, dtype="float16")
    return [
        performance("gpt2_residual", "GPT-2 residual, batch 16", tensor(16, 1024, 768), tensor(16, 1024, 768)),
        performance("gpt2_bias", "GPT-2 MLP bias, batch 8", tensor(8, 1024, 3072), tensor(3072)),
        performance("llama3_8b_residual_fp16", "Llama 3 8B residual, 8192 tokens", residual, residual),
    ]


def mul_cases(device: str) -> list[Case]:
    return [
        *broadcasting.correctness_cases(device, (NORMAL, NORMAL)),
        correctness("special", tensor(61, 67, generator="special_nan"), tensor(61, 67, generator="special")),
        *mul_performance_cases(device),
    ]


def mul_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("llama3_8b_norm_weight", "Llama 3 8B norm weight, 256 tokens", tensor(256, 4096), tensor(4096)),
            performance("squeeze", "EfficientNet-B0 squeeze-and-excitation, two images", tensor(2, 96, 56, 56), tensor(2, 96, 1, 1)),
        ]
    gate = tensor(4096, 14336, dtype=half(device))
    return [
        performance("llama3_8b_norm_weight", "Llama 3 8B norm weight, 8192 tokens", tensor(8192, 4096), tensor(4096)),
        performance("squeeze", "EfficientNet-B0 squeeze-and-excitation, batch 64", tensor(64, 96, 56, 56), tensor(64, 96, 1, 1)),
        performance("llama3_8b_gate_half", "Llama 3 8B MLP gate times up, 4096 tokens", gate, gate),
    ]


def div_cases(device: str) -> list[Case]:
    return [
        *broadcasting.correctness_cases(device, (NORMAL, DIVISOR)),
        correctness("negative_divisors", tensor(43, 41), tensor(43, 41, generator="uniform", low=-3, high=-0.25)),
        correctness("special", tensor(61, 67, generator="special_nan"), tensor(61, 67, generator="special")),
        *div_performance_cases(device),
    ]


def div_performance_cases(device: str) -> list[Case]:
    def divisor(*shape: int, dtype: str = "float32") -> TensorSpec:
        return broadcasting.holding(DIVISOR, tensor(*shape), dtype)

    if device == "cpu":
        return [
            performance("clip_embeddings", "CLIP ViT-L/14 embeddings by their norms, batch 256", tensor(256, 768), divisor(256, 1)),
            performance("gpt2_scores", "GPT-2 weights by their row sums, 64 queries", tensor(12, 64, 1024), divisor(12, 64, 1)),
        ]
    pixels = tensor(64, 3, 512, 512, dtype="float16")
    return [
        performance("gpt2_scores", "GPT-2 weights by their row sums, batch 4", tensor(4, 12, 1024, 1024), divisor(4, 12, 1024, 1)),
        performance("pixels_fp16", "512 x 512 images by channel deviations, batch 64", pixels, divisor(3, 1, 1, dtype="float16")),
    ]


ADD = Op(
    slug="add",
    title="Add",
    summary="Adds two tensors, broadcast against each other.",
    description=(
        "Each element of the result is the sum of one element of either tensor; dimensions of size 1 and missing leading ones are "
        "repeated. Residual connections and biases are additions. A kernel does one addition for every two loads, so memory bounds it: "
        "operands that are repeated must come from cache, and no copy may be made of them."
    ),
    signature="add(Tensor self, Tensor other) -> Tensor",
    reference=add_reference,
    cases=add_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (NORMAL, NORMAL)),
    cost=least_cost(flops=1),
    aten="aten.add.Tensor",
    suites=("smoke", "core"),
    dtypes=FLOATS,
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("add"),
)

MUL = Op(
    slug="mul",
    title="Multiply",
    summary="Multiplies two tensors, broadcast against each other.",
    description=(
        "Each element of the result is the product of one element of either tensor; dimensions of size 1 and missing leading ones are "
        "repeated. Norm weights, gates and squeeze-and-excitation scales are products, mostly with one operand far smaller than the "
        "other. Memory bounds it: the small operand must come from cache."
    ),
    signature="mul(Tensor self, Tensor other) -> Tensor",
    reference=mul_reference,
    cases=mul_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (NORMAL, NORMAL)),
    cost=least_cost(flops=1),
    aten="aten.mul.Tensor",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("mul"),
)

DIV = Op(
    slug="div",
    title="Divide",
    summary="Divides one tensor by another, broadcast against each other.",
    description=(
        "Each element of the result is an element of self divided by one of other; dimensions of size 1 and missing leading ones are "
        "repeated. A division by zero gives an infinity, 0 / 0 gives NaN. Weights are divided by their sums, embeddings by their norms, "
        "pixels by their deviations. IEEE division takes many instructions; a product with the reciprocal is faster and errs by one more "
        "rounding."
    ),
    signature="div(Tensor self, Tensor other) -> Tensor",
    reference=div_reference,
    cases=div_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (NORMAL, DIVISOR)),
    cost=least_cost(flops=1),
    aten="aten.div.Tensor",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("div"),
)

EXP = unary(
    "exp",
    title="Exponential",
    summary="The exponential of each element.",
    description=(
        "Each element becomes e to the power of x: an infinity above 88.72 in float32 and 11.09 in float16, zero far below. Log- "
        "probabilities become probabilities by it, decay rates of state space models become factors. GPUs have an instruction for powers "
        "of two; the product with log2(e) before it costs digits where x is large. Memory bounds it."
    ),
    signature="exp(Tensor self) -> Tensor",
    reference=exp_reference,
    aten="aten.exp.default",
    flops=2,
    gpu=(
        Size("llama3_probabilities", "Llama 3 log-probabilities, 512 tokens", (512, 128256)),
        Size("llama2_7b_scores_fp16", "Llama 2 7B scores of 32 heads, 2048 tokens", (32, 2048, 2048), "float16"),
    ),
    cpu=(
        Size("gpt2_probabilities", "GPT-2 log-probabilities, 16 tokens", (16, 50257)),
        Size("gpt2_scores", "GPT-2 scores of 12 heads, 256 tokens", (12, 256, 256)),
    ),
    more=(
        special(),
        correctness("negative", tensor(41, 43, generator="uniform", low=-16, high=-8)),
        correctness("wide", tensor(33, 77, high=10.0)),
        correctness("overflow_float16", tensor(1001, dtype="float16", high=8.0)),
    ),
    tags=(),
)

CLAMP_DESCRIPTION = (
    "Each element below min becomes min, then each above max becomes max; where min is above max, everything becomes max. Either bound "
    "may be missing. NaN stays NaN, which the minimum and maximum instructions of GPUs do not do by themselves. Images are clamped after "
    "decoding, gpt-oss clamps the gates of its experts. Memory bounds it."
)


def _random_bounds(pick: Pick) -> dict[str, float | None]:
    middle, one_sided = pick(-8, 8) / 8, pick(0, 2)
    low, high = middle - 0.5, middle + 0.375
    return {"min": None if one_sided == 1 else low, "max": None if one_sided == 2 else high}


CLAMP = unary(
    "clamp",
    title="Clamp",
    summary="Brings each element between a least and a greatest value.",
    description=CLAMP_DESCRIPTION,
    signature="clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    reference=clamp_reference,
    aten="aten.clamp.default",
    flops=2,
    gpu=(
        Size("decoded_images", "Stable Diffusion XL images, batch 16", (16, 3, 1024, 1024)),
        Size("gpt_oss_20b_gate_half", "gpt-oss-20b expert gates, 16384 rows", (16384, 2880), "half", deviation=4.0),
    ),
    cpu=(
        Size("decoded_image", "Stable Diffusion 1.5, one image", (1, 3, 512, 512)),
        Size("gpt_oss_20b_gate", "gpt-oss-20b expert gates, 128 rows", (128, 2880), deviation=4.0),
    ),
    base={"min": -0.75, "max": 0.625},
    more=(
        correctness("special", tensor(61, 67, generator="special_nan"), -0.5, 0.25),
        correctness("min_only", tensor(57, 39), -0.25),
        correctness("max_only", tensor(57, 39), max=0.75),
        correctness("no_min", tensor(29, 43), None, 0.125),
        correctness("positive_bounds", tensor(31, 37), 0.25, 2),
        correctness("min_above_max", tensor(23, 29), 1.5, 0.5),
    ),
    timed={"min": -1.0, "max": 1.0},
    draw=_random_bounds,
)

OPS: tuple[Op, ...] = (ADD, MUL, DIV, EXP, CLAMP)
