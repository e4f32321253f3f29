"""Order along a dimension: sort, topk."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    argument,
    correctness,
    elements,
    every_other,
    first_tensor,
    hidden,
    input_bytes,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Case, Cost, Op, TensorSpec
from evaluator.ops.rules.order import names_the_values

if typing.TYPE_CHECKING:
    import torch


def sort(x: torch.Tensor, dim: int = -1, descending: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    values, indices = torch.sort(x, dim, descending)
    return values, indices


def ties(*shape: int, high: int, dtype: str = "float32") -> TensorSpec:
    """Whole numbers of [0, high), so that values repeat."""
    return tensor(*shape, dtype=dtype, generator="integers", low=0, high=high)


def sort_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), -1),
        correctness("descending", tensor(33, 65), -1, descending=True),
        correctness("default", tensor(5, 131)),
        correctness("first_dim", tensor(67, 17), 0),
        correctness("middle_dim", tensor(3, 41, 5), 1, descending=True),
        correctness("vector", tensor(1031), 0),
        correctness("long_row", tensor(2, 4099), -1, descending=True),
        correctness("one_column", tensor(9, 1), 1),
        correctness("two_columns", tensor(37, 2), 1),
        correctness("ties", ties(13, 257, high=7), -1),
        correctness("ties_descending", ties(13, 257, high=7), -1, descending=True),
        correctness("int32", ties(7, 513, high=2**31 - 1, dtype="int32"), -1),
        correctness("negative_int32", tensor(7, 129, dtype="int32", generator="integers", low=-50, high=50), -1, descending=True),
        correctness("transposed", transposed(19, 37), -1),
        correctness("every_other", every_other(13, 31), 0),
        correctness("large", tensor(15, 255, generator="large"), -1, descending=True),
        correctness("special_nan", tensor(15, 255, generator="special_nan"), -1),
        correctness("float16", tensor(15, 1025, dtype="float16"), -1),
        *([correctness("bfloat16", tensor(15, 1025, dtype="bfloat16"), -1, descending=True)] if takes_bfloat16(device) else []),
        *sort_performance(device),
    ]


def sort_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("32x1024", "Top-p sampling among 1024 candidates, 32 requests", tensor(32, 1024), -1, descending=True),
            performance(
                "qwen_moe_experts", "Qwen1.5-MoE assignments of 32 × 64 tokens to 4 of 60 experts", ties(32, 256, high=60, dtype="int32")
            ),
        ]
    return [
        performance("llama3_vocabulary", "Llama 3 vocabulary, top-p sampling, 64 requests", tensor(64, 128256), -1, descending=True),
        performance("llama2_vocabulary_fp16", "Llama 2 vocabulary, 256 requests", tensor(256, 32000, dtype="float16"), -1, descending=True),
        performance(
            "deepseek_v3_experts", "DeepSeek-V3 assignments of 32768 tokens to 8 of 256 experts", ties(262_144, high=256, dtype="int32")
        ),
    ]


def sort_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 20), 2 * pick(1, 400) + 1
    return [
        hidden("odd", tensor(rows, columns), -1, descending=bool(pick(0, 1))),
        hidden("ties", ties(rows, columns, high=pick(2, 9)), -1, descending=True),
        hidden("first_dim", transposed(2 * pick(10, 200) + 1, pick(2, 20)), 0),
    ]


def sort_cost(case: Case) -> Cost:
    """At least one comparison of each element."""
    x = first_tensor(case)
    return Cost(input_bytes(case), elements(x) * (ITEM_BYTES[x.dtype] + ITEM_BYTES["int64"]), elements(x))


def topk(x: torch.Tensor, k: int, dim: int = -1, largest: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    values, indices = torch.topk(x, k, dim, largest)
    return values, indices


def topk_cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 8),
        correctness("odd", tensor(17, 67), 5, -1),
        correctness("smallest", tensor(17, 67), 5, -1, largest=False),
        correctness("first_dim", tensor(67, 17), 3, 0),
        correctness("middle_dim", tensor(3, 41, 5), 7, 1, largest=False),
        correctness("vector", tensor(4099), 23),
        correctness("long_row", tensor(2, 9001), 17),
        correctness("one_of_many", tensor(9, 1021), 1),
        correctness("all", tensor(11, 13), 13),
        correctness("one_column", tensor(9, 1), 1),
        correctness("ties", ties(13, 257, high=7), 50),
        correctness("ties_smallest", ties(13, 257, high=7), 50, largest=False),
        correctness("negative", tensor(7, 65, generator="uniform", low=-3.0, high=-1.0), 6),
        correctness("transposed", transposed(19, 37), 6),
        correctness("padded", padded(23, 35, 3), 4, 0),
        correctness("large", tensor(15, 255, generator="large"), 9),
        correctness("special_nan", tensor(15, 255, generator="special_nan"), 40),
        correctness("float16", tensor(15, 1025, dtype="float16"), 20),
        *([correctness("bfloat16", tensor(15, 1025, dtype="bfloat16"), 20)] if takes_bfloat16(device) else []),
        *topk_performance(device),
    ]


def topk_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("deepseek_v2_lite", "DeepSeek-V2-Lite router, 6 of 64 experts, 256 tokens", tensor(256, 64), 6),
            performance("gpt2_vocabulary", "GPT-2 vocabulary, top-50 sampling, one request", tensor(1, 50257), 50),
        ]
    return [
        performance("deepseek_v3_router", "DeepSeek-V3 router, 8 of 256 experts, 32768 tokens", tensor(32768, 256), 8),
        performance(
            "llama3_vocabulary_fp16", "Llama 3 vocabulary, top-50 sampling, 128 requests", tensor(128, 128256, dtype="float16"), 50
        ),
    ]


def topk_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, columns = pick(2, 20), 2 * pick(10, 400) + 1
    return [
        hidden("odd", tensor(rows, columns), pick(2, 20), largest=bool(pick(0, 1))),
        hidden("ties", ties(rows, columns, high=pick(2, 9)), pick(2, 20)),
        hidden("first_dim", transposed(2 * pick(10, 200) + 1, pick(2, 20)), pick(2, 20), 0),
    ]


def topk_cost(case: Case) -> Cost:
    """At least one comparison of each element."""
    x, k = first_tensor(case), typing.cast("int", argument(case, 1, "k"))
    lanes = elements(x) // x.shape[typing.cast("int", argument(case, 2, "dim", -1))]
    return Cost(input_bytes(case), k * lanes * (ITEM_BYTES[x.dtype] + ITEM_BYTES["int64"]), elements(x))


OPS: tuple[Op, ...] = (
    Op(
        slug="sort",
        title="Sort",
        summary="The values along one dimension in order, and where each of them stood.",
        description=(
            "Returns the values along dim in ascending or descending order, and for each of them its index in the input. Values are "
            "compared exactly with torch's. Equal values may come in any order: indices are right when none repeats and each names an "
            "element equal to the value beside it. Sampling sorts the scores of a vocabulary with it, mixtures of experts the "
            "assignments of tokens. Rows too long for one block's registers are the difficulty: several passes over memory, each of "
            "which moves keys and indices."
        ),
        signature="sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
        reference=sort,
        cases=sort_cases,
        hidden_cases=sort_hidden,
        cost=sort_cost,
        aten="aten.sort.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16", "int32"),
        tags=("sorting", "row-wise", "two-outputs"),
        compare="exact",
        rules={1: names_the_values(1)},
        starters=starter.load("sort"),
    ),
    Op(
        slug="topk",
        title="Top k",
        summary="The k largest or smallest values along one dimension in order, and where each of them stood.",
        description=(
            "Returns the k largest values along dim in descending order (with largest=False the k smallest, ascending), and for each "
            "of them its index in the input. Values are compared exactly with torch's. Of equal values any may be taken, in any "
            "order: indices are right when none repeats and each names an element equal to the value beside it. Routers of experts "
            "take the top 2 to 8 of up to 256 scores with it, sampling the top 50 of a vocabulary. The difficulty is to read the "
            "input once and to keep candidates in registers."
        ),
        signature="topk(Tensor self, int k, int dim=-1, bool largest=True) -> (Tensor values, Tensor indices)",
        reference=topk,
        cases=topk_cases,
        hidden_cases=topk_hidden,
        cost=topk_cost,
        aten="aten.topk.default",
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("sorting", "row-wise", "two-outputs"),
        compare="exact",
        rules={1: names_the_values(2)},
        starters=starter.load("topk"),
    ),
)
