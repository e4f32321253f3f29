"""Cases of the ops that begin with a linear layer: (input, weight, bias), the weight as checkpoints hold it, (outputs, inputs)."""

from __future__ import annotations

import math
from collections.abc import Callable

from evaluator.ops.arguments import correctness, cost, hidden, padded, performance, takes_bfloat16, tensor, transposed
from evaluator.ops.definition import Argument, Case, Cost


def correctness_cases(device: str, **kwargs: Argument) -> list[Case]:
    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    return [
        correctness("plain", tensor(64, 64), tensor(64, 64), tensor(64), **kwargs),
        correctness("odd", tensor(33, 65), tensor(17, 65), tensor(17), **kwargs),
        correctness("no_bias", tensor(33, 65), tensor(17, 65), **kwargs),
        correctness("no_bias_by_name", tensor(3, 11, 19), tensor(23, 19), bias=None, **kwargs),
        correctness("bias_by_name", tensor(3, 11, 19), weight=tensor(23, 19), bias=tensor(23), **kwargs),
        correctness("one_row", tensor(1, 129), tensor(31, 129), tensor(31), **kwargs),
        correctness("one_output", tensor(67, 43), tensor(1, 43), tensor(1), **kwargs),
        correctness("one_inner", tensor(67, 1), tensor(35, 1), tensor(35), **kwargs),
        correctness("long_inner", tensor(5, 1023), tensor(7, 1023), tensor(7), **kwargs),
        correctness("batch", tensor(5, 1, 37), tensor(41, 37), tensor(41), **kwargs),
        correctness("transposed", transposed(37, 53), transposed(29, 53), tensor(29, strides=(2,)), **kwargs),
        correctness("tokens_first", tensor(5, 13, 37, strides=(37, 185, 1)), tensor(29, 37), tensor(29), **kwargs),
        correctness("padded_rows", padded(31, 45, 3), padded(19, 45, 5), tensor(19), **kwargs),
        correctness("large", tensor(31, 65, generator="large"), tensor(33, 65), tensor(33, generator="large", high=10.0), **kwargs),
        *(correctness(name, tensor(33, 65, dtype=name), tensor(47, 65, dtype=name), tensor(47, dtype=name), **kwargs) for name in halves),
        correctness("long_inner_float16", tensor(9, 1777, dtype="float16"), tensor(11, 1777, dtype="float16"), **kwargs),
    ]


def plain(name: str, source: str, shape: tuple[int, ...], outputs: int, dtype: str = "float32", **kwargs: Argument) -> Case:
    """A performance case without bias."""
    return performance(name, source, tensor(*shape, dtype=dtype), tensor(outputs, shape[-1], dtype=dtype), **kwargs)


def biased(name: str, source: str, shape: tuple[int, ...], outputs: int, dtype: str = "float32", **kwargs: Argument) -> Case:
    """A performance case with a bias."""
    weight, bias = tensor(outputs, shape[-1], dtype=dtype), tensor(outputs, dtype=dtype)
    return performance(name, source, tensor(*shape, dtype=dtype), weight, bias, **kwargs)


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, inputs, outputs = 2 * pick(1, 60) + 1, 2 * pick(1, 80) + 1, 2 * pick(1, 60) + 1
    return [
        hidden("odd", tensor(rows, inputs), tensor(outputs, inputs), tensor(outputs)),
        hidden("no_bias", tensor(3, pick(2, 40), inputs), tensor(outputs, inputs)),
        hidden("transposed", transposed(rows, inputs), transposed(outputs, inputs), tensor(outputs)),
    ]


def least_cost(case: Case) -> Cost:
    x, weight = case.tensors[:2]
    rows, outputs = math.prod(x.shape[:-1]), weight.shape[0]
    return cost(case, rows * outputs, x.dtype, flops=rows * outputs * (2 * x.shape[-1] + len(case.tensors) - 2))
