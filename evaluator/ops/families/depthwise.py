"""Convolutions of each channel by itself. There is little arithmetic in them: memory bounds them."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    argument,
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    performance,
    permuted,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases.windows import Sizes, windows
from evaluator.ops.definition import Case, Cost, Op
from evaluator.ops.families.convolutions import DTYPES, NO_TF32, Options, model

if typing.TYPE_CHECKING:
    import torch

SILU_FLOPS = 4
"""Negation, exponential, sum, division."""


def depthwise_conv2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
) -> torch.Tensor:
    import torch

    return torch.conv2d(x, weight, bias, stride, padding, dilation, groups=x.shape[1])


def causal_conv1d(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, silu: bool = False) -> torch.Tensor:
    import torch

    channels, width = weight.shape
    past = torch.nn.functional.pad(x, (width - 1, 0))
    y = torch.conv1d(past, weight.unsqueeze(1), bias, groups=channels)
    return torch.nn.functional.silu(y) if silu else y


def conv2d_cases(device: str) -> list[Case]:
    def half(dtype: str) -> Case:
        return correctness(
            dtype, tensor(2, 7, 13, 11, dtype=dtype), tensor(7, 1, 5, 3, dtype=dtype), tensor(7, dtype=dtype), padding=(2, 1)
        )

    return [
        correctness("plain", tensor(2, 7, 13, 11), tensor(7, 1, 3, 5), tensor(7)),
        correctness("no_bias", tensor(3, 5, 9, 17), tensor(5, 1, 5, 2)),
        correctness("padding", tensor(2, 6, 13, 11), tensor(6, 1, 3, 5), tensor(6), padding=(1, 2)),
        correctness("stride", tensor(2, 6, 13, 11), tensor(6, 1, 3, 5), None, stride=(2, 3)),
        correctness("dilation", tensor(2, 6, 13, 11), tensor(6, 1, 3, 2), tensor(6), dilation=(3, 4)),
        correctness("two_filters_a_channel", tensor(2, 5, 9, 7), tensor(10, 1, 3, 2), bias=tensor(10)),
        correctness("all", tensor(3, 4, 15, 13), tensor(12, 1, 3, 4), tensor(12), (2, 3), (1, 2), (3, 2)),
        correctness("wide_window", tensor(1, 33, 7, 9), tensor(33, 1, 7, 7), tensor(33), padding=(3, 3)),
        correctness("one_channel", tensor(3, 1, 19, 23), tensor(1, 1, 3, 3), tensor(1)),
        correctness("one_place", tensor(3, 11, 5, 3), tensor(11, 1, 5, 3), tensor(11)),
        correctness("many_channels", tensor(1, 131, 7, 5), tensor(131, 1, 3, 3), padding=(1, 1)),
        correctness("channels_last", permuted(2, 7, 13, 11, order=(0, 2, 3, 1)), tensor(7, 1, 3, 5), padding=(0, 2)),
        correctness("strided_weight", tensor(2, 7, 13, 11), transposed(7, 1, 3, 5), tensor(7)),
        correctness("large", tensor(2, 7, 13, 11, generator="large"), tensor(7, 1, 3, 5)),
        half("float16"),
        *([half("bfloat16")] if takes_bfloat16(device) else []),
        *conv2d_performance(device),
    ]


def conv2d_performance(device: str) -> list[Case]:
    convnext: Options = {"padding": (3, 3)}
    if device == "cpu":
        return [
            model("mobilenetv2", "MobileNetV2, 56x56 pixels, one image", (1, 144, 56, 56), (144, 1, 3, 3), {"padding": (1, 1)}),
            model("convnext", "ConvNeXt-T first stage, one image", (1, 96, 56, 56), (96, 1, 7, 7), convnext, bias=True),
        ]
    down: Options = {"stride": (2, 2), "padding": (1, 1)}
    return [
        model("convnext", "ConvNeXt-T first stage, batch 64", (64, 96, 56, 56), (96, 1, 7, 7), convnext, bias=True),
        model("mobilenetv2_down", "MobileNetV2, first halving, batch 64", (64, 96, 112, 112), (96, 1, 3, 3), down),
        model(
            "convnext_base_fp16", "ConvNeXt-B third stage, batch 256", (256, 512, 14, 14), (512, 1, 7, 7), convnext, "float16", bias=True
        ),
    ]


def conv2d_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    channels, filters, many = pick(1, 9), pick(1, 3), 2 * pick(8, 100) + 1
    options = ((pick(1, 3), pick(1, 3)), (pick(0, 2), pick(0, 2)), (pick(1, 2), pick(1, 2)))
    weight = tensor(filters * channels, 1, pick(1, 4), pick(1, 4))
    return [
        hidden("options", tensor(pick(1, 3), channels, pick(7, 19), pick(7, 19)), weight, tensor(filters * channels), *options),
        hidden("channels_last", permuted(1, many, 9, 8, order=(0, 2, 3, 1)), tensor(many, 1, 3, 2), tensor(many), padding=(1, 0)),
    ]


def conv2d_cost(case: Case) -> Cost:
    x, weight = case.tensors[:2]
    moved = windows(case, x.shape[2:], weight.shape[2:])
    out = x.shape[0] * weight.shape[0]
    places, taps = math.prod(window.places for window in moved), math.prod(window.taps for window in moved)
    return cost(case, out * places, x.dtype, flops=2 * out * taps)


def causal_cases(device: str) -> list[Case]:
    def half(dtype: str) -> Case:
        return correctness(dtype, tensor(2, 13, 67, dtype=dtype), tensor(13, 4, dtype=dtype), tensor(13, dtype=dtype), silu=True)

    return [
        correctness("plain", tensor(2, 16, 64), tensor(16, 4), tensor(16)),
        correctness("silu", tensor(2, 15, 67), tensor(15, 4), tensor(15), True),
        correctness("no_bias", tensor(3, 7, 129), tensor(7, 3)),
        correctness("silu_without_bias", tensor(3, 7, 65), tensor(7, 4), None, silu=True),
        correctness("without_silu", tensor(1, 9, 33), tensor(9, 2), bias=tensor(9), silu=False),
        correctness("wide", tensor(1, 5, 101), tensor(5, 7), tensor(5)),
        correctness("one_tap", tensor(2, 11, 19), tensor(11, 1), tensor(11)),
        correctness("one_step", tensor(3, 17, 1), tensor(17, 4), tensor(17), silu=True),
        correctness("shorter_than_the_window", tensor(3, 17, 2), tensor(17, 4)),
        correctness("one_channel", tensor(5, 1, 257), tensor(1, 4), tensor(1)),
        correctness("long", tensor(1, 3, 4099), tensor(3, 4), tensor(3), silu=True),
        correctness("channels_last", permuted(2, 13, 37, order=(0, 2, 1)), tensor(13, 4), tensor(13), silu=True),
        correctness("strided_weight", tensor(2, 13, 37), transposed(13, 4), tensor(13)),
        correctness("large", tensor(2, 7, 43, generator="large"), tensor(7, 4), silu=True),
        half("float16"),
        *([half("bfloat16")] if takes_bfloat16(device) else []),
        *causal_performance(device),
    ]


def causal_performance(device: str) -> list[Case]:
    def mamba(name: str, source: str, batch: int, channels: int, steps: int, dtype: str = "float32") -> Case:
        x, weight = tensor(batch, channels, steps, dtype=dtype), tensor(channels, 4, dtype=dtype)
        return performance(name, source, x, weight, tensor(channels, dtype=dtype), silu=True)

    if device == "cpu":
        return [
            mamba("mamba_130m", "Mamba 130M, 512 tokens", 1, 1536, 512),
            mamba("mamba2_130m", "Mamba-2 130M, 256 tokens", 1, 1792, 256),
        ]
    return [
        mamba("mamba_130m", "Mamba 130M, batch 8, 2048 tokens", 8, 1536, 2048),
        mamba("mamba_2.8b_fp16", "Mamba 2.8B, batch 8, 2048 tokens", 8, 5120, 2048, "float16"),
        mamba("mamba2_2.7b_fp16", "Mamba-2 2.7B, one text of 16384 tokens", 1, 5376, 16384, "float16"),
    ]


def causal_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    channels, width = pick(2, 40), pick(2, 5)
    return [
        hidden("odd", tensor(pick(1, 3), channels, 2 * pick(5, 60) + 1), tensor(channels, width), tensor(channels), silu=True),
        hidden("channels_last", permuted(2, channels, pick(2, 90), order=(0, 2, 1)), tensor(channels, width)),
    ]


def causal_cost(case: Case) -> Cost:
    x, (_, width) = first_tensor(case), case.tensors[1].shape
    steps = x.shape[2]
    taps = sum(max(0, steps - back) for back in range(width))
    silu = SILU_FLOPS * elements(x) if argument(case, 3, "silu", False) else 0
    return cost(case, elements(x), x.dtype, flops=2 * x.shape[0] * x.shape[1] * taps + silu)


OPS: tuple[Op, ...] = (
    Op(
        slug="depthwise_conv2d",
        title="Depthwise convolution 2D",
        summary="Slides filters of their own over each channel of an image.",
        description=(
            "conv2d with as many groups as channels: output channel o reads input channel o // m alone, where m is the number of filters a "
            "channel has (the first size of `weight` over the channels of x). Mobile networks (MobileNet, EfficientNet) and ConvNeXt mix "
            "pixels with it. Each input pixel is needed by every tap, but there are no sums over channels to feed matrix units: a fast "
            f"kernel reads each pixel once from memory and keeps the window in registers. {NO_TF32}"
        ),
        signature=(
            "depthwise_conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, "
            "SymInt[2] dilation=1) -> Tensor"
        ),
        reference=depthwise_conv2d,
        cases=conv2d_cases,
        hidden_cases=conv2d_hidden_cases,
        cost=conv2d_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("convolution", "channel-wise"),
        starters=starter.load("depthwise_conv2d"),
    ),
    Op(
        slug="causal_conv1d",
        title="Causal convolution 1D",
        summary="Mixes each step of each channel with the few steps before it, as state space models do.",
        description=(
            "x is (batch, channels, steps) and weight (channels, width). y[b, c, t] = bias[c] + the sum over k of weight[c, k] * "
            "x[b, c, t - (width - 1) + k], where steps before the first count as zero; with `silu`, y * sigmoid(y). Mamba and its kin run "
            "it before each state space layer. It moves memory and little else, so reading each step once, in wide loads that do not fit "
            "the window's odd offsets, is what is hard."
        ),
        signature="causal_conv1d(Tensor x, Tensor weight, Tensor? bias=None, bool silu=False) -> Tensor",
        reference=causal_conv1d,
        cases=causal_cases,
        hidden_cases=causal_hidden_cases,
        cost=causal_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("convolution", "channel-wise", "fused"),
        starters=starter.load("causal_conv1d"),
    ),
)
