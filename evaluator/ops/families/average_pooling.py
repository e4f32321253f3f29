"""Means of the windows of an image."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import ITEM_BYTES, argument, correctness, first_tensor, hidden, performance, permuted, tensor
from evaluator.ops.cases.windows import Sizes, sizes
from evaluator.ops.definition import Argument, Case, Cost, Op
from evaluator.ops.families.pooling import DTYPES, cost_of_windows, halves, pooled_windows, window_hidden_cases

if typing.TYPE_CHECKING:
    import torch


def avg_pool2d(
    x: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes = (),
    padding: Sizes = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> torch.Tensor:
    import torch

    return torch.nn.functional.avg_pool2d(x, kernel_size, stride or kernel_size, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool2d(x: torch.Tensor, output_size: Sizes) -> torch.Tensor:
    import torch

    height, width = output_size
    return torch.nn.functional.adaptive_avg_pool2d(x, (height, width))


def avg_cases(device: str) -> list[Case]:
    odd = tensor(2, 5, 13, 11)
    return [
        correctness("plain", tensor(2, 5, 16, 18), (2, 2)),
        correctness("odd", tensor(3, 4, 13, 17), (3, 2)),
        correctness("stride", odd, (3, 4), (2, 1)),
        correctness("padding", odd, (3, 4), (2, 3), padding=(1, 2)),
        correctness("without_padding_in_the_count", odd, (3, 5), (2, 1), padding=(1, 2), count_include_pad=False),
        correctness("ceil_mode", tensor(2, 5, 12, 14), (3, 2), (2, 3), ceil_mode=True),
        correctness("ceil_mode_and_padding", tensor(2, 5, 12, 14), (3, 5), (2, 3), (1, 2), True),
        correctness("all", tensor(2, 3, 16, 14), (3, 5), (2, 3), (1, 2), True, False),
        correctness("divisor", odd, (2, 3), padding=(1, 1), divisor_override=5),
        correctness("whole_image", tensor(3, 11, 7, 5), (7, 5)),
        correctness("one_column", tensor(2, 3, 29, 1), (3, 1), (2, 1)),
        correctness("empty", tensor(0, 3, 9, 9), (2, 2)),
        correctness("channels_last", permuted(2, 5, 13, 11, order=(0, 2, 3, 1)), (3, 2), (2, 1)),
        correctness("broadcast", tensor(3, 4, 13, 11, strides=(0, 143, 11, 1)), (2, 3), (1, 2)),
        correctness("large", tensor(2, 5, 11, 9, generator="large"), (3, 3), (2, 2)),
        *halves(device, (3, 3), (2, 2), (1, 1)),
        *avg_performance(device),
    ]


def avg_performance(device: str) -> list[Case]:
    same: dict[str, Argument] = {"stride": (1, 1), "padding": (1, 1)}
    if device == "cpu":
        return [
            performance("densenet121", "DenseNet-121, first transition, one image", tensor(1, 128, 56, 56), (2, 2)),
            performance("inception_v3", "Inception v3, first pooling branch, one image", tensor(1, 192, 35, 35), (3, 3), **same),
        ]
    shortcut: dict[str, Argument] = {"ceil_mode": True, "count_include_pad": False}
    half = tensor(128, 256, 56, 56, dtype="float16")
    return [
        performance("densenet121", "DenseNet-121, first transition, batch 128", tensor(128, 128, 56, 56), (2, 2)),
        performance("inception_v3", "Inception v3, first pooling branch, batch 128", tensor(128, 192, 35, 35), (3, 3), **same),
        performance("resnet50d_shortcut_fp16", "ResNet-50-D, shortcut of the second stage, batch 128", half, (2, 2), **shortcut),
    ]


def adaptive_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(2, 5, 16, 18), (4, 6)),
        correctness("to_one", tensor(3, 67, 7, 7), (1, 1)),
        correctness("uneven", tensor(2, 5, 13, 17), (5, 7)),
        correctness("one_dimension", tensor(2, 5, 11, 19), (1, 4)),
        correctness("larger", tensor(2, 5, 5, 7), (8, 13)),
        correctness("larger_and_smaller", tensor(3, 4, 3, 23), output_size=(7, 5)),
        correctness("row", tensor(3, 4, 1, 101), (1, 7)),
        correctness("one_pixel", tensor(3, 17, 1, 1), (2, 3)),
        correctness("empty", tensor(0, 3, 9, 9), (2, 2)),
        correctness("channels_last", permuted(2, 5, 13, 11, order=(0, 2, 3, 1)), (3, 4)),
        correctness("broadcast", tensor(3, 4, 13, 11, strides=(0, 143, 11, 1)), (5, 3)),
        correctness("large", tensor(2, 5, 11, 9, generator="large"), (4, 2)),
        *halves(device, (4, 7)),
        *adaptive_performance(device),
    ]


def adaptive_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("resnet50_head", "ResNet-50 head, 32 images", tensor(32, 2048, 7, 7), (1, 1)),
            performance("pspnet_3x3", "PSPNet pyramid, 3x3 level, one image", tensor(1, 512, 60, 60), (3, 3)),
        ]
    return [
        performance("resnet50_head", "ResNet-50 head, batch 512", tensor(512, 2048, 7, 7), (1, 1)),
        performance("pspnet_6x6_fp16", "PSPNet pyramid, 6x6 level, batch 16", tensor(16, 2048, 60, 60, dtype="float16"), (6, 6)),
    ]


def adaptive_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    channels = pick(2, 9)
    return [
        hidden("odd", tensor(pick(1, 3), channels, 2 * pick(5, 16) + 1, pick(8, 30)), (pick(2, 7), pick(2, 7))),
        hidden("channels_last", permuted(2, channels, pick(7, 20), pick(7, 20), order=(0, 2, 3, 1)), (pick(1, 24), pick(1, 5))),
    ]


def avg_cost(case: Case) -> Cost:
    height, width = pooled_windows(case, (1, 1), argument(case, 4, "ceil_mode"))
    return cost_of_windows(case, height.places * width.places, height.taps * width.taps, ITEM_BYTES[first_tensor(case).dtype])


def adaptive_cost(case: Case) -> Cost:
    x, out = first_tensor(case), sizes(case, 1, "output_size", 2, 1)
    taps = math.prod(
        sum(-(-(place + 1) * size // places) - place * size // places for place in range(places))
        for size, places in zip(x.shape[2:], out, strict=True)
    )
    return cost_of_windows(case, math.prod(out), taps, ITEM_BYTES[x.dtype])


OPS: tuple[Op, ...] = (
    Op(
        slug="avg_pool2d",
        title="Average pooling 2D",
        summary="The mean under each window of an image.",
        description=(
            "Each output pixel is the sum of the pixels under a window that moves by `stride` (the window's own size where none is given) "
            "over the number of them. Padding adds nothing to the sum, but counts, unless `count_include_pad` is false; what sticks out "
            "beyond the padding with `ceil_mode` never counts. `divisor_override` replaces the number. DenseNet, Inception and the "
            "shortcuts of newer ResNets shrink images with it. Memory bounds it: windows overlap, and a fast kernel reads each pixel once."
        ),
        signature=(
            "avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
            "bool count_include_pad=True, int? divisor_override=None) -> Tensor"
        ),
        reference=avg_pool2d,
        cases=avg_cases,
        hidden_cases=window_hidden_cases,
        cost=avg_cost,
        aten="aten.avg_pool2d.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("pooling", "windows"),
        starters=starter.load("avg_pool2d"),
    ),
    Op(
        slug="adaptive_avg_pool2d",
        title="Adaptive average pooling 2D",
        summary="The mean of each of the parts into which a grid of a given size cuts an image.",
        description=(
            "Output pixel i of n, in each dimension of size s, is the mean over the input pixels from floor(i * s / n) up to, and without, "
            "ceil((i + 1) * s / n): parts may overlap by one pixel, and repeat where the output is larger. One output pixel is the mean of "
            "a whole channel, with which ResNet and its kin end; PSPNet describes a scene by several grids. Each part is a sum of its own "
            "length over short rows: keeping all threads busy with few large parts, or many small ones, is what is hard."
        ),
        signature="adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
        reference=adaptive_avg_pool2d,
        cases=adaptive_cases,
        hidden_cases=adaptive_hidden_cases,
        cost=adaptive_cost,
        aten="aten.adaptive_avg_pool2d.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("pooling", "reduction"),
        starters=starter.load("adaptive_avg_pool2d"),
    ),
)
