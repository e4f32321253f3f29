"""Softmax and its relatives."""

from __future__ import annotations

import math
import typing
from dataclasses import replace

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
    transposed,
)
from evaluator.ops.cases import rowwise
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Argument, Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
SOFTMAX_FLOPS = 5
"""Maximum, subtraction, exponential, sum, division; a logarithm in place of the division changes nothing."""
BACKWARD_FLOPS = 4
"""Product, sum, subtraction, product."""


def plainly(x: TensorSpec, dim: int) -> tuple[Argument, ...]:
    return x, dim


def softmax_reference(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    return torch.softmax(x, dim)


def log_softmax_reference(x: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    return torch.log_softmax(x, dim)


def cases(device: str) -> list[Case]:
    return [*rowwise.along(device, plainly), *rowwise.scores_and_vocabularies(device, plainly)]


def hidden_cases(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_along(pick, plainly)


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=SOFTMAX_FLOPS * elements(x))


def softmax_backward_reference(grad_output: torch.Tensor, output: torch.Tensor, dim: int) -> torch.Tensor:
    import torch

    grad_input: torch.Tensor = torch.ops.aten._softmax_backward_data(grad_output, output, dim, output.dtype)
    return grad_input


def with_probabilities(grad: TensorSpec, dim: int) -> tuple[Argument, ...]:
    """A gradient, and an output as a softmax gives it: positive, and 1 in sum (on average)."""
    return grad, replace(grad, generator="uniform", low=0.0, high=2 / grad.shape[dim]), dim


def softmax_backward_cases(device: str) -> list[Case]:
    sure = (tensor(13, 9), tensor(13, 9, generator="sparse"), 1)
    mixed = (tensor(19, 37), transposed(19, 37), 1)
    return [
        *rowwise.along(device, with_probabilities),
        correctness("sparse_output", *sure),
        correctness("mixed_layouts", *mixed),
        *rowwise.scores_and_vocabularies(device, with_probabilities),
    ]


def softmax_backward_hidden(pick: Pick, device: str) -> list[Case]:
    return rowwise.hidden_along(pick, with_probabilities)


def softmax_backward_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=BACKWARD_FLOPS * elements(x))


def causal_softmax_reference(scores: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    import torch

    queries, keys = scores.shape[-2:]
    later = torch.ones(queries, keys, dtype=torch.bool, device=scores.device).triu(keys - queries + 1)
    return torch.softmax((scores * scale).masked_fill(later, -torch.inf), -1)


def scores(*shape: int, dtype: str = "float32", generator: Generator = "normal") -> tuple[Argument, ...]:
    """Scores as products of queries and keys give them, with the scale that brings them back to size 1."""
    return tensor(*shape, dtype=dtype, generator=generator, high=8.0), 0.125


def causal_softmax_cases(device: str) -> list[Case]:
    return [
        correctness("plain", *scores(2, 64, 64)),
        correctness("odd", *scores(3, 37, 37)),
        correctness("no_scale", tensor(33, 33)),
        correctness("large_scale", tensor(2, 17, 17), 5.0),
        correctness("four_dims", *scores(2, 3, 31, 31)),
        correctness("one_query", *scores(5, 1, 1021)),
        correctness("two_queries", *scores(7, 2, 129)),
        correctness("more_keys", *scores(2, 29, 67)),
        correctness("one_key", *scores(3, 1, 1)),
        correctness("transposed", transposed(2, 41, 41), 0.5),
        correctness("padded_rows", padded(45, 61, 3), 0.5),
        correctness("large", *scores(3, 35, 35, generator="large")),
        correctness("constant_rows", *scores(3, 33, 33, generator="constant_rows")),
        correctness("float16", *scores(3, 43, 43, dtype="float16")),
        *([correctness("bfloat16", *scores(3, 43, 43, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *causal_softmax_performance(device),
    ]


def causal_softmax_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("1x128x1024", "GPT-2 scores of one head, 128 of 1024 tokens", *scores(1, 128, 1024)),
            performance("1x192x192", "GPT-2 scores of one head, 192 tokens", *scores(1, 192, 192)),
        ]
    bfloat16 = performance("llama3_8b_bf16", "Llama 3 8B scores of 32 heads, 2048 tokens", *scores(1, 32, 2048, 2048, dtype="bfloat16"))
    return [
        performance("gpt2_scores", "GPT-2 scores of 12 heads, batch 4", *scores(4, 12, 1024, 1024)),
        performance("llama2_7b_chunk_fp16", "Llama 2 7B scores, 512 of 4096 tokens", *scores(1, 32, 512, 4096, dtype="float16")),
        *([bfloat16] if takes_bfloat16(device) else []),
    ]


def causal_softmax_hidden(pick: Pick, device: str) -> list[Case]:
    queries = pick(2, 60)
    return [
        hidden("square", *scores(pick(1, 4), queries, queries)),
        hidden("more_keys", *scores(pick(1, 3), pick(2, 40), 2 * pick(20, 60) + 1)),
        hidden("strided", transposed(pick(1, 3), pick(2, 40), pick(41, 120)), 0.25),
    ]


def causal_softmax_cost(case: Case) -> Cost:
    """Masked scores need not be read; their zeros have to be written."""
    x = first_tensor(case)
    queries, keys = x.shape[-2:]
    seen = math.prod(x.shape[:-2]) * (queries * (keys - queries) + queries * (queries + 1) // 2)
    return Cost(seen * ITEM_BYTES[x.dtype], elements(x) * ITEM_BYTES[x.dtype], (SOFTMAX_FLOPS + 1) * seen)


OPS: tuple[Op, ...] = (
    Op(
        slug="softmax",
        title="Softmax",
        summary="Exponentials along one dimension, divided by their sum.",
        description=(
            "exp(x - max(x)) along a dimension, divided by its sum: positive numbers that add up to 1. Attention weighs tokens so, the "
            "last layer of a language model its vocabulary. The maximum and the sum are needed before the first output, so a row that "
            "stays on chip is read once and a row that does not is read two or three times; a running maximum with a corrected sum saves "
            "one of them."
        ),
        signature="softmax(Tensor self, int dim) -> Tensor",
        reference=softmax_reference,
        cases=cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        aten="aten.softmax.int",
        suites=("smoke", "core"),
        dtypes=DTYPES,
        tags=("reduction", "row-wise"),
        starters=starter.load("softmax"),
    ),
    Op(
        slug="log_softmax",
        title="Log-softmax",
        summary="The logarithm of a softmax along one dimension.",
        description=(
            "x - max(x) - log(sum(exp(x - max(x)))) along a dimension. Losses and beam search work with log-probabilities, because those "
            "of unlikely tokens would be zero as probabilities. Taking the logarithm of a softmax loses exactly these; the sum of "
            "exponentials has to be kept as a logarithm instead. Otherwise it costs what a softmax costs."
        ),
        signature="log_softmax(Tensor self, int dim) -> Tensor",
        reference=log_softmax_reference,
        cases=cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        aten="aten.log_softmax.int",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "row-wise"),
        starters=starter.load("log_softmax"),
    ),
    Op(
        slug="softmax_backward",
        title="Softmax, backward",
        summary="The gradient of a softmax's input, from that of its output and the output itself.",
        description=(
            "output * (grad_output - sum(grad_output * output)) with the sum along the dimension that the softmax ran along. Training an "
            "attention that keeps its probabilities takes it once a layer. Two tensors are read and one is written; the sum is needed "
            "before the first output, so each row should stay on chip in between. The output need not be a perfect softmax: the formula "
            "is what counts."
        ),
        signature="softmax_backward(Tensor grad_output, Tensor output, int dim) -> Tensor",
        reference=softmax_backward_reference,
        cases=softmax_backward_cases,
        hidden_cases=softmax_backward_hidden,
        cost=softmax_backward_cost,
        aten="aten._softmax_backward_data.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "row-wise", "backward"),
        starters=starter.load("softmax_backward"),
    ),
    Op(
        slug="causal_softmax",
        title="Causal softmax",
        summary="The softmax of scaled attention scores that lets no token see a later one.",
        description=(
            "Scores of shape (..., queries, keys) are multiplied by `scale`; those of later keys are left out; the rest goes through a "
            "softmax along the keys, and the left-out places are 0. The last query stands at the last key: query i sees the first keys - "
            "queries + 1 + i keys, and there are never fewer keys than queries. Language models do this between the two products of "
            "attention. Eager torch passes over memory for the scale, the mask and the softmax; one pass is enough, and nearly half of "
            "the scores need not be read at all."
        ),
        signature="causal_softmax(Tensor scores, float scale=1.0) -> Tensor",
        reference=causal_softmax_reference,
        cases=causal_softmax_cases,
        hidden_cases=causal_softmax_hidden,
        cost=causal_softmax_cost,
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "row-wise", "masked", "fused", "attention"),
        starters=starter.load("causal_softmax"),
    ),
)
