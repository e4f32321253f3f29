"""The transpose of a convolution, which makes images larger. float32 means IEEE float32 products, not TF32."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import argument, correctness, cost, hidden, permuted, takes_bfloat16, tensor, transposed
from evaluator.ops.cases.windows import Sizes, overlaps, sizes
from evaluator.ops.definition import Case, Cost, Op
from evaluator.ops.families.convolutions import DTYPES, NO_TF32, Options, model

if typing.TYPE_CHECKING:
    import torch


def reference(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    output_padding: int | Sizes = 0,
    groups: int = 1,
    dilation: int | Sizes = 1,
) -> torch.Tensor:
    import torch

    return torch.conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation)


def cases(device: str) -> list[Case]:
    def half(dtype: str) -> Case:
        x, weight = tensor(2, 6, 7, 9, dtype=dtype), tensor(6, 10, 3, 4, dtype=dtype)
        return correctness(dtype, x, weight, tensor(10, dtype=dtype), stride=(2, 2), padding=(1, 0))

    return [
        correctness("plain", tensor(2, 5, 9, 7), tensor(5, 6, 3, 5), tensor(6)),
        correctness("no_bias", tensor(3, 4, 7, 11), tensor(4, 7, 5, 2)),
        correctness("stride", tensor(2, 3, 7, 9), tensor(3, 5, 3, 5), None, stride=(2, 3)),
        correctness("gaps", tensor(2, 3, 7, 5), tensor(3, 5, 2, 1), tensor(5), stride=(3, 4)),
        correctness("padding", tensor(2, 3, 8, 9), tensor(3, 5, 4, 5), tensor(5), padding=(1, 2)),
        correctness("output_padding", tensor(2, 3, 7, 5), tensor(3, 5, 3, 4), None, (2, 3), (0, 1), (1, 2)),
        correctness("dilation", tensor(2, 3, 7, 5), tensor(3, 5, 3, 2), tensor(5), dilation=(2, 5)),
        correctness("groups", tensor(2, 6, 7, 5), tensor(6, 2, 3, 4), bias=tensor(6), groups=3),
        correctness("all", tensor(3, 6, 5, 7), tensor(6, 4, 3, 2), tensor(8), (2, 3), (1, 2), (1, 0), 2, (3, 2)),
        correctness("doubled", tensor(1, 33, 13, 9), tensor(33, 17, 2, 2), tensor(17), stride=(2, 2)),
        correctness("one_pixel", tensor(3, 7, 1, 1), tensor(7, 11, 4, 3), tensor(11)),
        correctness("channels_last", permuted(2, 5, 7, 9, order=(0, 2, 3, 1)), tensor(5, 7, 3, 2), stride=(1, 2)),
        correctness("strided_weight", tensor(2, 5, 7, 9), transposed(5, 7, 3, 2), tensor(7)),
        correctness("large", tensor(2, 5, 7, 9, generator="large"), tensor(5, 7, 3, 2), stride=(2, 1)),
        half("float16"),
        *([half("bfloat16")] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    dcgan: Options = {"stride": (2, 2), "padding": (1, 1)}
    double: Options = {"stride": (2, 2)}
    if device == "cpu":
        return [
            model("dcgan", "DCGAN generator, fourth layer, one image", (1, 256, 16, 16), (256, 128, 4, 4), dcgan),
            model("unet_up", "U-Net, one step up, 32x32 pixels", (1, 128, 32, 32), (128, 64, 2, 2), double),
        ]
    return [
        model("dcgan", "DCGAN generator, third layer, batch 128", (128, 512, 8, 8), (512, 256, 4, 4), dcgan),
        model("unet_up", "U-Net, last step up, 4 images", (4, 128, 256, 256), (128, 64, 2, 2), double),
        model("sam_masks_fp16", "Segment Anything mask decoder, 64 prompts", (64, 256, 64, 64), (256, 64, 2, 2), double, "float16"),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    groups, channels, out = pick(1, 3), pick(1, 4), pick(1, 4)
    x, weight = tensor(pick(1, 3), groups * channels, pick(5, 8), pick(5, 8)), tensor(groups * channels, out, pick(1, 4), pick(1, 4))
    stride, padding, extra, dilation = (
        (pick(2, 3), pick(2, 3)),
        (pick(0, 2), pick(0, 2)),
        (pick(0, 1), pick(0, 1)),
        (pick(1, 2), pick(1, 2)),
    )
    many, few = 2 * pick(2, 25) + 1, pick(2, 9)
    return [
        hidden("options", x, weight, tensor(groups * out), stride, padding, extra, groups, dilation),
        hidden("channels_last", permuted(2, few, 7, 9, order=(0, 2, 3, 1)), tensor(few, many, 2, 2), stride=(2, 2)),
    ]


def least_cost(case: Case) -> Cost:
    x, weight = case.tensors[:2]
    stride, padding, extra, dilation = (
        sizes(case, position, name, 2, default)
        for position, name, default in ((3, "stride", 1), (4, "padding", 0), (5, "output_padding", 0), (7, "dilation", 1))
    )
    out: list[int] = []
    taps: list[int] = []
    for size, kernel, s, p, more, d in zip(x.shape[2:], weight.shape[2:], stride, padding, extra, dilation, strict=True):
        out.append((size - 1) * s - 2 * p + d * (kernel - 1) + more + 1)
        taps.append(overlaps(out[-1], kernel, size, s, p, d))
    groups = argument(case, 6, "groups", 1)
    channels = weight.shape[1] * (groups if isinstance(groups, int) else 1)
    products = x.shape[0] * x.shape[1] * weight.shape[1] * math.prod(taps)
    return cost(case, x.shape[0] * channels * math.prod(out), x.dtype, flops=2 * products)


OPS: tuple[Op, ...] = (
    Op(
        slug="conv_transpose2d",
        title="Transposed convolution 2D",
        summary="Spreads each pixel over a window of a larger image and adds up where windows overlap.",
        description=(
            "Pixel y, x of input channel c adds weight[c, o, i, j] times its value to pixel (y * stride - padding + i * dilation, the same "
            "for x) of output channel o; what falls outside is dropped, and `output_padding` makes room for more rows and columns at the "
            "end. The bias is added once. Decoders enlarge images with it (DCGAN, U-Net, the mask decoder of Segment Anything). Windows "
            "that overlap make many writers for one pixel: gathering from the output's side avoids that, but only one tap in "
            f"stride * stride then has work. {NO_TF32}"
        ),
        signature=(
            "conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, "
            "SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1) -> Tensor"
        ),
        reference=reference,
        cases=cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        aten="aten.conv_transpose2d.input",
        suites=("core",),
        dtypes=DTYPES,
        tags=("convolution", "matmul"),
        starters=starter.load("conv_transpose2d"),
    ),
)
