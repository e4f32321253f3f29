"""Maxima of the windows of an image, with or without their places."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    argument,
    correctness,
    first_tensor,
    hidden,
    input_bytes,
    performance,
    permuted,
    takes_bfloat16,
    tensor,
)
from evaluator.ops.cases.windows import Sizes, Window, sizes
from evaluator.ops.definition import Argument, Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")


def max_pool2d(
    x: torch.Tensor, kernel_size: Sizes, stride: Sizes = (), padding: Sizes = (0, 0), dilation: Sizes = (1, 1), ceil_mode: bool = False
) -> torch.Tensor:
    import torch

    return torch.max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    x: torch.Tensor, kernel_size: Sizes, stride: Sizes = (), padding: Sizes = (0, 0), dilation: Sizes = (1, 1), ceil_mode: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    values, indices = torch.nn.functional.max_pool2d_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode)
    return values, indices


def halves(device: str, *args: Argument, **kwargs: Argument) -> list[Case]:
    names = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [correctness(name, tensor(2, 5, 15, 17, dtype=name), *args, **kwargs) for name in names]


def max_cases(device: str) -> list[Case]:
    below_zero = tensor(2, 4, 9, 11, generator="uniform", low=-9.0, high=-1.0)
    return [
        correctness("plain", tensor(2, 5, 16, 18), (2, 2)),
        correctness("odd", tensor(3, 4, 13, 17), (3, 2)),
        correctness("stride", tensor(2, 5, 13, 12), (3, 4), (2, 1)),
        correctness("padding", tensor(2, 5, 13, 11), (3, 4), (2, 3), padding=(1, 2)),
        correctness("below_zero", below_zero, (3, 3), (2, 2), padding=(1, 1)),
        correctness("dilation", tensor(2, 5, 13, 12), (2, 3), dilation=(4, 2)),
        correctness("ceil_mode", tensor(2, 5, 12, 14), (3, 2), (2, 3), ceil_mode=True),
        correctness("all", tensor(2, 3, 16, 14), (3, 5), (2, 3), (1, 2), (2, 1), True),
        correctness("whole_image", tensor(3, 11, 7, 5), (7, 5)),
        correctness("one_column", tensor(2, 3, 29, 1), (3, 1), (2, 1)),
        correctness("empty", tensor(0, 3, 9, 9), (2, 2)),
        correctness("channels_last", permuted(2, 5, 13, 11, order=(0, 2, 3, 1)), (3, 2), (2, 1)),
        correctness("broadcast", tensor(3, 4, 13, 11, strides=(0, 143, 11, 1)), (2, 3), (1, 2)),
        correctness("large", tensor(2, 5, 11, 9, generator="large"), (3, 3), (2, 2)),
        correctness("ties", tensor(2, 5, 17, 13, generator="sparse"), (3, 4), (2, 2), (1, 1)),
        correctness("special", tensor(2, 5, 17, 13, generator="special"), (3, 2)),
        *halves(device, (3, 3), (2, 2), (1, 1)),
    ]


def max_performance(device: str, stem_source: str) -> list[Case]:
    stem: dict[str, Argument] = {"stride": (2, 2), "padding": (1, 1)}
    if device == "cpu":
        return [
            performance("resnet50_stem", f"ResNet-50 stem, {stem_source}", tensor(1, 64, 112, 112), (3, 3), **stem),
            performance("vgg16_second", "VGG-16, second pooling, one image", tensor(1, 128, 112, 112), (2, 2)),
        ]
    return [
        performance("resnet50_stem", f"ResNet-50 stem, {stem_source}", tensor(64, 64, 112, 112), (3, 3), **stem),
        performance("segnet_first", "SegNet, first pooling, 8 images of 360x480", tensor(8, 64, 360, 480), (2, 2)),
        performance("vgg16_first_fp16", "VGG-16, first pooling, batch 32", tensor(32, 64, 224, 224, dtype="float16"), (2, 2)),
    ]


def max_pool2d_cases(device: str) -> list[Case]:
    nan = correctness("special_nan", tensor(2, 5, 17, 13, generator="special_nan"), (3, 2), (2, 2))
    return [*max_cases(device), nan, *max_performance(device, "one image" if device == "cpu" else "batch 64")]


def with_indices_cases(device: str) -> list[Case]:
    return [*max_cases(device), *max_performance(device, "training, one image" if device == "cpu" else "training, batch 64")]


def window_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    kernel, batch, channels = (pick(2, 5), pick(2, 5)), pick(1, 3), pick(1, 9)
    padding = (pick(0, kernel[0] // 2), pick(0, kernel[1] // 2))
    stride = (pick(1, 3), pick(1, 3))
    return [
        hidden("odd", tensor(batch, channels, 2 * pick(5, 16) + 1, 2 * pick(5, 16) + 1), kernel, stride, padding),
        hidden("channels_last", permuted(2, channels, pick(7, 20), pick(7, 20), order=(0, 2, 3, 1)), kernel, ceil_mode=True),
    ]


def cost_of_windows(case: Case, places: int, taps: int, bytes_each: int) -> Cost:
    """One operation for each element of each window of each channel; `places` and `taps` are those of one channel."""
    x = first_tensor(case)
    channels = x.shape[0] * x.shape[1]
    return Cost(input_bytes(case), channels * places * bytes_each, channels * taps)


def pooled_windows(case: Case, dilation: Sizes, ceil_mode: object) -> list[Window]:
    size, kernel = first_tensor(case).shape[2:], sizes(case, 1, "kernel_size", 2, 1)
    stride, padding = sizes(case, 2, "stride", 2, kernel), sizes(case, 3, "padding", 2, 0)
    return [Window(*each, ceil_mode=bool(ceil_mode)) for each in zip(size, kernel, stride, padding, dilation, strict=True)]


def max_cost(case: Case, index_bytes: int = 0) -> Cost:
    height, width = pooled_windows(case, sizes(case, 4, "dilation", 2, 1), argument(case, 5, "ceil_mode"))
    each = ITEM_BYTES[first_tensor(case).dtype] + index_bytes
    return cost_of_windows(case, height.places * width.places, height.taps * width.taps, each)


def with_indices_cost(case: Case) -> Cost:
    return max_cost(case, ITEM_BYTES["int64"])


SIGNATURE = "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> "
WHAT = (
    "Each output pixel is the largest of the pixels under a window that moves by `stride` (the window's own size where it is not given) "
    "and whose taps lie `dilation` apart. Padding never wins: it counts as minus infinity. With `ceil_mode` the last window may stick out "
    "of the image, provided that it starts inside."
)

OPS: tuple[Op, ...] = (
    Op(
        slug="max_pool2d",
        title="Max pooling 2D",
        summary="The largest value under each window of an image.",
        description=(
            f"{WHAT} NaN wins over all else. Convolutional networks (ResNet, VGG) shrink images with it. There is one comparison for each "
            "tap, so memory bounds it: neighbouring windows overlap, and a fast kernel reads each pixel once."
        ),
        signature=f"max_pool2d{SIGNATURE}Tensor",
        reference=max_pool2d,
        cases=max_pool2d_cases,
        hidden_cases=window_hidden_cases,
        cost=max_cost,
        aten="aten.max_pool2d.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("pooling", "windows"),
        compare="exact",
        starters=starter.load("max_pool2d"),
    ),
    Op(
        slug="max_pool2d_with_indices",
        title="Max pooling 2D with indices",
        summary="The largest value under each window of an image, and where it was.",
        description=(
            f"{WHAT} The second output, int64, tells where in its channel (row * width + column) each maximum stands; of equal values the "
            "first counts, row by row. Training needs it for the gradient, and SegNet to put values back when it enlarges images again. "
            "The indices are twice as large as float32 values: writing them is most of the work."
        ),
        signature=f"max_pool2d_with_indices{SIGNATURE}(Tensor, Tensor)",
        reference=max_pool2d_with_indices,
        cases=with_indices_cases,
        hidden_cases=window_hidden_cases,
        cost=with_indices_cost,
        aten="aten.max_pool2d_with_indices.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("pooling", "windows", "several-outputs"),
        compare="exact",
        starters=starter.load("max_pool2d_with_indices"),
    ),
)
