"""Cases that ops over rows share: reductions of some dimensions, ops along one dimension, normalisations of the last ones."""

from __future__ import annotations

import math
from collections.abc import Callable

from evaluator.ops.arguments import (
    argument,
    correctness,
    every_other,
    first_tensor,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Argument, Case, TensorSpec

Pick = Callable[[int, int], int]
Reduction = Callable[[TensorSpec, tuple[int, ...], bool], tuple[Argument, ...]]
"""Arguments of a call that reduces a tensor over some dimensions and keeps them, or not, with size 1."""
Along = Callable[[TensorSpec, int], tuple[Argument, ...]]
"""Arguments of a call that works along one dimension of a tensor."""
Normalised = Callable[[TensorSpec, int, float], tuple[Argument, ...]]
"""Arguments of a call that normalises an input over its last dimensions, how many is told, with all optional tensors."""


def plainly(x: TensorSpec, dims: tuple[int, ...], keepdim: bool) -> tuple[Argument, ...]:
    """`op(x, dim, keepdim)`."""
    return x, dims, keepdim


def reductions(device: str, arguments: Reduction) -> list[Case]:
    def case(name: str, x: TensorSpec, dims: tuple[int, ...], keepdim: bool = False) -> Case:
        return correctness(name, *arguments(x, dims, keepdim))

    return [
        case("rows", tensor(64, 128), (1,)),
        case("columns", tensor(64, 128), (0,)),
        case("rows_keepdim", tensor(33, 67), (-1,), keepdim=True),
        case("middle", tensor(5, 37, 9), (1,)),
        case("two_dims", tensor(7, 11, 13), (0, 2)),
        case("all_dims_keepdim", tensor(3, 5, 7), (0, 1, 2), keepdim=True),
        case("one_element", tensor(1, 1), (1,)),
        case("one_column", tensor(65, 1), (1,)),
        case("vector", tensor(4099), (0,)),
        case("transposed", transposed(37, 53), (1,)),
        case("every_other", every_other(19, 31), (0,)),
        case("large", tensor(17, 1023, generator="large"), (1,)),
        case("float16", tensor(31, 129, dtype="float16"), (1,)),
        *([case("bfloat16", tensor(31, 129, dtype="bfloat16"), (-1,), keepdim=True)] if takes_bfloat16(device) else []),
    ]


def hidden_reductions(pick: Pick, arguments: Reduction) -> list[Case]:
    rows, columns = 2 * pick(1, 40) + 1, 2 * pick(1, 500) + 1
    return [
        hidden("rows", *arguments(tensor(rows, columns), (1,), False)),
        hidden("columns", *arguments(transposed(columns, rows), (0,), True)),
        hidden("two_dims", *arguments(tensor(pick(2, 9), pick(2, 40), pick(2, 40)), (1, 2), False)),
    ]


def kept_elements(case: Case, position: int = 1) -> int:
    """How many elements a reduction leaves: `dim` is argument number `position`. None, no argument and () are all dimensions."""
    shape = first_tensor(case).shape
    dims = argument(case, position, "dim")
    dims = dims if isinstance(dims, tuple) else (dims,) if isinstance(dims, int) else ()
    reduced = {dim % len(shape) for dim in dims if isinstance(dim, int)}
    return math.prod(size for dim, size in enumerate(shape) if dim not in reduced) if reduced else 1


def along(device: str, arguments: Along) -> list[Case]:
    def case(name: str, x: TensorSpec, dim: int) -> Case:
        return correctness(name, *arguments(x, dim))

    return [
        case("plain", tensor(64, 128), -1),
        case("odd", tensor(17, 67), 1),
        case("one_row", tensor(1, 1021), -1),
        case("one_column", tensor(9, 1), 1),
        case("vector", tensor(4099), 0),
        case("first_dim", tensor(67, 17), 0),
        case("middle_dim", tensor(3, 41, 5), 1),
        case("transposed", transposed(19, 37), -1),
        case("every_other", every_other(13, 31), -1),
        case("padded_rows", padded(11, 45, 3), -1),
        case("large", tensor(15, 255, generator="large"), -1),
        case("tiny_variance", tensor(15, 129, generator="tiny_variance", high=30.0), -1),
        case("constant_rows", tensor(15, 33, generator="constant_rows"), -1),
        case("float16", tensor(15, 129, dtype="float16"), -1),
        *([case("bfloat16", tensor(15, 129, dtype="bfloat16"), -1)] if takes_bfloat16(device) else []),
    ]


def scores_and_vocabularies(device: str, arguments: Along) -> list[Case]:
    """Timed where models compute probabilities: attention scores, and vocabularies."""
    if device == "cpu":
        return [
            performance("128x4096", "Llama 2 7B scores of one head, 128 of 4096 tokens", *arguments(tensor(128, 4096), -1)),
            performance("32x50257", "GPT-2 vocabulary, 32 tokens", *arguments(tensor(32, 50257), -1)),
        ]
    llama3 = tensor(256, 128256, dtype="float16")
    return [
        performance("4096x4096", "Llama 2 7B scores of one head, 4096 tokens", *arguments(tensor(4096, 4096), -1)),
        performance("gpt2_scores", "GPT-2 scores of 12 heads, batch 2", *arguments(tensor(2, 12, 1024, 1024), -1)),
        performance("llama3_vocabulary_fp16", "Llama 3 vocabulary, 256 tokens", *arguments(llama3, -1)),
    ]


def hidden_along(pick: Pick, arguments: Along) -> list[Case]:
    rows, columns = pick(2, 24), 2 * pick(1, 900) + 1
    return [
        hidden("odd", *arguments(tensor(rows, columns), -1)),
        hidden("first_dim", *arguments(tensor(2 * pick(10, 200) + 1, pick(2, 24)), 0)),
        hidden("strided", *arguments(transposed(pick(2, 24), pick(30, 300)), 1)),
    ]


def normalised(device: str, arguments: Normalised, eps: float) -> list[Case]:
    """Cases of ops that normalise rows and scale them."""

    def case(name: str, x: TensorSpec, dims: int = 1, eps: float = eps) -> Case:
        return correctness(name, *arguments(x, dims, eps))

    return [
        case("plain", tensor(64, 128)),
        case("odd", tensor(17, 67)),
        case("three_dims", tensor(3, 7, 45)),
        case("large_eps", tensor(9, 33), eps=0.5),
        case("one_row", tensor(1, 1021)),
        case("one_column", tensor(9, 1)),
        case("transposed", transposed(19, 37)),
        case("padded_rows", padded(11, 45, 3)),
        case("large", tensor(15, 255, generator="large")),
        case("tiny_variance", tensor(15, 129, generator="tiny_variance")),
        case("float16", tensor(15, 129, dtype="float16")),
        *([case("bfloat16", tensor(15, 129, dtype="bfloat16"))] if takes_bfloat16(device) else []),
    ]


def hidden_normalised(pick: Pick, arguments: Normalised, eps: float) -> list[Case]:
    return [
        hidden("odd", *arguments(tensor(pick(2, 24), 2 * pick(5, 900) + 1), 1, eps)),
        hidden("three_dims", *arguments(tensor(pick(2, 12), pick(3, 40), pick(3, 40)), 1, eps)),
        hidden("strided", *arguments(transposed(pick(2, 24), pick(30, 300)), 1, eps)),
    ]


def scale(x: TensorSpec, dims: int = 1) -> TensorSpec:
    """Weights around 1 for the last dimensions of an input."""
    return tensor(*x.shape[-dims:], dtype=x.dtype, low=1.0, high=0.25)
