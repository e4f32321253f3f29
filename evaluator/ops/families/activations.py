"""Activations with straight parts, and the two that saturate."""

from __future__ import annotations

import typing

from evaluator.ops.arguments import correctness, tensor
from evaluator.ops.cases.elementwise import Size, special, unary
from evaluator.ops.definition import Op

if typing.TYPE_CHECKING:
    import torch


def relu_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.relu(x)


def leaky_relu_reference(x: torch.Tensor, negative_slope: float = 0.01) -> torch.Tensor:
    import torch

    return torch.nn.functional.leaky_relu(x, negative_slope)


def hardswish_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.hardswish(x)


def sigmoid_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.sigmoid(x)


def tanh_reference(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.tanh(x)


RELU = unary(
    "relu",
    title="ReLU",
    summary="Sets negative elements to zero.",
    description=(
        "Each element becomes max(x, 0); NaN stays NaN. It follows nearly every convolution of ResNets and the first linear layer of OPT "
        "and T5. It costs one comparison an element, so a kernel can only be as fast as memory: wide loads and stores, enough of them on "
        "their way at once, and no copy for inputs that are not contiguous."
    ),
    signature="relu(Tensor self) -> Tensor",
    reference=relu_reference,
    aten="aten.relu.default",
    flops=1,
    gpu=(
        Size("gpt2_mlp", "GPT-2 MLP, batch 8", (8, 1024, 3072)),
        Size("resnet50_stem", "ResNet-50 stem, batch 32", (32, 64, 112, 112)),
        Size("llama3_8b_mlp_fp16", "Llama 3 8B MLP, 4096 tokens", (4096, 14336), "float16"),
    ),
    cpu=(
        Size("256x4096", "OPT-6.7B hidden states, 256 tokens", (256, 4096)),
        Size("197x3072", "ViT-B/16 MLP, one image", (197, 3072)),
    ),
    more=(special(),),
    suites=("smoke", "core"),
    tags=("activation",),
)

LEAKY_RELU = unary(
    "leaky_relu",
    title="Leaky ReLU",
    summary="Multiplies negative elements by a small slope.",
    description=(
        "Each element above zero stays as it is, each other one is multiplied by negative_slope. The slope may be above 1 or below 0, so "
        "max(x, negative_slope * x) is not the same function. YOLOv3 uses a slope of 0.1, StyleGAN and graph attention networks 0.2. "
        "Memory bounds it: one comparison and one product an element."
    ),
    signature="leaky_relu(Tensor self, float negative_slope=0.01) -> Tensor",
    reference=leaky_relu_reference,
    aten="aten.leaky_relu.default",
    flops=2,
    gpu=(
        Size("yolov3_stem", "YOLOv3 first layer at 416 x 416, batch 16", (16, 32, 416, 416)),
        Size("yolov3_stage_fp16", "YOLOv3 stage at 104 x 104, batch 32", (32, 128, 104, 104), "float16"),
    ),
    cpu=(
        Size("yolov3_stage", "YOLOv3 stage at 52 x 52, one image", (1, 256, 52, 52)),
        Size("yolov3_head", "YOLOv3 head at 13 x 13, four images", (4, 1024, 13, 13)),
    ),
    more=(
        special(),
        correctness("slope", tensor(63, 65), 0.2),
        correctness("slope_above_1", tensor(17, 33), negative_slope=1.5),
        correctness("slope_below_0", tensor(41, 29), negative_slope=-0.25),
        correctness("slope_float16", tensor(1001, dtype="float16"), 0.3),
    ),
    timed={"negative_slope": 0.1},
    draw=lambda pick: {"negative_slope": pick(-8, 16) / 8 + 0.01},
    tags=("activation",),
)

HARDSWISH = unary(
    "hardswish",
    title="Hard swish",
    summary="Multiplies each element by a ramp that goes from 0 at -3 to 1 at 3.",
    description=(
        "Each element becomes x * min(max(x + 3, 0), 6) / 6: zero up to -3, x itself from 3 on, a parabola between them. MobileNetV3 uses "
        "it in place of SiLU, because it needs no exponential. Memory bounds it on a GPU."
    ),
    signature="hardswish(Tensor self) -> Tensor",
    reference=hardswish_reference,
    aten="aten.hardswish.default",
    flops=5,
    gpu=(
        Size("mobilenetv3_stem", "MobileNetV3-Large stem, batch 256", (256, 16, 112, 112)),
        Size("mobilenetv3_expand_fp16", "MobileNetV3-Large expansion to 240 channels, batch 256", (256, 240, 28, 28), "float16"),
    ),
    cpu=(
        Size("mobilenetv3_stem", "MobileNetV3-Large stem, batch 4", (4, 16, 112, 112)),
        Size("mobilenetv3_last", "MobileNetV3-Large last convolution, batch 16", (16, 960, 7, 7)),
    ),
    more=(
        correctness("wide", tensor(67, 101, high=4.0)),
        correctness("wide_float16", tensor(1001, dtype="float16", high=4.0)),
        correctness("ends", tensor(31, 33, generator="integers", low=-5, high=6)),
    ),
    tags=("activation",),
)

SIGMOID = unary(
    "sigmoid",
    title="Sigmoid",
    summary="The logistic function of each element, between 0 and 1.",
    description=(
        "Each element becomes 1 / (1 + exp(-x)). It gates: in LSTMs, squeeze-and-excitation blocks and attention gates; detectors turn "
        "scores into probabilities by it. exp(-x) overflows for x below -88 in float32, which must still give 0 and not NaN. With a fast "
        "exponential and reciprocal, memory bounds it."
    ),
    signature="sigmoid(Tensor self) -> Tensor",
    reference=sigmoid_reference,
    aten="aten.sigmoid.default",
    flops=4,
    gpu=(
        Size("yolov8_scores", "YOLOv8 class scores of 8400 boxes, batch 64", (64, 80, 8400)),
        Size("qwen3_next_gate_half", "Qwen3-Next 80B attention gate, 16384 tokens", (16384, 4096), "half"),
    ),
    cpu=(
        Size("yolov8_scores", "YOLOv8 class scores of 8400 boxes, one image", (1, 80, 8400)),
        Size("qwen3_next_gate", "Qwen3-Next 80B attention gate, 128 tokens", (128, 4096)),
    ),
    more=(
        special(),
        correctness("negative", tensor(41, 43, generator="uniform", low=-16, high=-8)),
        correctness("wide", tensor(33, 77, high=6.0)),
    ),
    tags=("activation",),
)

TANH = unary(
    "tanh",
    title="Tanh",
    summary="The hyperbolic tangent of each element, between -1 and 1.",
    description=(
        "Each element becomes (exp(x) - exp(-x)) / (exp(x) + exp(-x)). Gemma 2 bounds scores and logits by it, LSTMs and BERT's pooler "
        "use it. Written with one exponential it loses all digits near zero, written with two it overflows; a good kernel has a "
        "polynomial for small elements. GPUs have a fast instruction for it that is too coarse for float32."
    ),
    signature="tanh(Tensor self) -> Tensor",
    reference=tanh_reference,
    aten="aten.tanh.default",
    flops=6,
    gpu=(
        Size("gemma2_logits", "Gemma 2 logits before their cap, 256 tokens", (256, 256000)),
        Size("gemma2_9b_scores_fp16", "Gemma 2 9B attention scores before their cap, 2048 tokens", (16, 2048, 2048), "float16"),
    ),
    cpu=(
        Size("gemma2_logits", "Gemma 2 logits before their cap, 4 tokens", (4, 256000)),
        Size("bert_pooler", "BERT-base pooler, batch 256", (256, 768)),
    ),
    more=(
        special(),
        correctness("small", tensor(51, 47, high=1e-3)),
        correctness("middle", tensor(67, 71, high=0.3)),
        correctness("wide", tensor(33, 77, high=6.0)),
    ),
    tags=("activation",),
)

OPS: tuple[Op, ...] = (RELU, LEAKY_RELU, HARDSWISH, SIGMOID, TANH)
