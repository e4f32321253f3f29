"""Copies into another order of dimensions. Nothing is computed: every bit must arrive."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    padded,
    performance,
    permuted,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Argument, Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")


def transpose_copy(x: torch.Tensor, dim0: int, dim1: int) -> torch.Tensor:
    import torch

    return x.transpose(dim0, dim1).clone(memory_format=torch.contiguous_format)


def nchw_to_nhwc(x: torch.Tensor) -> torch.Tensor:
    import torch

    return x.permute(0, 2, 3, 1).clone(memory_format=torch.contiguous_format)


def split_heads(qkv: torch.Tensor, heads: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    import torch

    batch, steps, width = qkv.shape
    q, k, v = (
        part.reshape(batch, steps, heads, width // (3 * heads)).transpose(1, 2).clone(memory_format=torch.contiguous_format)
        for part in qkv.chunk(3, dim=-1)
    )
    return q, k, v


def stressed(device: str, *shape: int, **kwargs: Argument) -> list[Case]:
    """Cases of one tensor whose values are unusual, or in other dtypes."""
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("large", tensor(*shape, generator="large"), **kwargs),
        correctness("special_nan", tensor(*shape, generator="special_nan"), **kwargs),
        *(correctness(name, tensor(*shape, dtype=name), **kwargs) for name in halves),
    ]


def transpose_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 48), 0, 1),
        correctness("odd", tensor(67, 131), 1, 0),
        correctness("batch", tensor(3, 37, 53), -2, -1),
        correctness("batches", tensor(2, 3, 17, 29), 2, 3),
        correctness("first_and_last", tensor(5, 7, 11), 0, 2),
        correctness("middle", tensor(2, 13, 7, 5), dim0=1, dim1=2),
        correctness("narrow", tensor(3, 1021), 0, 1),
        correctness("tall", tensor(2039, 2), 1, 0),
        correctness("one_row", tensor(1, 257, 1, 3), 1, 3),
        correctness("empty", tensor(0, 5, 7), 1, 2),
        correctness("transposed", transposed(2, 37, 53), 1, 2),
        correctness("padded", padded(31, 45, 3), 0, 1),
        correctness("every_other", every_other(19, 31), 0, 1),
        *stressed(device, 2, 31, 65, dim0=-1, dim1=-2),
        *transpose_performance(device),
    ]


def transpose_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2_projection", "GPT-2 attention projection, a third of it", tensor(2304, 256), 0, 1),
            performance("gpt2_keys", "GPT-2 keys of 12 heads, 256 tokens", tensor(12, 256, 64), 1, 2),
        ]
    return [
        performance("gpt2_embedding", "GPT-2 token embedding", tensor(50257, 768), 0, 1),
        performance("gpt2_keys", "GPT-2 keys of 12 heads, batch 32", tensor(32, 12, 1024, 64), 2, 3),
        performance("llama3_8b_mlp_fp16", "Llama 3 8B, a matrix of the MLP", tensor(14336, 4096, dtype="float16"), 0, 1),
    ]


def transpose_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return [
        hidden("odd", tensor(2 * pick(1, 60) + 1, 2 * pick(1, 60) + 1), 0, 1),
        hidden("batches", tensor(pick(1, 3), pick(2, 4), pick(2, 33), pick(2, 40)), -1, -2),
        hidden("strided", permuted(pick(2, 9), pick(2, 33), pick(2, 40), order=(1, 0, 2)), 0, 2),
    ]


def nhwc_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(2, 16, 8, 12)),
        correctness("odd", tensor(3, 13, 7, 11)),
        correctness("photo", tensor(2, 3, 43, 37)),
        correctness("one_channel", tensor(3, 1, 31, 17)),
        correctness("many_channels", tensor(1, 523, 3, 5)),
        correctness("one_pixel", tensor(5, 67, 1, 1)),
        correctness("one_row", tensor(2, 7, 1, 101)),
        correctness("empty", tensor(0, 3, 9, 9)),
        correctness("channels_last", permuted(2, 5, 13, 11, order=(0, 2, 3, 1))),
        correctness("width_first", permuted(2, 5, 13, 11, order=(0, 1, 3, 2))),
        correctness("broadcast", tensor(3, 4, 13, 11, strides=(0, 143, 11, 1))),
        *stressed(device, 2, 5, 17, 19),
        *nhwc_performance(device),
    ]


def nhwc_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("photo", "One ImageNet photo", tensor(1, 3, 224, 224)),
            performance("resnet50_stem", "ResNet-50 stem, one image", tensor(1, 64, 112, 112)),
        ]
    return [
        performance("photos", "ImageNet photos, batch 256", tensor(256, 3, 224, 224)),
        performance("resnet50_stem", "ResNet-50 stem, batch 64", tensor(64, 64, 112, 112)),
        performance("sdxl_vae_fp16", "SDXL image decoder, last level, one image", tensor(1, 128, 1024, 1024, dtype="float16")),
    ]


def nhwc_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    return [
        hidden("odd", tensor(pick(1, 3), 2 * pick(1, 20) + 1, 2 * pick(1, 6) + 1, 2 * pick(1, 9) + 1)),
        hidden("strided", permuted(pick(2, 5), pick(2, 30), pick(2, 12), pick(2, 12), order=(1, 0, 2, 3))),
    ]


def split_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(2, 16, 192), 4),
        correctness("odd", tensor(3, 13, 3 * 5 * 7), 5),
        correctness("one_head", tensor(2, 31, 3 * 17), 1),
        correctness("narrow_heads", tensor(2, 11, 3 * 37), heads=37),
        correctness("one_step", tensor(5, 1, 3 * 6 * 11), 6),
        correctness("one_text", tensor(1, 67, 3 * 4 * 13), 4),
        correctness("wide_heads", tensor(1, 5, 3 * 3 * 256), 3),
        correctness("empty", tensor(2, 0, 36), 2),
        correctness("steps_first", permuted(3, 13, 3 * 4 * 10, order=(1, 0, 2)), 4),
        correctness("transposed", transposed(2, 17, 3 * 2 * 9), 2),
        correctness("padded", tensor(2, 19, 3 * 2 * 8, strides=(19 * 55, 55, 1)), 2),
        *stressed(device, 2, 17, 3 * 3 * 21, heads=3),
        *split_performance(device),
    ]


def split_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2", "GPT-2, 256 tokens", tensor(1, 256, 2304), 12),
            performance("vit_b", "ViT-B/16, 2 images", tensor(2, 197, 2304), 12),
        ]
    return [
        performance("gpt2", "GPT-2, batch 16", tensor(16, 1024, 2304), 12),
        performance("vit_l", "ViT-L/16, 64 images", tensor(64, 197, 3072), 16),
        performance("mpt_7b_fp16", "MPT 7B, batch 4, 2048 tokens", tensor(4, 2048, 12288, dtype="float16"), 32),
    ]


def split_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    heads, size = pick(2, 7), pick(3, 20)
    return [
        hidden("odd", tensor(pick(1, 3), 2 * pick(1, 15) + 1, 3 * heads * size), heads),
        hidden("steps_first", permuted(pick(2, 4), pick(2, 12), 3 * heads * size, order=(1, 0, 2)), heads),
    ]


def copy_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=0)


OPS: tuple[Op, ...] = (
    Op(
        slug="transpose_copy",
        title="Transpose",
        summary="Swaps two dimensions and writes the result as a contiguous tensor.",
        description=(
            "out is x with dimensions dim0 and dim1 swapped, in memory of its own. Models transpose weights when they load, keys before a "
            "product, and activations between layouts. Read row by row, the writes are scattered, and the other way round: a fast kernel "
            "moves square tiles through shared memory, so that both sides come in whole lines, and avoids conflicts of banks there."
        ),
        signature="transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
        reference=transpose_copy,
        cases=transpose_cases,
        hidden_cases=transpose_hidden_cases,
        cost=copy_cost,
        aten="aten.transpose_copy.int",
        suites=("core",),
        dtypes=DTYPES,
        tags=("layout",),
        compare="exact",
        starters=starter.load("transpose_copy"),
    ),
    Op(
        slug="nchw_to_nhwc",
        title="NCHW to NHWC",
        summary="Moves the channels of images behind their rows and columns.",
        description=(
            "x is (images, channels, rows, columns); out is a contiguous (images, rows, columns, channels) with out[n, h, w, c] = "
            "x[n, c, h, w]. Matrix units like channels last, while data and older models come with channels first. For many channels it is "
            "a transpose of each image; photos have three, and a tile that suits 512 wastes most of its threads on them."
        ),
        signature="nchw_to_nhwc(Tensor self) -> Tensor",
        reference=nchw_to_nhwc,
        cases=nhwc_cases,
        hidden_cases=nhwc_hidden_cases,
        cost=copy_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("layout",),
        compare="exact",
        starters=starter.load("nchw_to_nhwc"),
    ),
    Op(
        slug="split_heads",
        title="Split heads",
        summary="Cuts a packed projection into queries, keys and values, one matrix for each head.",
        description=(
            "qkv is (batch, steps, 3 * heads * size): for each step all queries, then all keys, then all values, head by head. The three "
            "outputs are contiguous (batch, heads, steps, size) tensors: q[b, h, s, d] = qkv[b, s, h * size + d], and k and v likewise, "
            "one and two thirds further on. Transformers with one matrix for all three (GPT-2, ViT, MPT) do it before attention. One "
            "kernel can write all three outputs while it reads the input once."
        ),
        signature="split_heads(Tensor qkv, int heads) -> (Tensor, Tensor, Tensor)",
        reference=split_heads,
        cases=split_cases,
        hidden_cases=split_hidden_cases,
        cost=copy_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("layout", "several-outputs", "attention"),
        compare="exact",
        starters=starter.load("split_heads"),
    ),
)
