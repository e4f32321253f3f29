"""Convolutions over one, two and three dimensions. float32 means IEEE float32 products, not TF32."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, cost, hidden, performance, permuted, takes_bfloat16, tensor, transposed
from evaluator.ops.cases.windows import Sizes, windows
from evaluator.ops.definition import Argument, Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

NO_TF32 = (
    "float32 means IEEE float32 products: on a GPU torch's own convolution takes TF32 unless torch.backends.cudnn.allow_tf32 is False, "
    "and would be wrong here. The output is contiguous, whatever the memory format of the input."
)
DTYPES = ("float32", "float16", "bfloat16")


def conv1d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    import torch

    return torch.conv1d(x, weight, bias, stride, padding, dilation, groups)


def conv2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    import torch

    return torch.conv2d(x, weight, bias, stride, padding, dilation, groups)


def conv3d(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sizes = 1,
    padding: int | Sizes = 0,
    dilation: int | Sizes = 1,
    groups: int = 1,
) -> torch.Tensor:
    import torch

    return torch.conv3d(x, weight, bias, stride, padding, dilation, groups)


@dataclass(frozen=True, slots=True)
class Sample:
    """Odd sizes for convolutions of one rank: no two dimensions are treated alike."""

    size: Sizes
    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    channels_last: Sizes


SAMPLES = {
    1: Sample((67,), (3,), (3,), (2,), (5,), (0, 2, 1)),
    2: Sample((13, 11), (3, 5), (2, 3), (1, 2), (3, 2), (0, 2, 3, 1)),
    3: Sample((5, 7, 6), (2, 3, 3), (2, 1, 3), (1, 0, 2), (2, 3, 2), (0, 2, 3, 4, 1)),
}


def correctness_cases(rank: int, device: str) -> list[Case]:
    s = SAMPLES[rank]

    def half(dtype: str) -> Case:
        x, weight = tensor(2, 6, *s.size, dtype=dtype), tensor(10, 6, *s.kernel, dtype=dtype)
        return correctness(dtype, x, weight, tensor(10, dtype=dtype), padding=s.padding)

    return [
        correctness("plain", tensor(2, 5, *s.size), tensor(7, 5, *s.kernel), tensor(7)),
        correctness("no_bias", tensor(3, 4, *s.size), tensor(6, 4, *s.kernel)),
        correctness("padding", tensor(2, 3, *s.size), tensor(5, 3, *s.kernel), tensor(5), padding=s.padding),
        correctness("stride", tensor(2, 3, *s.size), tensor(5, 3, *s.kernel), None, stride=s.stride),
        correctness("dilation", tensor(2, 3, *s.size), tensor(5, 3, *s.kernel), tensor(5), dilation=s.dilation),
        correctness("groups", tensor(2, 6, *s.size), tensor(9, 2, *s.kernel), bias=tensor(9), groups=3),
        correctness("all", tensor(3, 6, *s.size), tensor(8, 3, *s.kernel), tensor(8), s.stride, s.padding, s.dilation, 2),
        correctness("one_place", tensor(3, 5, *s.kernel), tensor(11, 5, *s.kernel), tensor(11)),
        correctness("one_tap", tensor(1, 7, *s.size), tensor(5, 7, *(1,) * rank), tensor(5)),
        correctness("many_channels", tensor(1, 67, *s.size), tensor(3, 67, *s.kernel), padding=s.padding),
        correctness("channels_last", permuted(2, 5, *s.size, order=s.channels_last), tensor(7, 5, *s.kernel), padding=s.padding),
        correctness("strided_weight", tensor(2, 5, *s.size), transposed(7, 5, *s.kernel), tensor(7)),
        correctness("large", tensor(2, 5, *s.size, generator="large"), tensor(7, 5, *s.kernel)),
        half("float16"),
        *([half("bfloat16")] if takes_bfloat16(device) else []),
    ]


def hidden_cases(rank: int, pick: Callable[[int, int], int]) -> list[Case]:
    s = SAMPLES[rank]

    def draw(low: int, high: int) -> Sizes:
        return tuple(pick(low, high) for _ in range(rank))

    groups, channels, out = pick(1, 3), pick(1, 4), pick(1, 4)
    many, few = 2 * pick(2, 30) + 1, pick(2, 9)
    x, weight = tensor(pick(1, 3), groups * channels, *draw(7, 9)), tensor(groups * out, channels, *draw(1, 4))
    return [
        hidden("options", x, weight, tensor(groups * out), draw(1, 3), draw(0, 2), draw(1, 2), groups),
        hidden("channels_last", permuted(2, few, *s.size, order=s.channels_last), tensor(many, few, *s.kernel), padding=s.padding),
        hidden("many_channels", tensor(1, many, *s.size), tensor(few, many, *s.kernel), tensor(few), stride=s.stride),
    ]


Options = Mapping[str, Argument]


def model(name: str, source: str, x: Sizes, weight: Sizes, options: Options, dtype: str = "float32", bias: bool = False) -> Case:
    """A performance case, with a bias where the model has one."""
    added = tensor(weight[0], dtype=dtype) if bias else None
    return performance(name, source, tensor(*x, dtype=dtype), tensor(*weight, dtype=dtype), added, **options)


def conv1d_performance(device: str) -> list[Case]:
    first: Options = {"padding": (1,)}
    second: Options = {"stride": (2,), "padding": (1,)}
    if device == "cpu":
        return [
            model("whisper_tiny_first", "Whisper tiny, first layer, 10 s", (1, 80, 1000), (384, 80, 3), first, bias=True),
            model("whisper_tiny_second", "Whisper tiny, second layer, 5 s", (1, 384, 500), (384, 384, 3), second, bias=True),
        ]
    positions: Options = {"padding": (64,), "groups": 16}
    return [
        model("wav2vec2_features", "wav2vec 2.0 base, second layer, 8 clips of 5 s", (8, 512, 15999), (512, 512, 3), {"stride": (2,)}),
        model("wav2vec2_positions", "wav2vec 2.0 base, positions, 16 clips of 10 s", (16, 768, 499), (768, 48, 128), positions, bias=True),
        model(
            "whisper_large_fp16", "Whisper large, second layer, 8 clips of 30 s", (8, 1280, 3000), (1280, 1280, 3), second, "float16", True
        ),
    ]


def conv2d_performance(device: str) -> list[Case]:
    stem: Options = {"stride": (2, 2), "padding": (3, 3)}
    same: Options = {"padding": (1, 1)}
    if device == "cpu":
        return [
            model("resnet50_stem", "ResNet-50 stem, one image", (1, 3, 224, 224), (64, 3, 7, 7), stem),
            model("resnet18_3x3", "ResNet-18 first stage, one image", (1, 64, 56, 56), (64, 64, 3, 3), same),
        ]
    # No float32 case of 3x3 taps at stride 1: Winograd's algorithm needs fewer FLOPs than `least_cost` counts.
    return [
        model("resnet50_stem", "ResNet-50 stem, batch 128", (128, 3, 224, 224), (64, 3, 7, 7), stem),
        model("resnet50_3x3_fp16", "ResNet-50 second stage, batch 128", (128, 128, 28, 28), (128, 128, 3, 3), same, "float16"),
        model("sdxl_fp16", "SDXL U-Net, first level, 2 images", (2, 320, 128, 128), (320, 320, 3, 3), same, "float16", bias=True),
    ]


def conv3d_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            model(
                "videomae_s", "VideoMAE-S patches, 2 frames", (1, 3, 2, 224, 224), (384, 3, 2, 16, 16), {"stride": (2, 16, 16)}, bias=True
            ),
            model("r3d18", "R3D-18 first stage, 2 frames of 14x14", (1, 64, 2, 14, 14), (64, 64, 3, 3, 3), {"padding": (1, 1, 1)}),
        ]
    stem: Options = {"stride": (1, 2, 2), "padding": (1, 3, 3)}
    patches: Options = {"stride": (2, 14, 14)}
    decoder = "Wan 2.1 video decoder, middle block, 3 frames of 480p"
    return [
        model("r3d18_stem", "R3D-18 stem, 8 clips of 16 frames", (8, 3, 16, 112, 112), (64, 3, 3, 7, 7), stem),
        model("qwen2_vl_patches_fp16", "Qwen2-VL, 8192 patches", (8192, 3, 2, 14, 14), (1280, 3, 2, 14, 14), patches, "float16"),
        model("wan_vae_fp16", decoder, (1, 384, 5, 60, 104), (384, 384, 3, 3, 3), {"padding": (0, 1, 1)}, "float16", bias=True),
    ]


def least_cost(case: Case) -> Cost:
    x, weight = case.tensors[:2]
    moved = windows(case, x.shape[2:], weight.shape[2:])
    out = x.shape[0] * weight.shape[0]
    products = out * weight.shape[1] * math.prod(window.taps for window in moved)
    return cost(case, out * math.prod(window.places for window in moved), x.dtype, flops=2 * products)


def _op(rank: int, reference: Callable[..., torch.Tensor], performance_cases: Callable[[str], list[Case]], text: str) -> Op:
    slug = f"conv{rank}d"
    return Op(
        slug=slug,
        title=f"Convolution {rank}D",
        summary=f"Slides filters over {('', 'one dimension', 'two dimensions', 'three dimensions')[rank]} of each sample.",
        description=f"{text} {NO_TF32}",
        signature=(
            f"{slug}(Tensor input, Tensor weight, Tensor? bias=None, SymInt[{rank}] stride=1, SymInt[{rank}] padding=0, "
            f"SymInt[{rank}] dilation=1, SymInt groups=1) -> Tensor"
        ),
        reference=reference,
        cases=lambda device: [*correctness_cases(rank, device), *performance_cases(device)],
        hidden_cases=lambda pick, device: hidden_cases(rank, pick),
        cost=least_cost,
        aten=f"aten.{slug}.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("convolution", "matmul"),
        starters=starter.load(slug),
    )


OPS: tuple[Op, ...] = (
    _op(
        1,
        conv1d,
        conv1d_performance,
        "Each output channel at place p is bias + the sum, over the input channels c of its group and the taps t, of "
        "weight[c, t] * x[c, p * stride - padding + t * dilation]; x is zero outside. Speech models (wav2vec 2.0, Whisper) begin with such "
        "layers. The work is a matrix product whose left matrix is never stored: gathering it well is what is hard.",
    ),
    _op(
        2,
        conv2d,
        conv2d_performance,
        "Each output pixel is bias + the sum, over the input channels of its group and the taps of a window, of weight * x; the window "
        "moves by `stride`, its taps lie `dilation` apart, and x is zero in the `padding`. It is most of the work of image models "
        "(ResNet, the U-Nets of diffusion models). A fast kernel treats it as a matrix product whose left matrix is gathered on the way "
        "in, and picks tiles for few channels as well as for many.",
    ),
    _op(
        3,
        conv3d,
        conv3d_performance,
        "As conv2d, over depth (frames), height and width. Video models (R3D, the decoders of video diffusion) use small windows; "
        "vision transformers for video cut their patches with windows that do not overlap. Windows are long sums over memory that lies "
        "far apart, so most of the art is in reading x once.",
    ),
)
