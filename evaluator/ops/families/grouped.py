"""Products of groups of rows, each group with a matrix of its own: the layers of experts."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, cost, hidden, padded, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.definition import Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def grouped_mm_reference(x: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    import itertools

    import torch

    (rows, inner), columns = x.shape, weights.shape[2]
    if x.is_meta:  # where shapes are all that is known
        return x.new_empty(rows, columns)
    packed = x.is_contiguous() and weights.is_contiguous() and inner % 8 == columns % 8 == 0
    if packed and x.dtype != torch.float64:
        return torch.nn.functional.grouped_mm(x, weights, offs=ends.to(torch.int32))
    # Torch's grouped product takes nothing else: people loop over the experts.
    out = x.new_empty(rows, columns)
    for weight, (start, end) in zip(weights, itertools.pairwise([0, *ends.tolist()]), strict=True):
        torch.mm(x[start:end], weight, out=out[start:end])
    return out


def _ends(experts: int, first: int, rows: int, dtype: str = "int32") -> TensorSpec:
    """Where each expert's rows end: expert 0 has `first` of them, the others share the rest by chance, some may have none."""
    return tensor(experts, dtype=dtype, generator="ascending", low=first, high=rows)


def grouped_mm_cases(device: str) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("plain", tensor(64, 64), tensor(4, 64, 64), _ends(4, 9, 64)),
        correctness("odd", tensor(61, 33), tensor(5, 33, 17), _ends(5, 7, 61)),
        correctness("first_has_none", tensor(67, 19), tensor(6, 19, 23), _ends(6, 0, 67)),
        correctness("first_has_all", tensor(67, 19), tensor(3, 19, 23), _ends(3, 67, 67)),
        correctness("one_expert", tensor(53, 41), tensor(1, 41, 37), _ends(1, 53, 53)),
        correctness("one_row", tensor(1, 129), tensor(7, 129, 11), _ends(7, 0, 1)),
        correctness("more_experts_than_rows", tensor(13, 7), tensor(23, 7, 11), _ends(23, 0, 13)),
        correctness("one_inner", tensor(67, 1), tensor(5, 1, 35), _ends(5, 3, 67)),
        correctness("one_column", tensor(67, 43), tensor(5, 43, 1), _ends(5, 3, 67)),
        correctness("long_inner", tensor(13, 1023), tensor(3, 1023, 5), _ends(3, 2, 13)),
        correctness("long_segments", tensor(389, 5), tensor(3, 5, 7), _ends(3, 101, 389)),
        correctness("int64_ends", tensor(61, 33), tensor(5, 33, 17), _ends(5, 7, 61, "int64")),
        correctness("transposed", transposed(61, 33), transposed(5, 33, 17), _ends(5, 7, 61)),
        correctness("padded_rows", padded(61, 33, 7), tensor(5, 33, 17, strides=(800, 24, 1)), _ends(5, 7, 61)),
        correctness("large", tensor(61, 33, generator="large"), tensor(5, 33, 17), _ends(5, 7, 61)),
        *(correctness(name, tensor(61, 33, dtype=name), tensor(5, 33, 17, dtype=name), _ends(5, 7, 61)) for name in halves),
        *(correctness(f"packed_{name}", tensor(59, 64, dtype=name), tensor(4, 64, 48, dtype=name), _ends(4, 0, 59)) for name in halves),
        *grouped_mm_performance_cases(device),
    ]


def grouped_mm_performance_cases(device: str) -> list[Case]:
    def case(name: str, source: str, rows: int, shape: tuple[int, int, int], dtype: str = "float32") -> Case:
        weights, ends = tensor(*shape, dtype=dtype), _ends(shape[0], rows // shape[0], rows)
        return performance(name, source, tensor(rows, shape[1], dtype=dtype), weights, ends)

    if device == "cpu":
        return [
            case("granite_1b_a400m", "Granite 3.0 1B-A400M, 8 of its 32 experts, 32 tokens", 256, (8, 1024, 512)),
            case("v_moe_s32", "V-MoE-S/32, 8 of its 32 experts, 4 images of 49 patches", 196, (8, 512, 2048)),
        ]
    half, bits = ("bfloat16", "bf16") if takes_bfloat16(device) else ("float16", "fp16")
    return [
        case("granite_1b_a400m", "Granite 3.0 1B-A400M, 8 of 32 experts for each of 512 tokens", 4096, (32, 1024, 512)),
        case(f"olmoe_1b_7b_{bits}", "OLMoE 1B-7B, 8 of 64 experts for each of 4096 tokens", 32768, (64, 2048, 1024), half),
        case(f"qwen3_30b_a3b_{bits}", "Qwen3 30B-A3B, 8 of 128 experts for each of 512 tokens", 4096, (128, 2048, 768), half),
    ]


def grouped_mm_hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    experts, rows, inner, columns = pick(2, 9), pick(20, 200), 2 * pick(1, 20) + 1, 2 * pick(1, 20) + 1
    return [
        hidden("odd", tensor(rows, inner), tensor(experts, inner, columns), _ends(experts, pick(0, 20), rows)),
        hidden("transposed", tensor(rows, inner), transposed(experts, inner, columns), _ends(experts, pick(0, 20), rows, "int64")),
    ]


def grouped_mm_cost(case: Case) -> Cost:
    """All weights are counted: with many rows for each expert, hardly one has none."""
    x, weights, _ = case.tensors
    (rows, inner), columns = x.shape, weights.shape[2]
    return cost(case, rows * columns, x.dtype, flops=2 * rows * inner * columns)


GROUPED_MM = Op(
    slug="grouped_mm",
    title="Grouped matrix product",
    summary="Multiplies consecutive groups of rows, each with its own matrix.",
    description=(
        "The rows of input stand sorted by expert: those of expert e are ends[e - 1] to ends[e] - 1 (from 0 for the first), and are "
        "multiplied with weights[e]. The last end is the number of rows; a group may be empty. This is the layer of experts in Mixtral, "
        "OLMoE, Qwen3 MoE and DeepSeek. Sizes of groups are known on the device alone, so a kernel must find its tile's expert by itself, "
        "without asking the host, and must keep all of the device busy though groups differ much in size. Each expert's weights are read "
        "for few rows, so that at small batches memory bandwidth decides. Baseline: torch's grouped product for bfloat16, a loop over "
        "experts else."
    ),
    signature="grouped_mm(Tensor input, Tensor weights, Tensor ends) -> Tensor",
    reference=grouped_mm_reference,
    cases=grouped_mm_cases,
    hidden_cases=grouped_mm_hidden_cases,
    cost=grouped_mm_cost,
    suites=("core",),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("matmul", "grouped", "experts"),
    starters=starter.load("grouped_mm"),
)

OPS: tuple[Op, ...] = (GROUPED_MM,)
