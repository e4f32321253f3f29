"""Cases and costs that the ops of attention share: queries, keys and values of shape (batch, heads, tokens, width)."""

from __future__ import annotations

import math
from collections.abc import Callable

from evaluator.ops.arguments import ITEM_BYTES, correctness, hidden, input_bytes, takes_bfloat16, tensor
from evaluator.ops.definition import Argument, Case, Cost, Generator, TensorSpec


def heads(
    batch: int,
    count: int,
    tokens: int,
    width: int,
    *,
    kv: int | None = None,
    dtype: str = "float32",
    generator: Generator = "normal",
    high: float = 1.0,
) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
    """Queries, keys and values of as many tokens; `kv` heads of keys and values, else as many as of queries."""
    q = tensor(batch, count, tokens, width, dtype=dtype, generator=generator, high=high)
    k = tensor(batch, count if kv is None else kv, tokens, width, dtype=dtype)
    return q, k, k


def heads_last(batch: int, count: int, tokens: int, width: int, kv: int | None = None) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
    """The same as one projection leaves them in memory: queries, keys and values of all heads of a token side by side."""
    kv = count if kv is None else kv
    step = (count + 2 * kv) * width

    def cut(number: int) -> TensorSpec:
        return tensor(batch, number, tokens, width, strides=(tokens * step, width, step, 1))

    return cut(count), cut(kv), cut(kv)


def correctness_cases(device: str, kv: Callable[[int], int] = lambda count: count) -> list[Case]:
    """Cases of one length of queries and keys. `kv(count)` says how many heads of keys go with `count` of queries."""

    def qkv(batch: int, count: int, tokens: int, width: int, dtype: str = "float32") -> tuple[TensorSpec, ...]:
        return heads(batch, count, tokens, width, kv=kv(count), dtype=dtype)

    halves = ["float16", *(["bfloat16"] if takes_bfloat16(device) else [])]
    by_width = tensor(2, 6, 19, 24, strides=(2736, 456, 1, 19))
    return [
        correctness("plain", *qkv(2, 4, 32, 32)),
        correctness("odd", *qkv(3, 6, 37, 20)),
        correctness("odd_width", *qkv(1, 6, 43, 17)),
        correctness("one_element", *qkv(1, 1, 1, 1)),
        correctness("one_token", *qkv(2, 4, 1, 24)),
        correctness("one_head", *qkv(3, 1, 67, 16)),
        correctness("two_tokens", *qkv(3, 4, 2, 48)),
        correctness("long", *qkv(1, 1, 307, 64)),
        correctness("wide", *qkv(1, 2, 29, 256)),
        correctness("scale", *qkv(2, 4, 41, 24), scale=0.5),
        correctness("scale_of_one", *qkv(2, 4, 41, 8), scale=1.0),
        correctness("heads_last", *heads_last(2, 6, 31, 24, kv(6))),
        correctness("transposed", by_width, *qkv(2, 6, 19, 24)[1:]),
        # Scores reach two hundred, whose exponentials float32 does not hold: the maximum must go first.
        correctness("large", *heads(2, 4, 33, 32, kv=kv(4), generator="large", high=0.005)),
        *(correctness(name, *qkv(2, 4, 37, 40, name)) for name in halves),
        correctness("long_float16", *qkv(1, 2, 263, 32, "float16")),
    ]


def hidden_cases(pick: Callable[[int, int], int], kv: Callable[[int], int] = lambda count: count) -> list[Case]:
    batch, count, tokens, width = pick(1, 3), 2 * pick(1, 3), 2 * pick(2, 50) + 1, 8 * pick(1, 5)
    scale: Argument = pick(1, 9) / 10
    return [
        hidden("odd", *heads(batch, count, tokens, width, kv=kv(count))),
        hidden("heads_last", *heads_last(batch, count, pick(3, 40), width, kv(count)), scale=scale),
    ]


def least_cost(case: Case, *, causal: bool = False) -> Cost:
    """The two products. Causal attention of query i needs the keys 0 to i alone."""
    q, k, v = case.tensors[:3]
    (batch, count, queries, width), keys = q.shape, k.shape[2]
    pairs = sum(min(query + 1, keys) for query in range(queries)) if causal else queries * keys
    output = math.prod(q.shape[:3]) * v.shape[3]
    return Cost(input_bytes(case), output * ITEM_BYTES[q.dtype], 2 * batch * count * pairs * (width + v.shape[3]))
