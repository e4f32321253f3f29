"""Element by element on three tensors, and on complex ones."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, performance, tensor
from evaluator.ops.cases import broadcasting
from evaluator.ops.cases.broadcasting import least_cost
from evaluator.ops.cases.elementwise import FLOATS, half
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

NORMAL = tensor()
MASK = tensor(dtype="bool")
SHARE = tensor(generator="uniform", low=0, high=1)
COMPLEX = tensor(dtype="complex64")


def addcmul_reference(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, value: float = 1) -> torch.Tensor:
    import torch

    return torch.addcmul(x, a, b, value=value)


def lerp_reference(x: torch.Tensor, end: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.lerp(x, end, weight)


def where_reference(condition: torch.Tensor, x: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.where(condition, x, other)


def complex_mul_reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.mul(x, y)


def addcmul_cases(device: str) -> list[Case]:
    special = tensor(61, 67, generator="special")
    half_precision = tensor(33, 65, dtype="float16")
    return [
        *broadcasting.correctness_cases(device, (NORMAL, NORMAL, NORMAL)),
        correctness("value", tensor(41, 67), tensor(41, 67), tensor(67), value=0.375),
        correctness("negative_value", tensor(29, 53), tensor(29, 1), tensor(29, 53), value=-2.5),
        correctness("value_float16", half_precision, half_precision, half_precision, value=0.1),
        correctness("special", special, special, tensor(61, 67)),
        *addcmul_performance_cases(device),
    ]


def addcmul_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        shift, factor = tensor(64, 14336), tensor(64, 14336)
        return [
            performance("dit_s2", "DiT-S/2 modulation, two images", tensor(2, 1, 384), tensor(2, 256, 384), tensor(2, 1, 384)),
            performance("adam_lora", "Adam second moment, rank 64 LoRA of Llama 3 8B", shift, factor, factor, value=0.001),
        ]
    shift, weight, dtype = tensor(16, 1, 3072, dtype=half(device)), tensor(4096, 14336), half(device)
    return [
        performance("dit_xl2", "DiT-XL/2 modulation, batch 64", tensor(64, 1, 1152), tensor(64, 256, 1152), tensor(64, 1, 1152)),
        performance("flux_half", "FLUX.1 modulation at 1024 x 1024, batch 16", shift, tensor(16, 4096, 3072, dtype=dtype), shift),
        performance("adam_mlp", "Adam second moment, Llama 3 8B MLP", weight, weight, weight, value=0.001),
    ]


def lerp_cases(device: str) -> list[Case]:
    return [
        *broadcasting.correctness_cases(device, (NORMAL, NORMAL, SHARE)),
        correctness("one_weight", tensor(41, 67), tensor(41, 67), tensor(generator="uniform", low=0.01, high=0.1)),
        correctness("ends", tensor(33, 35), tensor(33, 35), tensor(33, 35, generator="integers", low=0, high=2)),
        correctness("outside", tensor(53, 29), tensor(53, 29), tensor(53, 29, high=2.0)),
        correctness("close_ends", tensor(61, 59, low=3.0, high=1e-3), tensor(61, 59, low=3.0, high=1e-3), tensor(61, 59, high=0.5)),
        *lerp_performance_cases(device),
    ]


def lerp_performance_cases(device: str) -> list[Case]:
    rate = tensor(generator="uniform", low=0.05, high=0.1)
    if device == "cpu":
        tokens, mix = tensor(1, 256, 768), broadcasting.holding(SHARE, tensor(768))
        return [
            performance("rwkv_169m_shift", "RWKV-4 169M token shift, 256 tokens", tokens, tokens, mix),
            performance("average_vit_s", "Moving average of ViT-S/16 projections", tensor(12, 192, 384), tensor(12, 192, 384), rate),
        ]
    tokens, mix = tensor(8, 2048, 4096, dtype=half(device)), broadcasting.holding(SHARE, tensor(4096), half(device))
    weight = tensor(1280, 1280, 3, 3)
    return [
        performance("rwkv_7b_shift_half", "RWKV-6 7B token shift, batch 8 of 2048 tokens", tokens, tokens, mix),
        performance("average_unet", "Moving average of a Stable Diffusion 1.5 convolution", weight, weight, rate),
    ]


def where_cases(device: str) -> list[Case]:
    mask = tensor(51, 67, dtype="bool")
    return [
        *broadcasting.correctness_cases(device, (MASK, NORMAL, NORMAL)),
        correctness("all_broadcast", tensor(7, 1, 1, dtype="bool"), tensor(1, 11, 1), tensor(13)),
        correctness("special", mask, tensor(51, 67, generator="special_nan"), tensor(51, 67, generator="special_nan")),
        correctness("integers", mask, tensor(51, 67, dtype="int64", low=-(2**20), high=2**20), tensor(67, dtype="int64", low=0, high=9)),
        *where_performance_cases(device),
    ]


def where_performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        keep, hidden = tensor(128, 1, dtype="bool"), tensor(128, 4096)
        return [
            performance(
                "gpt2_mask", "GPT-2 scores under a mask, 256 tokens", tensor(256, 256, dtype="bool"), tensor(12, 256, 256), tensor()
            ),
            performance("mae_mask_token", "Masked tokens of Llama 3 8B hidden states, 128 tokens", keep, hidden, tensor(4096)),
        ]
    keep, hidden = tensor(16384, 1, dtype="bool"), tensor(16384, 4096, dtype=half(device))
    scores = tensor(8, 12, 1024, 1024)
    return [
        performance("gpt2_mask", "GPT-2 scores under a mask, batch 8", tensor(1024, 1024, dtype="bool"), scores, tensor()),
        performance(
            "mask_token_half", "Masked tokens of Llama 3 8B hidden states, 16384 tokens", keep, hidden, tensor(4096, dtype=half(device))
        ),
    ]


def complex_mul_cases(device: str) -> list[Case]:
    real, imaginary = tensor(37, 41, dtype="complex64", generator="sparse"), tensor(37, 41, dtype="complex64")
    return [
        *broadcasting.correctness_cases(device, (COMPLEX, COMPLEX), dtypes=()),
        correctness("prime", tensor(4099, dtype="complex64"), tensor(4099, dtype="complex64")),
        correctness("sparse", real, imaginary),
        correctness("rotary", tensor(2, 13, 3, 32, dtype="complex64"), tensor(13, 1, 32, dtype="complex64")),
        *complex_mul_performance_cases(device),
    ]


def complex_mul_performance_cases(device: str) -> list[Case]:
    def complex64(*shape: int) -> TensorSpec:
        return tensor(*shape, dtype="complex64")

    if device == "cpu":
        return [
            performance("llama3_8b_rotary", "Llama 3 8B queries, 128 tokens", complex64(1, 128, 32, 64), complex64(128, 1, 64)),
            performance("h3_125m_spectra", "H3 125M convolution spectra, 512 tokens", complex64(1, 256, 513), complex64(256, 513)),
        ]
    return [
        performance("llama3_8b_rotary", "Llama 3 8B queries, 8192 tokens", complex64(1, 8192, 32, 64), complex64(8192, 1, 64)),
        performance("h3_125m_spectra", "H3 125M convolution spectra, batch 8, 2048 tokens", complex64(8, 768, 2049), complex64(768, 2049)),
    ]


ADDCMUL = Op(
    slug="addcmul",
    title="Add a product",
    summary="Adds the product of two tensors, times a number, to a third.",
    description=(
        "Each element of the result is self + value * tensor1 * tensor2; the three tensors are broadcast against each other. The "
        "modulation of diffusion transformers is this with shift and scale, and so is the second moment of Adam. Written as two "
        "operations it moves a whole tensor twice more. Memory bounds it: one pass, and repeated operands from cache."
    ),
    signature="addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    reference=addcmul_reference,
    cases=addcmul_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (NORMAL, NORMAL, NORMAL), value=pick(-12, 12) / 8 + 0.03),
    cost=least_cost(flops=3),
    aten="aten.addcmul.default",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("addcmul"),
)

LERP = Op(
    slug="lerp",
    title="Linear interpolation",
    summary="Goes from one tensor towards another by a weight.",
    description=(
        "Each element of the result is self + weight * (end - self); the three tensors are broadcast against each other. A weight outside "
        "0 to 1 goes past the ends. RWKV mixes each token with the one before it by a weight a channel, moving averages of weights use "
        "one small weight for all. Memory bounds it: one pass, and repeated operands from cache."
    ),
    signature="lerp(Tensor self, Tensor end, Tensor weight) -> Tensor",
    reference=lerp_reference,
    cases=lerp_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (NORMAL, NORMAL, SHARE)),
    cost=least_cost(flops=3),
    aten="aten.lerp.Tensor",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "broadcast"),
    strides_policy="any",
    starters=starter.load("lerp"),
)

WHERE = Op(
    slug="where",
    title="Where",
    summary="Takes each element from one tensor or another, as a condition says.",
    description=(
        "Each element of the result is that of self where condition is true, else that of other; the three tensors are broadcast against "
        "each other. Nothing is computed, so the result must equal torch's bit for bit, NaN and infinities included: a sum of products "
        "with the condition is wrong. Attention masks, padding and mask tokens use it. Memory bounds it; conditions are single bytes."
    ),
    signature="where(Tensor condition, Tensor self, Tensor other) -> Tensor",
    reference=where_reference,
    cases=where_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (MASK, NORMAL, NORMAL)),
    cost=least_cost(flops=0),
    aten="aten.where.self",
    suites=("core",),
    dtypes=(*FLOATS, "int64"),
    tags=("elementwise", "broadcast", "selection"),
    compare="exact",
    strides_policy="any",
    starters=starter.load("where"),
)

COMPLEX_MUL = Op(
    slug="complex_mul",
    title="Complex product",
    summary="Multiplies two tensors of complex numbers, broadcast against each other.",
    description=(
        "Each element of the result is (ac - bd) + (ad + bc)i for elements a + bi of self and c + di of other. Llama's own code turns "
        "queries and keys by such products (rotary embeddings), long convolutions multiply spectra. Triton knows no complex numbers: take "
        "torch.view_as_real, whose last dimension holds real and imaginary parts side by side, and load both with one wide instruction. "
        "Memory bounds it."
    ),
    signature="complex_mul(Tensor self, Tensor other) -> Tensor",
    reference=complex_mul_reference,
    cases=complex_mul_cases,
    hidden_cases=lambda pick, _device: broadcasting.hidden_cases(pick, (COMPLEX, COMPLEX)),
    cost=least_cost(flops=6),
    aten="aten.mul.Tensor",
    suites=("core",),
    dtypes=("complex64",),
    tags=("elementwise", "broadcast", "complex"),
    strides_policy="any",
    starters=starter.load("complex_mul"),
)

OPS: tuple[Op, ...] = (ADDCMUL, LERP, WHERE, COMPLEX_MUL)
