"""Elements and slices of a tensor by their numbers: gather, index_select."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    argument,
    correctness,
    elements,
    first_tensor,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    tensor_bytes,
    transposed,
)
from evaluator.ops.cases.indices import distinct, indices
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def gather(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.gather(x, dim, index)


def gather_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 1, indices(64, 128, below=128)),
        correctness("first_dim", tensor(67, 33), 0, indices(19, 33, below=67)),
        correctness("last_dim", tensor(17, 67), -1, indices(17, 5, below=67)),
        correctness("middle_dim", tensor(3, 41, 5), 1, indices(3, 29, 5, below=41)),
        correctness("vector", tensor(4099), 0, indices(257, below=4099)),
        correctness("one_element", tensor(1, 1), 0, indices(1, 1, below=1)),
        correctness("fewer_rows", tensor(31, 23), 1, indices(7, 11, below=23)),
        correctness("fewer_columns", tensor(31, 23), 0, indices(13, 9, below=31)),
        correctness("longer_index", tensor(9, 7), 1, indices(9, 53, below=7)),
        correctness("no_index", tensor(9, 7), 1, indices(9, 0, below=7)),
        correctness("transposed", transposed(37, 53), 1, indices(37, 21, below=53)),
        correctness("padded", padded(23, 35, 3), 0, indices(11, 35, below=23)),
        correctness("strided_index", tensor(13, 47), 1, indices(13, 19, below=47, strides=(1, 13))),
        correctness("broadcast_index", tensor(21, 15), 0, indices(17, 15, below=21, strides=(1, 0))),
        correctness("large", tensor(15, 91, generator="large"), 1, indices(15, 33, below=91)),
        correctness("special", tensor(15, 91, generator="special"), 1, indices(15, 33, below=91)),
        correctness("float16", tensor(15, 129, dtype="float16"), -1, indices(15, 65, below=129)),
        *([correctness("bfloat16", tensor(15, 129, dtype="bfloat16"), -1, indices(15, 65, below=129))] if takes_bfloat16(device) else []),
        *gather_performance(device),
    ]


def gather_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2_targets", "GPT-2 scores of the target tokens, 32 tokens", tensor(32, 50257), -1, indices(32, 1, below=50257)),
            performance("mae_tokens", "MAE ViT-B/16 kept tokens, one image", tensor(1, 196, 768), 1, indices(1, 49, 768, below=196)),
        ]
    return [
        performance(
            "mae_tokens",
            "MAE ViT-L/16 kept tokens, batch 256",
            tensor(256, 196, 1024),
            1,
            indices(256, 49, 1024, below=196, strides=(49, 1, 0)),
        ),
        performance(
            "deberta_positions_fp16",
            "DeBERTa-Base relative position scores, 512 tokens, batch 4",
            tensor(48, 512, 1024, dtype="float16"),
            -1,
            indices(48, 512, 512, below=1024),
        ),
    ]


def gather_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(3, 60), 2 * pick(1, 70) + 1
    return [
        hidden("odd", tensor(rows, columns), 1, indices(rows, 2 * pick(1, 50) + 1, below=columns)),
        hidden("first_dim", transposed(rows, columns), 0, indices(pick(2, 70), pick(2, columns), below=rows)),
        hidden("middle_dim", tensor(pick(2, 6), rows, 7), 1, indices(2, pick(2, 40), 5, below=rows)),
    ]


def gather_cost(case: Case) -> Cost:
    x, index = case.tensors
    dim = typing.cast("int", argument(case, 1, "dim")) % len(x.shape)
    along = index.shape[dim]
    lanes = elements(index) // along if along else 0
    item = ITEM_BYTES[x.dtype]
    return Cost(lanes * distinct(along, x.shape[dim]) * item + tensor_bytes(index), elements(index) * item, 0)


def index_select(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.index_select(x, dim, index)


def index_select_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 0, indices(64, below=64)),
        correctness("columns", tensor(33, 67), 1, indices(41, below=67)),
        correctness("last_dim", tensor(5, 7, 31), -1, indices(17, below=31)),
        correctness("middle_dim", tensor(3, 41, 5), 1, indices(29, below=41)),
        correctness("vector", tensor(4099), 0, indices(257, below=4099)),
        correctness("one_element", tensor(1, 1), 1, indices(1, below=1)),
        correctness("one_index", tensor(31, 23), 1, indices(1, below=23)),
        correctness("longer_index", tensor(7, 9), 0, indices(53, below=7)),
        correctness("no_index", tensor(9, 7), 0, indices(0, below=9)),
        correctness("int32_index", tensor(57, 13), 0, indices(35, below=57, dtype="int32")),
        correctness("transposed", transposed(37, 53), 0, indices(21, below=37)),
        correctness("padded", padded(23, 35, 3), 1, indices(11, below=35)),
        correctness("strided_index", tensor(47, 13), 0, indices(19, below=47, strides=(3,))),
        correctness("large", tensor(91, 15, generator="large"), 0, indices(33, below=91)),
        correctness("special", tensor(91, 15, generator="special"), 0, indices(33, below=91)),
        correctness("float16", tensor(129, 15, dtype="float16"), 0, indices(65, below=129)),
        *([correctness("bfloat16", tensor(129, 15, dtype="bfloat16"), 0, indices(65, below=129))] if takes_bfloat16(device) else []),
        *index_select_performance(device),
    ]


def index_select_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("moe_tokens", "Mixture of experts, 256 tokens to an expert", tensor(512, 1024), 0, indices(256, below=512)),
            performance("gpt2_beams", "GPT-2 cache of the 4 best beams, 256 tokens", tensor(4, 12, 256, 64), 0, indices(4, below=4)),
        ]
    return [
        performance("gnn_edges", "GraphSAGE messages of 1 million edges", tensor(169_343, 128), 0, indices(1_000_000, below=169_343)),
        performance(
            "mixtral_tokens_fp16",
            "Mixtral 8x7B tokens to experts, 2 of 8, 4096 tokens",
            tensor(4096, 4096, dtype="float16"),
            0,
            indices(8192, below=4096),
        ),
    ]


def index_select_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(3, 60), 2 * pick(1, 70) + 1
    return [
        hidden("odd", tensor(rows, columns), 0, indices(2 * pick(1, 50) + 1, below=rows)),
        hidden("columns", transposed(rows, columns), 1, indices(pick(2, 70), below=columns)),
        hidden("middle_dim", tensor(pick(2, 6), rows, 7), 1, indices(pick(2, 90), below=rows)),
    ]


def index_select_cost(case: Case) -> Cost:
    x, index = first_tensor(case), case.tensors[1]
    dim = typing.cast("int", argument(case, 1, "dim")) % len(x.shape)
    slab = elements(x) // x.shape[dim] * ITEM_BYTES[x.dtype]
    return Cost(distinct(elements(index), x.shape[dim]) * slab + tensor_bytes(index), elements(index) * slab, 0)


OPS: tuple[Op, ...] = (
    Op(
        slug="gather",
        title="Gather",
        summary="One element of the input for each index, along one dimension.",
        description=(
            "The output has the shape of the index. Each of its elements is the input's element at the same place, but with the index "
            "in place of the coordinate along dim: for dim=1, out[i, j] = self[i, index[i, j]]. Other dimensions of the index may be "
            "shorter than the input's. Losses pick the scores of target tokens with it, masked autoencoders the kept patches, DeBERTa "
            "its relative positions. Reads are scattered, so the trick is to keep them in cache and to load indices once."
        ),
        signature="gather(Tensor self, int dim, Tensor index) -> Tensor",
        reference=gather,
        cases=gather_cases,
        hidden_cases=gather_hidden,
        cost=gather_cost,
        aten="aten.gather.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "data-movement"),
        compare="exact",
        starters=starter.load("gather"),
    ),
    Op(
        slug="index_select",
        title="Index select",
        summary="Slices of a tensor along one dimension, by their numbers.",
        description=(
            "Copies slice index[i] of the input to slice i of the output, along one dimension: for dim=0, out[i] = self[index[i]]. "
            "Graph networks fetch the features of edge ends with it, mixtures of experts the tokens of an expert, beam search the "
            "caches of surviving beams. Whole rows should be copied at the speed of memory; along the last dimension single elements "
            "are picked, and coalescing is the difficulty."
        ),
        signature="index_select(Tensor self, int dim, Tensor index) -> Tensor",
        reference=index_select,
        cases=index_select_cases,
        hidden_cases=index_select_hidden,
        cost=index_select_cost,
        aten="aten.index_select.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "data-movement"),
        compare="exact",
        starters=starter.load("index_select"),
    ),
)
