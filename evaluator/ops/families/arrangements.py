"""Copies that join, frame and shift tensors. Nothing is computed: every bit must arrive."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable, Sequence

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
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
from evaluator.ops.definition import Case, Cost, Op
from evaluator.ops.families.layouts import DTYPES, copy_cost, stressed

if typing.TYPE_CHECKING:
    import torch


def cat(tensors: Sequence[torch.Tensor], dim: int = 0) -> torch.Tensor:
    import torch

    return torch.cat(tuple(tensors), dim)


def pad(x: torch.Tensor, pad: Sequence[int], value: float = 0.0) -> torch.Tensor:
    import torch

    return torch.constant_pad_nd(x, tuple(pad), value)


def roll(x: torch.Tensor, shifts: Sequence[int], dims: Sequence[int]) -> torch.Tensor:
    import torch

    return torch.roll(x, tuple(shifts), tuple(dims))


def cat_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("plain", (tensor(16, 32), tensor(16, 32))),
        correctness("uneven", (tensor(7, 31), tensor(12, 31), tensor(1, 31))),
        correctness("last_dim", (tensor(13, 5), tensor(13, 18), tensor(13, 2)), -1),
        correctness("middle_dim", (tensor(3, 5, 7), tensor(3, 8, 7), tensor(3, 1, 7)), 1),
        correctness("negative_dim", (tensor(2, 3, 5, 7), tensor(2, 4, 5, 7)), dim=-3),
        correctness("vectors", (tensor(1021), tensor(1), tensor(517)), 0),
        correctness("six", tuple(tensor(3, 2 * n + 1, 11) for n in range(6)), 1),
        correctness("with_an_empty_one", (tensor(3, 5), tensor(3, 0), tensor(3, 4)), 1),
        correctness("empty", (tensor(0, 5), tensor(0, 3)), 1),
        correctness("transposed", (transposed(13, 29), tensor(13, 11)), 1),
        correctness("channels_last", (permuted(2, 5, 7, 9, order=(0, 2, 3, 1)), permuted(2, 3, 7, 9, order=(0, 2, 3, 1))), 1),
        correctness("broadcast", (tensor(5, 17, strides=(0, 1)), tensor(3, 17)), 0),
        correctness("integers", tuple(tensor(3, n, dtype="int64", generator="integers", low=-999, high=999) for n in (7, 4)), 1),
        correctness("large", (tensor(9, 33, generator="large"), tensor(9, 12)), 1),
        correctness("special_nan", (tensor(9, 33, generator="special_nan"), tensor(9, 12, generator="special_nan")), 1),
        *(correctness(name, (tensor(2, 13, 7, dtype=name), tensor(2, 4, 7, dtype=name)), 1) for name in halves),
        *cat_performance(device),
    ]


def cat_performance(device: str) -> list[Case]:
    def dense_block(images: int) -> tuple[typing.Any, ...]:
        return (tensor(images, 64, 56, 56), *(tensor(images, 32, 56, 56) for _ in range(5)))

    if device == "cpu":
        return [
            performance("densenet121", "DenseNet-121, end of the first block, one image", dense_block(1), 1),
            performance("unet_skip", "U-Net skip connection, 64x64 pixels", (tensor(1, 128, 64, 64), tensor(1, 128, 64, 64)), 1),
        ]
    return [
        performance("densenet121", "DenseNet-121, end of the first block, batch 64", dense_block(64), 1),
        performance("unet_skip", "U-Net skip connection, 4 images", (tensor(4, 128, 256, 256), tensor(4, 128, 256, 256)), 1),
        performance(
            "llama2_7b_cache_fp16",
            "Llama 2 7B, keys of 4 texts and of their next token",
            (tensor(4, 32, 4095, 128, dtype="float16"), tensor(4, 32, 1, 128, dtype="float16")),
            2,
        ),
    ]


def cat_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, depth = pick(1, 9), pick(2, 30)
    return [
        hidden("middle_dim", tuple(tensor(rows, pick(1, 20), depth) for _ in range(pick(2, 4))), 1),
        hidden("strided", (transposed(pick(2, 30), depth), tensor(pick(2, 30), depth)), 0),
    ]


def cat_cost(case: Case) -> Cost:
    return cost(case, sum(elements(spec) for spec in case.tensors), case.tensors[0].dtype, flops=0)


def pad_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(2, 3, 16, 16), (1, 1, 1, 1)),
        correctness("uneven", tensor(3, 13, 11), (1, 4, 3, 0), 2.5),
        correctness("last_dim", tensor(17, 29), (3, 0), value=-1.0),
        correctness("all_dims", tensor(3, 5, 7), (1, 2, 0, 3, 2, 1), 0.75),
        correctness("first_dim", tensor(5, 7, 3), (0, 0, 0, 0, 4, 1), value=1.5),
        correctness("vector", tensor(1021), (7, 31), -3.0),
        correctness("crop", tensor(3, 19, 23), (-2, -5, -3, -1)),
        correctness("crop_and_frame", tensor(3, 19, 23), (-4, 6, 5, -2), 7.0),
        correctness("minus_infinity", tensor(2, 9, 13), (0, 3), -math.inf),
        correctness("of_nothing", tensor(3, 0, 5), (1, 2, 2, 1), 1.25),
        correctness("one_element", tensor(1, 1), (2, 3, 1, 0), 4.0),
        correctness("transposed", transposed(2, 19, 31), (1, 2, 3, 4), 0.5),
        correctness("channels_last", permuted(2, 5, 7, 9, order=(0, 2, 3, 1)), (1, 0, 0, 2)),
        correctness("integers", tensor(5, 37, dtype="int64", generator="integers", low=0, high=50257), (0, 11), 50256),
        *stressed(device, 2, 31, 19, pad=(2, 3, 1, 0), value=-0.5),
        *pad_performance(device),
    ]


def pad_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("resnet50_stem", "A photo framed for ResNet-50's stem", tensor(1, 3, 224, 224), (3, 3, 3, 3)),
            performance("swin_windows", "Swin-T, 50x76 tokens filled up to windows of 7", tensor(1, 50, 76, 96), (0, 0, 0, 1, 0, 6)),
        ]
    past = tensor(1, 128, 16, 240, 416, dtype="float16")
    return [
        performance("swin_windows", "Swin-T detector, first stage, 8 images of 800x1216", tensor(8, 200, 304, 96), (0, 0, 0, 4, 0, 3)),
        performance("sdxl_vae_fp16", "SDXL image encoder, before a halving", tensor(1, 128, 1024, 1024, dtype="float16"), (0, 1, 0, 1)),
        performance("cogvideox_fp16", "CogVideoX video decoder, frames before a causal convolution", past, (1, 1, 1, 1, 2, 0)),
    ]


def pad_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    amounts = (pick(-2, 5), pick(0, 5), pick(-2, 5), pick(1, 5))
    return [
        hidden("odd", tensor(pick(1, 4), 2 * pick(3, 20) + 1, 2 * pick(3, 30) + 1), amounts, float(pick(1, 9))),
        hidden("strided", transposed(pick(2, 4), pick(3, 30), pick(3, 30)), amounts, value=-float(pick(1, 9))),
    ]


def pad_cost(case: Case) -> Cost:
    """What is cropped need not be read."""
    x, amounts = first_tensor(case), argument(case, 1, "pad")
    before_after = [n for n in amounts if isinstance(n, int)] if isinstance(amounts, tuple) else []
    kept, out = list(x.shape), list(x.shape)
    for place in range(0, len(before_after), 2):
        dim, (before, after) = len(out) - 1 - place // 2, before_after[place : place + 2]
        out[dim] += before + after
        kept[dim] += min(before, 0) + min(after, 0)
    return Cost(math.prod(kept) * ITEM_BYTES[x.dtype], math.prod(out) * ITEM_BYTES[x.dtype], 0)


def roll_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(32, 48), (3,), (1,)),
        correctness("odd", tensor(13, 17, 11), (5, -4), (0, 2)),
        correctness("first_dim", tensor(67, 29), (-1,), (0,)),
        correctness("last_dim", tensor(3, 5, 101), (37,), (-1,)),
        correctness("windows", tensor(2, 14, 14, 5), (-3, -3), (1, 2)),
        correctness("all_dims", tensor(5, 7, 11), (1, 2, 3), (0, 1, 2)),
        correctness("more_than_once_around", tensor(9, 31), (100, -75), (1, 0)),
        correctness("dims_in_any_order", tensor(3, 13, 11), shifts=(4, 1), dims=(2, 1)),
        correctness("vector", tensor(1021), (509,), (0,)),
        correctness("one_row", tensor(1, 131, 3), (17,), (1,)),
        correctness("half", tensor(3, 2, 38), (19, 1), (2, 1)),
        correctness("empty", tensor(0, 5), (2,), (1,)),
        correctness("transposed", transposed(2, 19, 31), (7, 2), (1, 2)),
        correctness("broadcast", tensor(5, 17, strides=(0, 1)), (6,), (1,)),
        *stressed(device, 2, 31, 19, shifts=(5, -2), dims=(1, 2)),
        *roll_performance(device),
    ]


def roll_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("swin_t_first", "Swin-T first stage, 2 images", tensor(2, 56, 56, 96), (-3, -3), (1, 2)),
            performance("swin_t_second", "Swin-T second stage, 2 images", tensor(2, 28, 28, 192), (-3, -3), (1, 2)),
        ]
    return [
        performance("swin_t", "Swin-T first stage, batch 128", tensor(128, 56, 56, 96), (-3, -3), (1, 2)),
        performance(
            "swin_b_384_fp16", "Swin-B for 384x384, first stage, batch 64", tensor(64, 96, 96, 128, dtype="float16"), (-6, -6), (1, 2)
        ),
    ]


def roll_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    shape = (pick(1, 3), 2 * pick(3, 15) + 1, 2 * pick(3, 15) + 1, pick(1, 9))
    return [
        hidden("odd", tensor(*shape), (pick(1, 6), -pick(1, 6)), (1, 2)),
        hidden("strided", permuted(*shape, order=(0, 3, 1, 2)), (pick(1, 6), pick(1, 6)), (2, 1)),
    ]


OPS: tuple[Op, ...] = (
    Op(
        slug="cat",
        title="Concatenation",
        summary="Joins tensors along one dimension.",
        description=(
            "The tensors agree in every size but that of `dim`; out holds them one after the other along it. U-Nets join what they stored "
            "on the way down, DenseNet all layers of a block, and caches the new token's keys. It is several copies, each into a slice of "
            "out: one kernel for all of them, with wide loads where the pieces allow it, is what is hard."
        ),
        signature="cat(Tensor[] tensors, int dim=0) -> Tensor",
        reference=cat,
        cases=cat_cases,
        hidden_cases=cat_hidden_cases,
        cost=cat_cost,
        aten="aten.cat.default",
        suites=("core",),
        dtypes=(*DTYPES, "int64"),
        tags=("layout", "several-inputs"),
        compare="exact",
        starters=starter.load("cat"),
    ),
    Op(
        slug="pad",
        title="Constant padding",
        summary="Puts a frame of one value around a tensor, or cuts its edges off.",
        description=(
            "`pad` holds two amounts for each dimension, from the last one backwards: how many elements to add before and after. Negative "
            "amounts cut off instead. What is added holds `value`. Models frame images before convolutions, fill token grids up to whole "
            "windows, and put past frames before causal convolutions. Odd offsets break the alignment of wide loads or of wide stores."
        ),
        signature="pad(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
        reference=pad,
        cases=pad_cases,
        hidden_cases=pad_hidden_cases,
        cost=pad_cost,
        aten="aten.constant_pad_nd.default",
        suites=("core",),
        dtypes=(*DTYPES, "int64"),
        tags=("layout",),
        compare="exact",
        starters=starter.load("pad"),
    ),
    Op(
        slug="roll",
        title="Roll",
        summary="Shifts a tensor along some dimensions; what falls off one end comes back at the other.",
        description=(
            "out[(i + shift) mod n] = x[i] along each dimension of `dims`, by the shift at the same place of `shifts`, which may be "
            "negative or longer than the dimension. Swin transformers shift token grids by half a window in every other layer. Both sides "
            "of the seam must be copied in one go, with as few divisions for each element as possible."
        ),
        signature="roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
        reference=roll,
        cases=roll_cases,
        hidden_cases=roll_hidden_cases,
        cost=copy_cost,
        aten="aten.roll.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("layout",),
        compare="exact",
        starters=starter.load("roll"),
    ),
)
