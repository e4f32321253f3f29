"""Running sums and counts: cumsum, histogram."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    argument,
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases.indices import indices
from evaluator.ops.definition import Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def cumsum(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    return torch.cumsum(x, dim)


def cumsum_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), -1),
        correctness("odd", tensor(17, 67), 1),
        correctness("first_dim", tensor(67, 17), 0),
        correctness("middle_dim", tensor(3, 41, 5), 1),
        correctness("vector", tensor(4099), 0),
        correctness("long_row", tensor(2, 9001), -1),
        correctness("one_row", tensor(1, 1021), -1),
        correctness("one_column", tensor(9, 1), 1),
        correctness("no_row", tensor(0, 7), 1),
        correctness("positive", tensor(15, 513, generator="uniform", low=0.0, high=1.0), -1),
        correctness("int64", indices(13, 129, below=2, dtype="int64"), -1),
        correctness("transposed", transposed(19, 37), -1),
        correctness("every_other", every_other(13, 31), 0),
        correctness("large", tensor(15, 255, generator="large"), -1),
        correctness("sparse", tensor(15, 255, generator="sparse"), -1),
        correctness("float16", tensor(15, 257, dtype="float16"), -1),
        *([correctness("bfloat16", tensor(15, 257, dtype="bfloat16"), 0)] if takes_bfloat16(device) else []),
        *cumsum_performance(device),
    ]


def probabilities(*shape: int, dtype: str = "float32") -> TensorSpec:
    """Numbers that sum to about 1 along the last dimension."""
    return tensor(*shape, dtype=dtype, generator="uniform", low=0.0, high=2.0 / shape[-1])


def cumsum_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2_vocabulary", "GPT-2 vocabulary, top-p sampling, 8 requests", probabilities(8, 50257), -1),
            performance("gla_gates", "GLA gates of 4 heads, 256 tokens", tensor(4, 256, 128, generator="uniform", low=-1.0, high=0.0), 1),
        ]
    return [
        performance("llama3_vocabulary", "Llama 3 vocabulary, top-p sampling, 64 requests", probabilities(64, 128256), -1),
        performance(
            "gla_gates_fp16",
            "GLA 1.3B gates of 4 heads, batch 8 of 2048 tokens",
            tensor(8, 4, 2048, 256, dtype="float16", generator="uniform", low=-0.02, high=0.0),
            -2,
        ),
        performance(
            "mamba2_decays",
            "Mamba-2 2.7B decays of 80 heads, 8 × 32 chunks of 256",
            tensor(8, 32, 80, 256, generator="uniform", low=-1.0, high=0.0),
            -1,
        ),
    ]


def cumsum_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 20), 2 * pick(1, 400) + 1
    return [
        hidden("odd", tensor(rows, columns), -1),
        hidden("first_dim", transposed(2 * pick(10, 200) + 1, pick(2, 20)), 0),
        hidden("middle_dim", tensor(pick(2, 5), columns, pick(2, 5)), 1),
    ]


def cumsum_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=elements(x))


def histogram(x: torch.Tensor, bins: int) -> torch.Tensor:
    import torch

    counts = torch.zeros(bins, dtype=torch.int64, device=x.device)
    places = x.reshape(-1).to(torch.int64)
    return counts.scatter_add_(0, places, torch.ones_like(places))


def histogram_cases(device: str) -> list[Case]:
    return [
        correctness("plain", indices(4096, below=64), 64),
        correctness("odd", indices(33, 67, below=19), 19),
        correctness("int32", indices(4099, below=257, dtype="int32"), 257),
        correctness("one_bin", indices(1021, below=1), 1),
        correctness("two_bins", indices(5, 7, 129, below=2), 2),
        correctness("one_value", indices(1, below=31), 31),
        correctness("scalar", indices(below=31), 31),
        correctness("no_value", indices(0, below=7), 7),
        correctness("more_bins_than_values", indices(53, below=5003), 5003),
        correctness("empty_bins", indices(513, below=11), 41),
        correctness("only_the_last_bins", tensor(513, dtype="int32", generator="integers", low=30, high=41), 41),
        correctness("sorted", tensor(2049, dtype="int64", generator="ascending", low=0, high=36), 37),
        correctness("transposed", indices(37, 53, below=101, strides=(1, 37)), 101),
        correctness("every_other", indices(19, 31, below=23, dtype="int32", strides=(62, 2)), 23),
        correctness("repeated_rows", indices(29, 47, below=13, strides=(0, 1)), 13),
        *histogram_performance(device),
    ]


def histogram_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("deepseek_v2_lite", "DeepSeek-V2-Lite tokens of 64 experts, 2048 tokens", indices(2048, 6, below=64), 64),
            performance("image", "Values of an image of ImageNet's size", indices(3, 224, 224, below=256, dtype="int32"), 256),
        ]
    return [
        performance("deepseek_v3", "DeepSeek-V3 tokens of 256 experts, 65536 tokens", indices(65536, 8, below=256), 256),
        performance("llama3_vocabulary", "Llama 3 vocabulary, counts of 16 million tokens", indices(16384, 1024, below=128256), 128256),
        performance("images", "Values of 256 images of ImageNet's size", indices(256, 3, 224, 224, below=256, dtype="int32"), 256),
    ]


def histogram_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    bins, rows, columns = pick(2, 300), pick(2, 60), 2 * pick(1, 90) + 1
    return [
        hidden("odd", indices(rows, columns, below=bins), bins),
        hidden("int32", indices(columns, below=bins, dtype="int32"), bins + pick(0, 50)),
    ]


def histogram_cost(case: Case) -> Cost:
    return cost(case, typing.cast("int", argument(case, 1, "bins")), "int64", flops=elements(first_tensor(case)))


OPS: tuple[Op, ...] = (
    Op(
        slug="cumsum",
        title="Cumulative sum",
        summary="Running sums along one dimension.",
        description=(
            "out[i] = x[0] + ... + x[i] along dim. Sampling from the most likely tokens sums their probabilities, linear attention "
            "and state-space models their gates, ragged batches their lengths. Every element waits for those before it: fast kernels "
            "scan tiles in registers, pass the totals on between blocks and still read and write memory once. Half-precision inputs "
            "should be added up in float32."
        ),
        signature="cumsum(Tensor self, int dim) -> Tensor",
        reference=cumsum,
        cases=cumsum_cases,
        hidden_cases=cumsum_hidden,
        cost=cumsum_cost,
        aten="aten.cumsum.default",
        suites=("smoke", "core"),
        dtypes=("float32", "float16", "bfloat16", "int64"),
        tags=("scan", "row-wise"),
        starters=starter.load("cumsum"),
    ),
    Op(
        slug="histogram",
        title="Histogram",
        summary="How often each integer occurs.",
        description=(
            "out[b] is the number of elements of the input that equal b, for 0 <= b < bins; all elements are in that range, and "
            "counts are int64. It is torch.bincount with a fixed number of bins. Mixtures of experts count the tokens of each expert "
            "with it before they sort them. Many additions to few counters are the difficulty: counters of each block in shared "
            "memory, and as few atomics on global memory as can be."
        ),
        signature="histogram(Tensor self, int bins) -> Tensor",
        reference=histogram,
        cases=histogram_cases,
        hidden_cases=histogram_hidden,
        cost=histogram_cost,
        suites=("core",),
        dtypes=("int64", "int32"),
        tags=("counting", "reduction", "integers"),
        compare="exact",
        starters=starter.load("histogram"),
    ),
)
