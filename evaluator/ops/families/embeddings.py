"""Rows of a table by their numbers: embedding, embedding_bag."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    elements,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    tensor_bytes,
    transposed,
)
from evaluator.ops.cases.indices import distinct, indices
from evaluator.ops.definition import Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def embedding(weight: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.nn.functional.embedding(indices, weight)


def embedding_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), indices(48, below=64)),
        correctness("odd", tensor(101, 67), indices(3, 17, below=101)),
        correctness("one_index", tensor(33, 65), indices(1, below=33)),
        correctness("scalar_index", tensor(33, 65), indices(below=33)),
        correctness("one_row", tensor(1, 31), indices(7, below=1)),
        correctness("one_column", tensor(131, 1), indices(2, 37, below=131)),
        correctness("no_index", tensor(13, 8), indices(0, below=13)),
        correctness("many_lookups", tensor(5, 3), indices(23, 7, 11, below=5)),
        correctness("int32_indices", tensor(77, 19), indices(41, below=77, dtype="int32")),
        correctness("transposed_weight", transposed(53, 29), indices(31, below=53)),
        correctness("padded_weight", padded(47, 33, 3), indices(5, 13, below=47)),
        correctness("strided_indices", tensor(59, 21), indices(37, below=59, strides=(2,))),
        correctness("transposed_indices", tensor(59, 21), indices(7, 11, below=59, strides=(1, 7))),
        correctness("large", tensor(71, 35, generator="large"), indices(29, below=71)),
        correctness("special", tensor(37, 43, generator="special"), indices(61, below=37)),
        correctness("float16", tensor(97, 129, dtype="float16"), indices(43, below=97)),
        *([correctness("bfloat16", tensor(97, 129, dtype="bfloat16"), indices(43, below=97))] if takes_bfloat16(device) else []),
        *embedding_performance(device),
    ]


def embedding_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("bert_tiny", "BERT-Tiny token embeddings, 256 tokens", tensor(30522, 128), indices(256, below=30522)),
            performance("gpt2_positions", "GPT-2 position embeddings, 256 tokens", tensor(1024, 768), indices(256, below=1024)),
        ]
    return [
        performance("gpt2", "GPT-2 token embeddings, batch 8 of 1024 tokens", tensor(50257, 768), indices(8, 1024, below=50257)),
        performance(
            "llama2_7b_fp16",
            "Llama 2 7B token embeddings, 4096 tokens",
            tensor(32000, 4096, dtype="float16"),
            indices(1, 4096, below=32000),
        ),
        performance(
            "bert_large", "BERT-Large token embeddings, batch 32 of 512 tokens", tensor(30522, 1024), indices(32, 512, below=30522)
        ),
    ]


def embedding_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(3, 130), 2 * pick(1, 70) + 1
    return [
        hidden("odd", tensor(rows, columns), indices(2 * pick(1, 50) + 1, below=rows)),
        hidden("transposed", transposed(rows, pick(2, 100)), indices(pick(2, 9), pick(2, 9), below=rows)),
    ]


def embedding_cost(case: Case) -> Cost:
    weight, index = case.tensors
    rows, columns = weight.shape
    row_bytes = columns * ITEM_BYTES[weight.dtype]
    return Cost(tensor_bytes(index) + distinct(elements(index), rows) * row_bytes, elements(index) * row_bytes, 0)


def embedding_bag(
    weight: torch.Tensor,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    per_sample_weights: torch.Tensor | None = None,
    mode: str = "mean",
) -> torch.Tensor:
    import torch

    return torch.nn.functional.embedding_bag(
        indices, weight, offsets, mode=mode, per_sample_weights=per_sample_weights, include_last_offset=True
    )


def bags(rows: int, lookups: int, count: int, dtype: str = "int64") -> tuple[TensorSpec, TensorSpec]:
    """Indices of `lookups` rows, and where each of `count` bags starts, with the end of the last."""
    return indices(lookups, below=rows, dtype=dtype), tensor(count + 1, dtype=dtype, generator="ascending", low=0, high=lookups)


def embedding_bag_cases(device: str) -> list[Case]:
    return [
        correctness("sum", tensor(64, 32), *bags(64, 96, 16), mode="sum"),
        correctness("mean", tensor(64, 32), *bags(64, 96, 16), mode="mean"),
        correctness("default", tensor(53, 17), *bags(53, 71, 13)),
        correctness("weighted", tensor(53, 17), *bags(53, 71, 13), tensor(71), "sum"),
        correctness("empty_bags", tensor(31, 9), *bags(31, 11, 37), mode="mean"),
        correctness("one_bag", tensor(97, 33), *bags(97, 131, 1), mode="mean"),
        correctness("one_lookup_each", tensor(41, 5), *bags(41, 1, 1), mode="sum"),
        correctness("one_column", tensor(103, 1), *bags(103, 67, 11), mode="mean"),
        correctness("int32_indices", tensor(71, 19), *bags(71, 89, 23, "int32"), mode="sum"),
        correctness("transposed_weight", transposed(43, 29), *bags(43, 59, 7), mode="mean"),
        correctness("padded_weight", padded(43, 29, 3), *bags(43, 59, 7), tensor(59), mode="sum"),
        correctness("large", tensor(37, 21, generator="large"), *bags(37, 51, 9), mode="sum"),
        correctness("float16", tensor(61, 65, dtype="float16"), *bags(61, 101, 15), mode="mean"),
        correctness("weighted_float16", tensor(61, 65, dtype="float16"), *bags(61, 101, 15), tensor(101, dtype="float16"), mode="sum"),
        *([correctness("bfloat16", tensor(61, 65, dtype="bfloat16"), *bags(61, 101, 15), mode="sum")] if takes_bfloat16(device) else []),
        *embedding_bag_performance(device),
    ]


def embedding_bag_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("dlrm_small", "DLRM table of 16 columns, 64 samples", tensor(20000, 16), *bags(20000, 1280, 64), mode="sum"),
            performance("fasttext", "fastText of 100 columns, 32 sentences", tensor(20000, 100), *bags(20000, 640, 32), mode="mean"),
        ]
    return [
        performance("dlrm", "DLRM table of 128 columns, 16384 samples", tensor(400_000, 128), *bags(400_000, 327_680, 16384), mode="sum"),
        performance(
            "dlrm_weighted_fp16",
            "DLRM weighted table of 64 columns, 32768 samples",
            tensor(1_000_000, 64, dtype="float16"),
            *bags(1_000_000, 655_360, 32768, "int32"),
            tensor(655_360, dtype="float16"),
            mode="sum",
        ),
        performance(
            "fasttext", "fastText of 300 columns, 16384 sentences", tensor(200_000, 300), *bags(200_000, 327_680, 16384), mode="mean"
        ),
    ]


def embedding_bag_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns, lookups, count = pick(3, 90), 2 * pick(1, 40) + 1, pick(20, 150), pick(2, 30)
    return [
        hidden("odd", tensor(rows, columns), *bags(rows, lookups, count), mode="mean"),
        hidden("weighted", transposed(rows, pick(2, 60)), *bags(rows, lookups, count), tensor(lookups), mode="sum"),
    ]


def embedding_bag_cost(case: Case) -> Cost:
    weight, *others = case.tensors
    rows, columns = weight.shape
    lookups, count = elements(others[0]), elements(others[1]) - 1
    row_bytes = columns * ITEM_BYTES[weight.dtype]
    table = distinct(lookups, rows) * row_bytes
    return Cost(table + sum(tensor_bytes(spec) for spec in others), count * row_bytes, lookups * columns * (2 if len(others) > 2 else 1))


OPS: tuple[Op, ...] = (
    Op(
        slug="embedding",
        title="Embedding",
        summary="Rows of a table, by their numbers.",
        description=(
            "Copies row indices[i] of the weight matrix to row i of the output: out[i] = weight[indices[i]]. The first layer of every "
            "language model, and its position and segment tables. Nothing is computed, so the copy should run at the speed of memory: "
            "rows lie far apart, and each should be read in wide, coalesced loads while many others are under way."
        ),
        signature="embedding(Tensor weight, Tensor indices) -> Tensor",
        reference=embedding,
        cases=embedding_cases,
        hidden_cases=embedding_hidden,
        cost=embedding_cost,
        aten="aten.embedding.default",
        suites=("smoke", "core"),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "data-movement"),
        compare="exact",
        starters=starter.load("embedding"),
    ),
    Op(
        slug="embedding_bag",
        title="Embedding bag",
        summary="Sums or means of the rows of a table that belong to each bag.",
        description=(
            "Bag b holds the rows weight[indices[i]] for offsets[b] <= i < offsets[b + 1], and out[b] is their sum or their mean; an "
            "empty bag gives zeros. offsets has one element more than there are bags and ends with the number of indices. With "
            "mode='sum', per_sample_weights multiplies each row first. Recommendation models spend most of their time here, on tables "
            "of millions of rows. The difficulty: reads are random, bags differ in length, and the sum should never go through "
            "memory."
        ),
        signature=(
            "embedding_bag(Tensor weight, Tensor indices, Tensor offsets, Tensor? per_sample_weights=None, str mode='mean') -> Tensor"
        ),
        reference=embedding_bag,
        cases=embedding_bag_cases,
        hidden_cases=embedding_bag_hidden,
        cost=embedding_bag_cost,
        aten="aten.embedding_bag.padding_idx",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "reduction", "ragged"),
        starters=starter.load("embedding_bag"),
    ),
)
