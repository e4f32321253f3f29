"""Searches in sorted data: searchsorted."""

from __future__ import annotations

import math
import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    argument,
    correctness,
    elements,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    tensor_bytes,
)
from evaluator.ops.definition import Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def searchsorted(sorted_sequence: torch.Tensor, x: torch.Tensor, *, out_int32: bool = False, right: bool = False) -> torch.Tensor:
    import torch

    return torch.searchsorted(sorted_sequence, x, out_int32=out_int32, right=right)


def ascending(*shape: int, high: int, dtype: str = "float32", strides: tuple[int, ...] | None = None) -> TensorSpec:
    """Whole numbers from 0 to `high`, sorted along the whole tensor."""
    return tensor(*shape, dtype=dtype, generator="ascending", low=0, high=high, strides=strides)


def whole(*shape: int, below: int, dtype: str = "float32", strides: tuple[int, ...] | None = None) -> TensorSpec:
    """Whole numbers, some of them below 0 and some from `below` on."""
    return tensor(*shape, dtype=dtype, generator="integers", low=-2, high=below + 3, strides=strides)


def between(*shape: int, below: int, dtype: str = "float32") -> TensorSpec:
    return tensor(*shape, dtype=dtype, generator="uniform", low=-1.0, high=below + 1.0)


def searchsorted_cases(device: str) -> list[Case]:
    return [
        correctness("plain", ascending(64, high=100), between(32, 32, below=100)),
        correctness("ties", ascending(129, high=40), whole(33, 67, below=40)),
        correctness("ties_right", ascending(129, high=40), whole(33, 67, below=40), right=True),
        correctness("int32_output", ascending(257, high=1000), between(513, below=1000), out_int32=True),
        correctness("int32_output_right", ascending(131, high=50), whole(65, 7, below=50), out_int32=True, right=True),
        correctness("rows", ascending(3, 51, high=60), whole(3, 201, below=60)),
        correctness("rows_right", ascending(5, 41, high=60), whole(5, 133, below=60), right=True),
        correctness("rows_in_step", ascending(19, 33, high=300), ascending(19, 33, high=300)),
        correctness("long_sequence", ascending(20_000, high=50_000), whole(4099, below=50_000), right=True),
        correctness("one_boundary", ascending(1, high=3), whole(129, below=6)),
        correctness("one_value", ascending(77, high=90), whole(1, below=90)),
        correctness("no_value", ascending(9, high=20), whole(0, below=20)),
        correctness("integers", ascending(67, high=90, dtype="int64"), whole(301, below=90, dtype="int64"), right=True),
        correctness("strided_values", ascending(67, high=90), whole(21, 31, below=90, strides=(1, 21))),
        correctness("strided_sequence", ascending(67, high=90, strides=(2,)), whole(213, below=90), right=True),
        correctness("special", ascending(65, high=9), tensor(31, 33, generator="special", high=9.0)),
        correctness("float16", ascending(65, high=200, dtype="float16"), whole(31, 33, below=200, dtype="float16")),
        *(
            [correctness("bfloat16", ascending(65, high=120, dtype="bfloat16"), whole(31, 33, below=120, dtype="bfloat16"), right=True)]
            if takes_bfloat16(device)
            else []
        ),
        *searchsorted_performance(device),
    ]


def searchsorted_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance(
                "dlrm_features",
                "DLRM dense features in 1024 buckets, 256 samples",
                ascending(1024, high=5000),
                between(256, 13, below=5000),
            ),
            performance(
                "code_book",
                "Code book of 256 levels for optimizer states of a layer of 256 × 256",
                ascending(256, high=255),
                between(256, 256, below=255),
                right=True,
            ),
        ]
    return [
        performance(
            "dlrm_features",
            "DLRM dense features in 4096 buckets, 65536 samples",
            ascending(4096, high=100_000),
            between(65536, 13, below=100_000),
            right=True,
        ),
        performance(
            "code_book_fp16",
            "Code book of 256 levels for the optimizer states of a Llama 3 8B projection",
            ascending(256, high=255, dtype="float16"),
            between(4096, 4096, below=255, dtype="float16"),
            out_int32=True,
        ),
    ]


def searchsorted_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    size, high, rows = 2 * pick(2, 200) + 1, pick(5, 100), pick(2, 5)
    return [
        hidden("odd", ascending(size, high=high), whole(2 * pick(5, 200) + 1, below=high), right=bool(pick(0, 1))),
        hidden("rows", ascending(rows, size, high=high), whole(rows, pick(50, 200), below=high), right=True, out_int32=bool(pick(0, 1))),
    ]


def searchsorted_cost(case: Case) -> Cost:
    """A search reads one more element than it has steps; none needs more than the whole sequence."""
    sequence, x = case.tensors
    steps = math.ceil(math.log2(sequence.shape[-1] + 1))
    read = min(tensor_bytes(sequence), elements(x) * steps * ITEM_BYTES[sequence.dtype])
    out = ITEM_BYTES["int32" if argument(case, 2, "out_int32", False) else "int64"]
    return Cost(read + tensor_bytes(x), elements(x) * out, elements(x) * steps)


OPS: tuple[Op, ...] = (
    Op(
        slug="searchsorted",
        title="Search in a sorted sequence",
        summary="Where each value would be inserted into a sorted sequence.",
        description=(
            "For each value the number of elements of the sorted sequence that are smaller than it; with right=True, smaller or "
            "equal. The sequence is one row for all values, or has as many rows as the values. Counts are int64, or int32 with "
            "out_int32=True. Inputs are sorted into buckets with it, levels of a code book chosen, samples drawn from cumulative "
            "distributions. Each search is a chain of dependent reads; the difficulty is to keep the sequence close and many searches "
            "under way."
        ),
        signature="searchsorted(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False) -> Tensor",
        reference=searchsorted,
        cases=searchsorted_cases,
        hidden_cases=searchsorted_hidden,
        cost=searchsorted_cost,
        aten="aten.searchsorted.Tensor",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16", "int64"),
        tags=("search", "sorting"),
        compare="exact",
        starters=starter.load("searchsorted"),
    ),
)
