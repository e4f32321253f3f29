"""Caches of attention: kv_cache_write."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, hidden, performance, takes_bfloat16, tensor, tensor_bytes
from evaluator.ops.definition import Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch


def kv_cache_write(key: torch.Tensor, value: torch.Tensor, key_cache: torch.Tensor, value_cache: torch.Tensor, slots: torch.Tensor) -> None:
    block_size = key_cache.shape[1]
    block, place = slots // block_size, slots % block_size
    key_cache[block, place] = key
    value_cache[block, place] = value


def written(
    tokens: int,
    heads: int,
    head_size: int,
    *,
    blocks: int,
    block_size: int,
    dtype: str = "float32",
    generator: Generator = "normal",
    slots_dtype: str = "int64",
    token_strides: tuple[int, ...] | None = None,
    cache_strides: tuple[int, ...] | None = None,
) -> tuple[TensorSpec, ...]:
    """Keys, values, both caches, and a slot of its own for each token."""
    new = tensor(tokens, heads, head_size, dtype=dtype, generator=generator, strides=token_strides)
    cache = tensor(blocks, block_size, heads, head_size, dtype=dtype, strides=cache_strides)
    slots = tensor(tokens, dtype=slots_dtype, generator="permutation", low=0, high=blocks * block_size)
    return new, new, cache, cache, slots


def kv_cache_write_cases(device: str) -> list[Case]:
    by_heads = (7 * 3 * 19, 19, 7 * 19, 1)
    return [
        correctness("plain", *written(24, 4, 32, blocks=6, block_size=16)),
        correctness("odd", *written(13, 3, 19, blocks=5, block_size=7)),
        correctness("one_token", *written(1, 5, 33, blocks=4, block_size=9)),
        correctness("one_head", *written(17, 1, 65, blocks=3, block_size=11)),
        correctness("one_element", *written(29, 1, 1, blocks=37, block_size=1)),
        correctness("no_token", *written(0, 2, 8, blocks=3, block_size=4)),
        correctness("every_slot", *written(35, 2, 17, blocks=5, block_size=7)),
        correctness("one_block", *written(23, 2, 13, blocks=1, block_size=41)),
        correctness("int32_slots", *written(19, 3, 21, blocks=9, block_size=5, slots_dtype="int32")),
        correctness("cut_out_of_qkv", *written(15, 3, 19, blocks=5, block_size=7, token_strides=(9 * 19, 19, 1))),
        correctness("heads_before_places", *written(15, 3, 19, blocks=5, block_size=7, cache_strides=by_heads)),
        correctness("large", *written(13, 3, 19, blocks=5, block_size=7, generator="large")),
        correctness("special", *written(13, 3, 19, blocks=5, block_size=7, generator="special")),
        correctness("float16", *written(31, 3, 33, blocks=6, block_size=16, dtype="float16")),
        *([correctness("bfloat16", *written(31, 3, 33, blocks=6, block_size=16, dtype="bfloat16"))] if takes_bfloat16(device) else []),
        *kv_cache_write_performance(device),
    ]


def kv_cache_write_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2", "GPT-2 cache of 12 heads, 256 new tokens", *written(256, 12, 64, blocks=64, block_size=16)),
            performance("tinyllama", "TinyLlama 1.1B cache of 4 heads, 128 new tokens", *written(128, 4, 64, blocks=128, block_size=16)),
        ]
    return [
        performance("gpt2_xl", "GPT-2 XL cache of 25 heads, 8192 new tokens", *written(8192, 25, 64, blocks=1024, block_size=16)),
        performance(
            "llama3_8b_fp16",
            "Llama 3 8B cache of 8 heads, 16384 new tokens",
            *written(16384, 8, 128, blocks=2048, block_size=16, dtype="float16"),
        ),
        performance(
            "llama3_8b_decoding_fp16",
            "Llama 3 8B cache of 8 heads, one new token of 256 requests",
            *written(256, 8, 128, blocks=1024, block_size=16, dtype="float16"),
        ),
    ]


def kv_cache_write_hidden(pick: Callable[[int, int], int], device: str) -> list[Case]:
    tokens, heads, head_size, block_size = pick(2, 30), pick(1, 5), 2 * pick(1, 20) + 1, pick(2, 16)
    blocks = -(-tokens // block_size) + pick(0, 3)
    strides = (3 * heads * head_size, head_size, 1)
    return [
        hidden("odd", *written(tokens, heads, head_size, blocks=blocks, block_size=block_size)),
        hidden("cut_out_of_qkv", *written(tokens, heads, head_size, blocks=blocks, block_size=block_size, token_strides=strides)),
    ]


def kv_cache_write_cost(case: Case) -> Cost:
    """Only the slots that are written to are moved, not the caches."""
    key, value, _, _, slots = case.tensors
    new = tensor_bytes(key) + tensor_bytes(value)
    return Cost(new + tensor_bytes(slots), new, 0)


OPS: tuple[Op, ...] = (
    Op(
        slug="kv_cache_write",
        title="KV cache write",
        summary="Writes the keys and values of new tokens to their slots of a paged cache, in place.",
        description=(
            "The caches are blocks of places: slot s is place s % block_size of block s // block_size. Writes key[i] to slot slots[i] "
            "of key_cache, and value[i] to the same slot of value_cache; no slot is named twice, and all other slots stay as they "
            "are. key and value have the shape (tokens, heads, head size), the caches (blocks, block size, heads, head size). Every "
            "attention layer of a server with paged memory runs it for each new token. It only moves data, mostly in calls so small "
            "that launching them is what costs: one kernel for both tensors, wide accesses, and strides taken as they come."
        ),
        signature="kv_cache_write(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slots) -> ()",
        reference=kv_cache_write,
        cases=kv_cache_write_cases,
        hidden_cases=kv_cache_write_hidden,
        cost=kv_cache_write_cost,
        suites=("core",),
        dtypes=("float32", "float16", "bfloat16"),
        tags=("indexing", "data-movement", "in-place", "attention", "scatter"),
        compare="exact",
        mutates=(2, 3),
        starters=starter.load("kv_cache_write"),
    ),
)
