"""Smooth activations that look like ReLU from afar."""

from __future__ import annotations

import typing

from evaluator.ops.arguments import correctness, every_other, tensor
from evaluator.ops.cases.elementwise import Size, special, unary
from evaluator.ops.definition import Op

if typing.TYPE_CHECKING:
    import torch


def gelu_reference(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    import torch

    return torch.nn.functional.gelu(x, approximate=approximate)


def silu_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.silu(x)


def mish_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.mish(x)


def softplus_reference(x: torch.Tensor, beta: float = 1, threshold: float = 20) -> torch.Tensor:
    import torch

    return torch.nn.functional.softplus(x, beta, threshold)


GELU = unary(
    "gelu",
    title="GELU",
    summary="Multiplies each element by the normal distribution function of it.",
    description=(
        "Each element becomes x * (1 + erf(x / sqrt(2))) / 2; with approximate='tanh' it is x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * "
        "x^3))) / 2. BERT and ViT use the exact form, GPT-2 and Gemma the other. The two differ by up to 5e-4, which float32 tells apart. "
        "A slow erf or tanh costs more time than memory does; a good kernel stays bound by memory."
    ),
    signature="gelu(Tensor self, *, str approximate='none') -> Tensor",
    reference=gelu_reference,
    aten="aten.gelu.default",
    flops=10,
    gpu=(
        Size("gpt2_mlp", "GPT-2 MLP, batch 8", (8, 1024, 3072)),
        Size("resnet50_stem", "ResNet-50 stem, batch 32", (32, 64, 112, 112)),
        Size("llama3_8b_mlp_fp16", "Llama 3 8B MLP, 4096 tokens", (4096, 14336), "float16"),
    ),
    cpu=(
        Size("256x4096", "OPT-6.7B hidden states, 256 tokens", (256, 4096)),
        Size("197x3072", "ViT-B/16 MLP, one image", (197, 3072)),
    ),
    more=(
        correctness("tanh", tensor(63, 65), approximate="tanh"),
        correctness("tanh_every_other", every_other(17, 33), approximate="tanh"),
        correctness("tanh_float16", tensor(1001, dtype="float16"), approximate="tanh"),
    ),
    draw=lambda pick: {"approximate": ("none", "tanh")[pick(0, 1)]},
    suites=("smoke", "core"),
    tags=("activation",),
)

SILU = unary(
    "silu",
    title="SiLU",
    summary="Multiplies each element by its logistic function.",
    description=(
        "Each element becomes x / (1 + exp(-x)); it is also called swish. Llama, Mistral and Qwen gate their MLPs with it, diffusion "
        "models and EfficientNet use it after normalisation. exp(-x) overflows for x below -88 in float32, which must still give 0. With "
        "a fast exponential and division, memory bounds it."
    ),
    signature="silu(Tensor self) -> Tensor",
    reference=silu_reference,
    aten="aten.silu.default",
    flops=5,
    gpu=(
        Size("efficientnet_b0", "EfficientNet-B0 first expansion, batch 64", (64, 96, 112, 112)),
        Size("stable_diffusion_fp16", "Stable Diffusion 1.5 residual block at 64 x 64, batch 16", (16, 320, 64, 64), "float16"),
        Size("llama3_8b_mlp_half", "Llama 3 8B MLP gate, 4096 tokens", (4096, 14336), "half"),
    ),
    cpu=(
        Size("efficientnet_b0", "EfficientNet-B0 first expansion, one image", (1, 96, 112, 112)),
        Size("tinyllama_mlp", "TinyLlama 1.1B MLP gate, 128 tokens", (128, 5632)),
    ),
    more=(
        correctness("negative", tensor(41, 43, generator="uniform", low=-16, high=-8)),
        correctness("wide", tensor(33, 77, high=6.0)),
    ),
    suites=("smoke", "core"),
    tags=("activation",),
)

MISH = unary(
    "mish",
    title="Mish",
    summary="Multiplies each element by the hyperbolic tangent of its softplus.",
    description=(
        "Each element becomes x * tanh(log(1 + exp(x))). YOLOv4 uses it throughout. Step by step it needs an exponential, a logarithm and "
        "another exponential; with e = exp(x) it is also x * (e^2 + 2e) / (e^2 + 2e + 2), one exponential and one division, which "
        "overflows for large x unless care is taken."
    ),
    signature="mish(Tensor self) -> Tensor",
    reference=mish_reference,
    aten="aten.mish.default",
    flops=8,
    gpu=(
        Size("yolov4_stem", "YOLOv4 first layer at 608 x 608, batch 8", (8, 32, 608, 608)),
        Size("yolov4_stage_fp16", "YOLOv4 stage at 152 x 152, batch 16", (16, 128, 152, 152), "float16"),
    ),
    cpu=(
        Size("yolov4_stage", "YOLOv4 stage at 52 x 52, one image", (1, 256, 52, 52)),
        Size("yolov4_deep_stage", "YOLOv4 stage at 13 x 13, four images", (4, 1024, 13, 13)),
    ),
    more=(
        correctness("negative", tensor(41, 43, generator="uniform", low=-16, high=-8)),
        correctness("wide", tensor(33, 77, high=20.0)),
    ),
    tags=("activation",),
)

SOFTPLUS = unary(
    "softplus",
    title="Softplus",
    summary="The logarithm of 1 + exp(x), a smooth form of ReLU.",
    description=(
        "Each element becomes log(1 + exp(beta * x)) / beta; where beta * x is above threshold it stays x, so that nothing overflows. "
        "State space models such as Mamba make their time steps by it. For negative x, adding 1 before the logarithm loses digits: a "
        "kernel needs the logarithm of 1 + e for small e, which GPUs' fast logarithm does not give."
    ),
    signature="softplus(Tensor self, float beta=1, float threshold=20) -> Tensor",
    reference=softplus_reference,
    aten="aten.softplus.default",
    flops=6,
    gpu=(
        Size("mamba_2_8b_steps", "Mamba 2.8B time steps, batch 8 of 2048 tokens", (8, 2048, 5120)),
        Size("mamba_130m_steps_fp16", "Mamba 130M time steps, batch 16 of 2048 tokens", (16, 2048, 1536), "float16"),
    ),
    cpu=(
        Size("mamba_130m_steps", "Mamba 130M time steps, 256 tokens", (1, 256, 1536)),
        Size("mamba_370m_steps", "Mamba 370M time steps, 256 tokens", (1, 256, 2048)),
    ),
    more=(
        special(),
        correctness("negative", tensor(41, 43, generator="uniform", low=-12, high=-4)),
        correctness("wide", tensor(33, 77, high=10.0)),
        correctness("beta", tensor(63, 65), 2.0),
        correctness("beta_and_threshold", tensor(51, 47, high=3.0), beta=0.5, threshold=1.25),
        correctness("threshold_float16", tensor(1001, dtype="float16", high=3.0), 1, 2),
        correctness("threshold_below_0", tensor(37, 23), 4.0, -1.5),
    ),
    draw=lambda pick: {"beta": (0.25, 0.5, 2.0, 4.0)[pick(0, 3)], "threshold": pick(2, 40) / 2},
    tags=("activation",),
)

OPS: tuple[Op, ...] = (GELU, SILU, MISH, SOFTPLUS)
