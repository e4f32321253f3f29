"""Sums at places that indices name: scatter_add, index_add."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    cost,
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
from evaluator.ops.cases.indices import indices
from evaluator.ops.definition import Case, Cost, Op

if typing.TYPE_CHECKING:
    import torch


def scatter_add(x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.scatter_add(x, dim, index, src)


def scatter_add_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 1, indices(64, 128, below=128), tensor(64, 128)),
        correctness("first_dim", tensor(19, 33), 0, indices(67, 33, below=19), tensor(67, 33)),
        correctness("last_dim", tensor(17, 23), -1, indices(17, 61, below=23), tensor(17, 61)),
        correctness("middle_dim", tensor(3, 13, 5), 1, indices(3, 41, 5, below=13), tensor(3, 41, 5)),
        correctness("vector", tensor(257), 0, indices(4099, below=257), tensor(4099)),
        correctness("one_place", tensor(5, 1), 1, indices(5, 203, below=1), tensor(5, 203)),
        correctness("one_element", tensor(1), 0, indices(1, below=1), tensor(1)),
        correctness("part_of_source", tensor(21, 17), 1, indices(11, 7, below=17), tensor(29, 31)),
        correctness("no_index", tensor(9, 7), 1, indices(9, 0, below=7), tensor(9, 5)),
        correctness("transposed", transposed(31, 43), 1, indices(31, 27, below=43), transposed(31, 27)),
        correctness("padded", padded(23, 35, 3), 0, indices(51, 35, below=23), padded(51, 35, 5)),
        correctness("broadcast_index", tensor(21, 15), 0, indices(67, 15, below=21, strides=(1, 0)), tensor(67, 15)),
        correctness("large", tensor(15, 91, generator="large"), 1, indices(15, 133, below=91), tensor(15, 133, generator="large")),
        correctness("float16", tensor(15, 65, dtype="float16"), 1, indices(15, 129, below=65), tensor(15, 129, dtype="float16")),
        *(
            [correctness("bfloat16", tensor(15, 65, dtype="bfloat16"), 1, indices(15, 129, below=65), tensor(15, 129, dtype="bfloat16"))]
            if takes_bfloat16(device)
            else []
        ),
        *scatter_add_performance(device),
    ]


def scatter_add_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance(
                "router_load",
                "Switch-Base router weights of 128 experts",
                tensor(256, 128),
                1,
                indices(256, 512, below=128),
                tensor(256, 512),
            ),
            performance("gat_cora", "GAT on Cora, 8 heads", tensor(256, 8), 0, indices(10_556, 8, below=256), tensor(10_556, 8)),
        ]
    return [
        performance(
            "gnn_messages",
            "GraphSAGE sums of 1 million messages",
            tensor(169_343, 128),
            0,
            indices(1_000_000, 128, below=169_343, strides=(1, 0)),
            tensor(1_000_000, 128),
        ),
        performance(
            "deberta_positions_fp16",
            "DeBERTa-Base gradients of position scores, 512 tokens, batch 4",
            tensor(48, 512, 1024, dtype="float16"),
            -1,
            indices(48, 512, 512, below=1024),
            tensor(48, 512, 512, dtype="float16"),
        ),
    ]


def scatter_add_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns, sources = pick(3, 60), 2 * pick(1, 40) + 1, 2 * pick(1, 60) + 1
    return [
        hidden("odd", tensor(rows, columns), 1, indices(rows, sources, below=columns), tensor(rows, sources)),
        hidden("first_dim", transposed(rows, columns), 0, indices(sources, columns, below=rows), transposed(sources, columns)),
    ]


def scatter_add_cost(case: Case) -> Cost:
    x, index, src = case.tensors
    added = elements(index) * ITEM_BYTES[src.dtype]
    return Cost(tensor_bytes(x) + tensor_bytes(index) + added, elements(x) * ITEM_BYTES[x.dtype], elements(index))


def index_add(x: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, *, alpha: float = 1) -> torch.Tensor:
    import torch

    return torch.index_add(x, dim, index, source, alpha=alpha)


def index_add_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 0, indices(64, below=64), tensor(64, 128)),
        correctness("columns", tensor(33, 19), 1, indices(67, below=19), tensor(33, 67), alpha=2),
        correctness("last_dim", tensor(5, 7, 11), -1, indices(31, below=11), tensor(5, 7, 31)),
        correctness("middle_dim", tensor(3, 13, 5), 1, indices(41, below=13), tensor(3, 41, 5), alpha=-0.5),
        correctness("vector", tensor(257), 0, indices(4099, below=257), tensor(4099)),
        correctness("one_place", tensor(1, 51), 0, indices(203, below=1), tensor(203, 51)),
        correctness("one_element", tensor(1), 0, indices(1, below=1), tensor(1), alpha=3),
        correctness("no_index", tensor(9, 7), 0, indices(0, below=9), tensor(0, 7)),
        correctness("int32_index", tensor(29, 13), 0, indices(71, below=29, dtype="int32"), tensor(71, 13)),
        correctness("transposed", transposed(31, 43), 0, indices(27, below=31), transposed(27, 43)),
        correctness("padded", padded(23, 35, 3), 1, indices(51, below=35), padded(23, 51, 5)),
        correctness("strided_index", tensor(21, 15), 0, indices(67, below=21, strides=(3,)), tensor(67, 15)),
        correctness("large", tensor(91, 15, generator="large"), 0, indices(133, below=91), tensor(133, 15, generator="large")),
        correctness("float16", tensor(65, 15, dtype="float16"), 0, indices(129, below=65), tensor(129, 15, dtype="float16"), alpha=0.25),
        *(
            [correctness("bfloat16", tensor(65, 15, dtype="bfloat16"), 0, indices(129, below=65), tensor(129, 15, dtype="bfloat16"))]
            if takes_bfloat16(device)
            else []
        ),
        *index_add_performance(device),
    ]


def index_add_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance(
                "expert_outputs", "Switch-Base, 256 tokens of two experts", tensor(256, 768), 0, indices(512, below=256), tensor(512, 768)
            ),
            performance(
                "bert_tiny_gradients",
                "BERT-Tiny gradients of segment embeddings",
                tensor(2, 128),
                0,
                indices(4096, below=2),
                tensor(4096, 128),
            ),
        ]
    return [
        performance(
            "gpt2_gradients",
            "GPT-2 gradients of token embeddings, batch 8 of 1024 tokens",
            tensor(50257, 768),
            0,
            indices(8192, below=50257),
            tensor(8192, 768),
        ),
        performance(
            "mixtral_outputs_fp16",
            "Mixtral 8x7B outputs of 2 of 8 experts, 4096 tokens",
            tensor(4096, 4096, dtype="float16"),
            0,
            indices(8192, below=4096),
            tensor(8192, 4096, dtype="float16"),
            alpha=0.5,
        ),
    ]


def index_add_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns, sources = pick(3, 60), 2 * pick(1, 40) + 1, 2 * pick(1, 60) + 1
    return [
        hidden("odd", tensor(rows, columns), 0, indices(sources, below=rows), tensor(sources, columns)),
        hidden("columns", transposed(rows, columns), 1, indices(sources, below=columns), transposed(rows, sources), alpha=pick(2, 5)),
    ]


def index_add_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=elements(case.tensors[2]))


OPS: tuple[Op, ...] = (
    Op(
        slug="scatter_add",
        title="Scatter add",
        summary="Adds each element of a source to the place that its index names.",
        description=(
            "Returns a copy of the input to which every source element with an index is added, at the same place but with the index "
            "in place of the coordinate along dim: for dim=0, out[index[i, j], j] += src[i, j]. Indices repeat, and all their "
            "elements count. The index may cover only the front of the source and of the other dimensions. Graph networks sum "
            "messages with it, and it is the gradient of gather. Many additions to one place at once are the difficulty: atomics "
            "collide, sorting costs passes over memory. Sums in another order differ by rounding only, which is allowed."
        ),
        signature="scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
        reference=scatter_add,
        cases=scatter_add_cases,
        hidden_cases=scatter_add_hidden,
        cost=scatter_add_cost,
        aten="aten.scatter_add.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "reduction", "scatter"),
        starters=starter.load("scatter_add"),
    ),
    Op(
        slug="index_add",
        title="Index add",
        summary="Adds slices of a source to the slices of a tensor that an index names.",
        description=(
            "Returns a copy of the input to whose slice index[i] along dim alpha times slice i of the source is added: for dim=0, "
            "out[index[i]] += alpha * source[i]. Indices repeat, and all their slices count. It puts the outputs of experts together "
            "again and is the gradient of embedding and index_select. Slices are long enough for wide loads; the difficulty is that "
            "several of them end in one place."
        ),
        signature="index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
        reference=index_add,
        cases=index_add_cases,
        hidden_cases=index_add_hidden,
        cost=index_add_cost,
        aten="aten.index_add.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "reduction", "scatter"),
        starters=starter.load("index_add"),
    ),
)
