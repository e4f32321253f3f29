"""Reductions that select or ask instead of adding: maxima, where they are, and whether anything is set."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    input_bytes,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases import rowwise
from evaluator.ops.cases.rowwise import Pick, kept_elements, plainly
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
HALF_OF_SMALLEST_FLOAT16 = 2.0**-25
"""float16 rounds what is no larger to zero. `normal` reaches 3.4641 standard deviations, the last of them rarely."""


def amax_reference(x: torch.Tensor, dim: tuple[int, ...] = (), keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.amax(x, dim=dim, keepdim=keepdim)


def amax_cases(device: str) -> list[Case]:
    return [
        *rowwise.reductions(device, plainly),
        correctness("default", tensor(31, 33)),
        correctness("negative", tensor(17, 67, generator="uniform", low=-9.0, high=-1.0), (1,)),
        correctness("nan", tensor(67, 7, generator="special_nan"), (1,)),
        *amax_performance(device),
    ]


def amax_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x16384", "OPT-6.7B MLP scales, 128 tokens", tensor(128, 16384), (1,)),
            performance("64x50257", "GPT-2 vocabulary, 64 tokens", tensor(64, 50257), (-1,), True),
        ]
    return [
        performance("pointnet_pool", "PointNet, 1024 features of 1024 points, batch 32", tensor(32, 1024, 1024), (2,)),
        performance("opt_6_7b_scales", "OPT-6.7B MLP scales of channels, 4096 tokens", tensor(4096, 16384), (0,)),
        performance("llama3_8b_scales_fp16", "Llama 3 8B MLP scales, 8192 tokens", tensor(8192, 14336, dtype="float16"), (-1,), True),
    ]


def amax_hidden(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_reductions(pick, plainly)


def amax_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, kept_elements(case), x.dtype, flops=elements(x))


def argmax_reference(x: torch.Tensor, dim: int | None = None, keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.argmax(x, dim=dim, keepdim=keepdim)


def only_dim(x: TensorSpec, dim: int) -> tuple[Argument, ...]:
    return x, dim


def argmax_cases(device: str) -> list[Case]:
    return [
        *rowwise.along(device, only_dim),
        correctness("transposed_whole", transposed(37, 53)),
        correctness("keepdim", tensor(7, 65, 3), 1, True),
        correctness("ties", tensor(65, 129, generator="integers", low=-3, high=3), 1),
        correctness("nan", tensor(67, 33, generator="special_nan"), 1),
        *argmax_performance(device),
    ]


def argmax_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("64x50257", "GPT-2 vocabulary, greedy, 64 tokens", tensor(64, 50257), -1),
            performance("imagenet", "ImageNet classes, batch 256", tensor(256, 1000), 1),
        ]
    return [
        performance("gpt2_vocabulary", "GPT-2 vocabulary, greedy, 1024 tokens", tensor(1024, 50257), -1),
        performance("deeplab_classes", "DeepLab on Cityscapes, 19 classes, one image", tensor(1, 19, 1024, 2048), 1),
        performance("llama3_vocabulary_fp16", "Llama 3 vocabulary, greedy, 256 tokens", tensor(256, 128256, dtype="float16"), -1),
    ]


def argmax_hidden(pick: Pick, device: str) -> list[Case]:
    ties = tensor(pick(2, 24), 2 * pick(30, 400) + 1, generator="integers", low=-4, high=4)
    return [*rowwise.hidden_along(pick, only_dim), hidden("ties", ties, 1)]


def index_cost(case: Case) -> Cost:
    return Cost(input_bytes(case), kept_elements(case) * ITEM_BYTES["int64"], elements(first_tensor(case)))


def any_reference(x: torch.Tensor, dim: int, keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.any(x, dim=dim, keepdim=keepdim)


def rare(*shape: int, share: float) -> TensorSpec:
    """A float16 tensor of zeros with a small share of the smallest numbers that float16 has, so that rows of them are mixed.

    A `normal` value is a sum of four uniforms: both tails of width d, in uniforms, hold d⁴ / 12 of them.
    """
    tail = (12 * share) ** 0.25
    deviations = (2 - tail) * 3**0.5
    return tensor(*shape, dtype="float16", high=HALF_OF_SMALLEST_FLOAT16 / deviations)


def any_cases(device: str) -> list[Case]:
    bfloat16 = tensor(65, 9, dtype="bfloat16", generator="sparse")
    return [
        correctness("bool", tensor(129, 2, dtype="bool"), 1),
        correctness("bool_columns", tensor(3, 257, dtype="bool"), 0),
        correctness("bool_transposed", TensorSpec((131, 3), "bool", strides=(1, 131)), -1),
        correctness("plain", tensor(1021, 9, generator="sparse"), 1),
        correctness("middle_keepdim", tensor(13, 7, 33, generator="sparse"), 1, True),
        correctness("first_dim", tensor(5, 129, generator="sparse"), 0),
        correctness("small_numbers", tensor(129, 5, generator="sparse", high=1e-12), 1),
        correctness("every_other", TensorSpec((65, 7), "float32", "sparse", strides=(14, 2)), 1),
        correctness("nothing", tensor(9, 0, dtype="bool"), 1),
        correctness("infinite_or_nan", tensor(129, 1, generator="special_nan"), 1),
        correctness("long_rows", rare(17, 1021, share=1 / 1021), 1),
        correctness("long_columns", rare(1021, 17, share=1 / 1021), 0),
        correctness("three_rows", rare(3, 4099, share=1 / 4099), 1),
        *([correctness("bfloat16", bfloat16, 1)] if takes_bfloat16(device) else []),
        *any_performance(device),
    ]


def any_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("256x4096_fp16", "OPT-6.7B gradients near underflow, 256 rows", rare(256, 4096, share=1 / 4096), 1),
            performance("8192x256_fp16", "OPT-6.7B gradients near underflow, 256 columns", rare(8192, 256, share=1 / 8192), 0),
        ]
    return [
        performance("llama3_8b_rows_fp16", "Llama 3 8B MLP gradient near underflow, rows", rare(14336, 4096, share=1 / 4096), 1),
        performance("llama3_8b_columns_fp16", "Llama 3 8B MLP gradient near underflow, columns", rare(14336, 4096, share=1 / 14336), 0),
        performance("mixtral_gates", "Mixtral 8x7B gates, 2097152 tokens", tensor(8, 2097152, generator="sparse"), 0),
    ]


def any_hidden(pick: Pick, device: str) -> list[Case]:
    columns = 2 * pick(100, 600) + 1
    return [
        hidden("rows", rare(pick(9, 15), columns, share=1 / columns), 1),
        hidden("columns", tensor(2 * pick(2, 6) + 1, pick(30, 300), generator="sparse"), 0, True),
        hidden("bool", tensor(pick(30, 300), pick(2, 3), dtype="bool"), -1),
    ]


def any_cost(case: Case) -> Cost:
    """A lane may stop at its first hit: the first element of each is sure to be read."""
    x = first_tensor(case)
    sure = kept_elements(case) * ITEM_BYTES[x.dtype]
    return Cost(input_bytes(case), kept_elements(case) * ITEM_BYTES["bool"], elements(x), min(sure, input_bytes(case)))


OPS: tuple[Op, ...] = (
    Op(
        slug="amax",
        title="Maximum",
        summary="The largest element along one or more dimensions.",
        description=(
            "The largest of all elements that differ only in the reduced dimensions; a NaN among them gives NaN. Quantisation scales by "
            "it, point clouds and texts are pooled by it, a softmax begins with it. Nothing is rounded, so the output must be one of the "
            "elements, bit by bit but for the sign of zero. Memory sets the pace; the usual max instructions drop NaN, which has to be "
            "looked for apart."
        ),
        signature="amax(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor",
        reference=amax_reference,
        cases=amax_cases,
        hidden_cases=amax_hidden,
        cost=amax_cost,
        aten="aten.amax.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "selection"),
        compare="exact",
        starters=starter.load("amax"),
    ),
    Op(
        slug="argmax",
        title="Argmax",
        summary="Where the largest element along a dimension is: the first place, where there are several.",
        description=(
            "The index of the largest element along a dimension, or in the tensor read row by row when there is no `dim`. Greedy "
            "decoding picks the next token so, classifiers the class. Of equal elements the first counts, as torch documents for argmax "
            "and does on CPU and CUDA alike; so answers are compared exactly. The first NaN counts as the largest. The index has to "
            "travel with the value through the whole reduction, and ties have to be broken by it."
        ),
        signature="argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
        reference=argmax_reference,
        cases=argmax_cases,
        hidden_cases=argmax_hidden,
        cost=index_cost,
        aten="aten.argmax.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "selection", "index"),
        compare="exact",
        starters=starter.load("argmax"),
    ),
    Op(
        slug="any",
        title="Any",
        summary="Whether any element along a dimension is not zero.",
        description=(
            "True where at least one element along the dimension is not zero; NaN and the smallest subnormal number are not zero, of "
            "nothing none is. It finds tokens that a mask leaves nothing of, experts that nobody chose, gradients that have vanished. A "
            "row can stop at the first hit, so the least work depends on the data; short rows and strided columns decide how much of "
            "each memory line is used."
        ),
        signature="any(Tensor self, int dim, bool keepdim=False) -> Tensor",
        reference=any_reference,
        cases=any_cases,
        hidden_cases=any_hidden,
        cost=any_cost,
        aten="aten.any.dim",
        suites=("core",),
        dtypes=(*DTYPES, "bool"),
        tags=("reduction", "selection", "bool-output"),
        compare="exact",
        starters=starter.load("any"),
    ),
)
