"""Normalisations over channels, and of vectors along a dimension."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
)
from evaluator.ops.cases import rowwise
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
GROUP_NORM_FLOPS, BATCH_NORM_FLOPS, L2_FLOPS = 8, 4, 4
"""An element: as in layer_norm; deviation, normalisation, scale, shift; square and its sum, division, and what the root costs."""
EPS = 1e-5


def group_norm_reference(
    x: torch.Tensor, num_groups: int, weight: torch.Tensor | None = None, bias: torch.Tensor | None = None, eps: float = 1e-5
) -> torch.Tensor:
    import torch

    return torch.nn.functional.group_norm(x, num_groups, weight, bias, eps)


def grouped(x: TensorSpec, groups: int, eps: float = EPS) -> tuple[Argument, ...]:
    return x, groups, *affine(x), eps


def affine(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    """Weight and bias of each channel."""
    return tensor(x.shape[1], dtype=x.dtype, low=1.0, high=0.25), tensor(x.shape[1], dtype=x.dtype)


def channels_last(*shape: int) -> TensorSpec:
    """Images of which each point's channels lie together in memory."""
    _batch, channels, height, width = shape
    return TensorSpec(shape, strides=(channels * height * width, 1, channels * width, channels))


def group_norm_cases(device: str) -> list[Case]:
    return [
        correctness("plain", *grouped(tensor(2, 16, 8, 8), 4)),
        correctness("odd", *grouped(tensor(3, 15, 7, 5), 5)),
        correctness("one_group", *grouped(tensor(3, 10, 7, 3), 1)),
        correctness("a_channel_a_group", *grouped(tensor(3, 7, 5, 9), 7)),
        correctness("no_space", *grouped(tensor(9, 30), 6)),
        correctness("sequence", *grouped(tensor(2, 6, 401), 3)),
        correctness("one_image", *grouped(tensor(1, 33, 11, 13), 11)),
        correctness("no_weight_no_bias", tensor(2, 12, 5, 7), 3),
        correctness("no_bias", tensor(2, 12, 5, 7), 4, tensor(12)),
        correctness("large_eps", *grouped(tensor(2, 6, 3, 5), 2, eps=0.5)),
        correctness("channels_last", *grouped(channels_last(2, 12, 5, 9), 3)),
        correctness("large", *grouped(tensor(2, 9, 7, 11, generator="large"), 3)),
        correctness("tiny_variance", *grouped(tensor(2, 9, 7, 11, generator="tiny_variance"), 3)),
        correctness("float16", *grouped(tensor(2, 15, 9, 11, dtype="float16"), 5)),
        *([correctness("bfloat16", *grouped(tensor(2, 15, 9, 11, dtype="bfloat16"), 5))] if takes_bfloat16(device) else []),
        *group_norm_performance(device),
    ]


def group_norm_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("unet_32x32", "Stable Diffusion 1.5 U-Net, 640 channels of 32x32", *grouped(tensor(1, 640, 32, 32), 32)),
            performance("unet_8x8", "Stable Diffusion 1.5 U-Net, 1280 channels of 8x8, batch 2", *grouped(tensor(2, 1280, 8, 8), 32)),
        ]
    decoder = tensor(1, 128, 512, 512, dtype="float16")
    return [
        performance("unet_64x64", "Stable Diffusion 1.5 U-Net, 320 channels of 64x64, batch 8", *grouped(tensor(8, 320, 64, 64), 32)),
        performance("unet_16x16", "Stable Diffusion 1.5 U-Net, 1280 channels of 16x16, batch 16", *grouped(tensor(16, 1280, 16, 16), 32)),
        performance("decoder_fp16", "Stable Diffusion image decoder, 128 channels of 512x512", *grouped(decoder, 32, eps=1e-6)),
    ]


def group_norm_hidden(pick: Pick, device: str) -> list[Case]:
    groups, each = pick(2, 6), pick(1, 5)
    return [
        hidden("odd", *grouped(tensor(pick(1, 3), groups * each, 2 * pick(1, 6) + 1, 2 * pick(1, 6) + 1), groups)),
        hidden("channels_last", *grouped(channels_last(pick(1, 3), 2 * each, pick(2, 20), pick(2, 20)), 2)),
    ]


def group_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=GROUP_NORM_FLOPS * elements(x))


def batch_norm_reference(
    x: torch.Tensor,
    running_mean: torch.Tensor,
    running_var: torch.Tensor,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    import torch

    return torch.nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training=False, eps=eps)


def with_statistics(x: TensorSpec, eps: float = EPS) -> tuple[Argument, ...]:
    return x, *statistics(x), *affine(x), eps


def statistics(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    """Running mean and variance of each channel."""
    channels = x.shape[1]
    return tensor(channels, dtype=x.dtype), tensor(channels, dtype=x.dtype, generator="uniform", low=0.25, high=4.0)


def batch_norm_cases(device: str) -> list[Case]:
    bare = tensor(3, 11, 5, 7)
    return [
        correctness("plain", *with_statistics(tensor(4, 16, 8, 8))),
        correctness("odd", *with_statistics(tensor(3, 13, 7, 5))),
        correctness("no_space", *with_statistics(tensor(33, 65))),
        correctness("sequence", *with_statistics(tensor(3, 9, 401))),
        correctness("volume", *with_statistics(tensor(2, 5, 3, 7, 9))),
        correctness("one_channel", *with_statistics(tensor(5, 1, 9, 11))),
        correctness("one_image", *with_statistics(tensor(1, 67, 1, 1))),
        correctness("no_weight_no_bias", bare, *statistics(bare)),
        correctness("no_bias", bare, *statistics(bare), tensor(11)),
        correctness("large_eps", *with_statistics(tensor(3, 7, 5, 3), eps=0.5)),
        correctness("channels_last", *with_statistics(channels_last(2, 12, 5, 9))),
        correctness("large", *with_statistics(tensor(2, 9, 7, 11, generator="large"))),
        correctness("float16", *with_statistics(tensor(3, 15, 9, 11, dtype="float16"))),
        *([correctness("bfloat16", *with_statistics(tensor(3, 15, 9, 11, dtype="bfloat16")))] if takes_bfloat16(device) else []),
        *batch_norm_performance(device),
    ]


def batch_norm_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("resnet50_stem", "ResNet-50 stem, one image", *with_statistics(tensor(1, 64, 112, 112))),
            performance("resnet50_layer4", "ResNet-50 layer 4, batch 8", *with_statistics(tensor(8, 2048, 7, 7))),
        ]
    stem = tensor(128, 64, 112, 112, dtype="float16")
    return [
        performance("resnet50_stem_fp16", "ResNet-50 stem, batch 128", *with_statistics(stem)),
        performance("resnet50_layer1", "ResNet-50 layer 1, batch 64", *with_statistics(tensor(64, 256, 56, 56))),
        performance("resnet50_layer4", "ResNet-50 layer 4, batch 256", *with_statistics(tensor(256, 2048, 7, 7))),
    ]


def batch_norm_hidden(pick: Pick, device: str) -> list[Case]:
    return [
        hidden("odd", *with_statistics(tensor(pick(1, 4), pick(2, 40), 2 * pick(1, 5) + 1, 2 * pick(1, 5) + 1))),
        hidden("channels_last", *with_statistics(channels_last(pick(1, 3), pick(2, 16), pick(2, 18), pick(2, 18)))),
        hidden("no_space", *with_statistics(tensor(pick(2, 90), pick(2, 200)))),
    ]


def batch_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=BATCH_NORM_FLOPS * elements(x))


def l2_normalize_reference(x: torch.Tensor, dim: int = 1, eps: float = 1e-12) -> torch.Tensor:
    import torch

    return torch.nn.functional.normalize(x, 2.0, dim, eps)


def only_dim(x: TensorSpec, dim: int) -> tuple[Argument, ...]:
    return x, dim


def l2_normalize_cases(device: str) -> list[Case]:
    return [
        *rowwise.along(device, only_dim),
        correctness("default_dim", tensor(7, 19, 33)),
        correctness("short_rows", tensor(65, 33), 1, 5.75),
        correctness("rows_of_zeros", tensor(129, 5, generator="sparse"), 1),
        *l2_normalize_performance(device),
    ]


def l2_normalize_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x1024", "CLIP ViT-H/14 embeddings, 256 images", tensor(256, 1024), 1),
            performance("128x4096", "Llama 3 8B embeddings, 128 texts", tensor(128, 4096), -1),
        ]
    return [
        performance("clip", "CLIP ViT-H/14 embeddings, 32768 images", tensor(32768, 1024), 1),
        performance("swin_queries_fp16", "Swin V2 B queries of stage 1, batch 64", tensor(4096, 4, 64, 32, dtype="float16"), -1),
        performance("channels", "SuperPoint descriptors of an image of 640x480, batch 16", tensor(16, 256, 60, 80), 1),
    ]


def l2_normalize_hidden(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_along(pick, only_dim)


def l2_normalize_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=L2_FLOPS * elements(x))


OPS: tuple[Op, ...] = (
    Op(
        slug="group_norm",
        title="Group norm",
        summary="Brings groups of channels to mean 0 and variance 1, then scales and shifts each channel.",
        description=(
            "The channels of each image are split into groups; each group, with all its points, is brought to mean 0 and variance 1 as "
            "in layer_norm, then each channel has its own weight and bias. Diffusion models have it before every convolution. A group of "
            "a large image does not fit on chip, and one block for each group leaves most of a GPU idle: the work on a group has to be "
            "split, and partial statistics put together."
        ),
        signature="group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
        reference=group_norm_reference,
        cases=group_norm_cases,
        hidden_cases=group_norm_hidden,
        cost=group_norm_cost,
        aten="aten.group_norm.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("normalisation", "image"),
        starters=starter.load("group_norm"),
    ),
    Op(
        slug="batch_norm",
        title="Batch norm, inference",
        summary="Normalises each channel by statistics gathered in training.",
        description=(
            "(x - running_mean) / sqrt(running_var + eps) * weight + bias, with one mean, variance, weight and bias for each channel, "
            "the second dimension. ResNets and most image networks run it after every convolution. It is one multiplication and one "
            "addition an element with numbers that depend on the channel alone; the skill is in finding the channel cheaply, for both "
            "memory layouts of images, and in loads that are as wide as in a copy."
        ),
        signature=(
            "batch_norm(Tensor input, Tensor running_mean, Tensor running_var, "
            "Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor"
        ),
        reference=batch_norm_reference,
        cases=batch_norm_cases,
        hidden_cases=batch_norm_hidden,
        cost=batch_norm_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("normalisation", "elementwise", "image"),
        starters=starter.load("batch_norm"),
    ),
    Op(
        slug="l2_normalize",
        title="L2 normalise",
        summary="Divides vectors along a dimension by their Euclidean norm.",
        description=(
            "x / max(norm(x), eps), with the Euclidean norm along a dimension; vectors of zeros stay zeros. Embeddings of search and of "
            "CLIP are compared after it; Swin V2 treats queries and keys so. Rows are short, so a block should take several of "
            "them; and along a dimension that is not the last, neighbouring vectors have to be read side by side."
        ),
        signature="l2_normalize(Tensor input, int dim=1, float eps=1e-12) -> Tensor",
        reference=l2_normalize_reference,
        cases=l2_normalize_cases,
        hidden_cases=l2_normalize_hidden,
        cost=l2_normalize_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("normalisation", "row-wise"),
        starters=starter.load("l2_normalize"),
    ),
)
