"""Kernels that are almost right, each wrong in a way that only its op allows, are refused by some case of the op."""

from __future__ import annotations

import typing
from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from evaluator.candidate.outputs import leaves
from evaluator.correctness import compare_outputs, oracle, same_dtype
from evaluator.ops.registry import get
from evaluator.ops.validate import materialise

Kernel = Callable[..., object]


def refusing(slug: str, kernel: Kernel, only: str = "") -> list[str]:
    """Names of the correctness cases that refuse a kernel, of all or of one."""
    op, names = get(slug), []
    for case in op.correctness_cases("h100"):
        if only not in ("", case.name):
            continue
        args, kwargs = materialise(case, 1)
        got = typing.cast("list[torch.Tensor]", leaves(kernel(*args, **kwargs)))
        right, same = oracle(op, args, kwargs), same_dtype(op, args, kwargs)
        if not compare_outputs(op, case, expected=right, torch_same_dtype=same, got=got).passed:
            names.append(case.name)
    return names


def rounded_product(dtype: torch.dtype) -> Kernel:
    return lambda a, b: (a.to(dtype).float() @ b.to(dtype).float()).to(a.dtype)


def summed_in_float16(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    out = torch.zeros((a.shape[0], b.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        out += a[:, k : k + 1] * b[k : k + 1] if a.dtype == torch.float16 else torch.zeros_like(out)
    return out if a.dtype == torch.float16 else a @ b


def beta_times_what_is_not_read(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, beta: float = 1, alpha: float = 1) -> torch.Tensor:
    return beta * x + alpha * (a @ b)


def rows_by_expert(shift: int) -> Kernel:
    def kernel(x: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        rows = torch.arange(len(x)) + shift
        expert = torch.searchsorted(ends.to(torch.int64), rows, right=True).clamp(0, len(weights) - 1)
        return torch.bmm(x[:, None].float(), weights[expert].float())[:, 0].to(x.dtype)

    return kernel


def soft(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, seen: torch.Tensor | None, scale: float | None) -> torch.Tensor:
    scores = q.double() @ k.double().mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores if seen is None else scores.masked_fill(~seen, -torch.inf)
    return (torch.softmax(scores, -1).nan_to_num() @ v.double()).to(q.dtype)


def causal(shift: int) -> Kernel:
    def kernel(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
        return soft(q, k, v, torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(shift), scale)

    return kernel


def causal_from_the_end(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
    return soft(q, k, v, torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2]), scale)


def grouped(heads_of: Callable[[torch.Tensor, int], torch.Tensor]) -> Kernel:
    def kernel(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
        share = q.shape[1] // k.shape[1]
        seen = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool).tril()
        return soft(q, heads_of(k, share), heads_of(v, share), seen, scale)

    return kernel


def in_blocks(x: torch.Tensor, share: int) -> torch.Tensor:
    return x.repeat_interleave(share, 1)


def in_turns(x: torch.Tensor, share: int) -> torch.Tensor:
    return x.repeat(1, share, 1, 1)


def decode(shift: int, heads_of: Callable[[torch.Tensor, int], torch.Tensor] = in_blocks) -> Kernel:
    def kernel(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
        share = q.shape[1] // k.shape[1]
        seen = torch.arange(k.shape[2]) < (lengths + shift)[:, None, None, None]
        return soft(q[:, :, None], heads_of(k, share), heads_of(v, share), seen, scale)[:, :, 0]

    return kernel


def masked(change: Callable[[torch.Tensor], torch.Tensor | None]) -> Kernel:
    def kernel(
        q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None, *, scale: float | None = None
    ) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, v, None if mask is None else change(mask), scale=scale)

    return kernel


def without_maximum(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float | None = None) -> torch.Tensor:
    weights = torch.exp(q.float() @ k.float().mT * (q.shape[-1] ** -0.5 if scale is None else scale))
    return (weights / weights.sum(-1, keepdim=True) @ v.float()).to(q.dtype)


def first_positions(slug: str) -> Kernel:
    def kernel(q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> object:
        return get(slug).reference(q, k, cos[0, 0] if cos.dim() == 4 else cos, sin[0, 0] if sin.dim() == 4 else sin)

    return kernel


def turned_back(slug: str) -> Kernel:
    return lambda q, k, cos, sin: get(slug).reference(q, k, cos, -sin)


@pytest.mark.parametrize(
    ("slug", "kernel", "case"),
    [
        ("mm", rounded_product(torch.float16), "plain"),
        ("mm", summed_in_float16, "long_inner_float16"),
        ("mm_tf32", rounded_product(torch.bfloat16), "plain"),
        ("mm_tf32", rounded_product(torch.float16), "beyond_float16"),
        ("mm_tf32", rounded_product(torch.float16), "below_float16"),
        ("addmm", beta_times_what_is_not_read, "without_input"),
        ("linear", lambda x, weight, bias=None: functional.linear(x, weight), "odd"),
        ("linear_gelu", lambda x, weight, bias=None, *, approximate="none": functional.gelu(functional.linear(x, weight, bias)), "tanh"),
        ("grouped_mm", rows_by_expert(1), "odd"),
        ("grouped_mm", rows_by_expert(-1), "odd"),
        ("attention", without_maximum, "large"),
        ("causal_attention", causal(1), "odd"),
        ("causal_attention", causal(-1), "odd"),
        ("causal_attention", causal_from_the_end, "more_keys"),
        ("causal_attention", without_maximum, "odd"),
        ("gqa_attention", grouped(in_turns), "odd"),
        ("decode_attention", decode(1), "odd"),
        ("decode_attention", decode(-1), "odd"),
        ("decode_attention", decode(10**6), "odd"),
        ("decode_attention", decode(0, in_turns), "odd"),
        ("masked_attention", masked(lambda _mask: None), "one_for_all"),
        ("masked_attention", masked(lambda mask: mask.float() if mask.dtype == torch.bool else mask), "only_some"),
        ("masked_attention", masked(lambda mask: mask[..., :1, :]), "one_each"),
        ("masked_attention", masked(lambda mask: mask[:1] if mask.dim() == 4 else mask), "by_key"),
        ("rotary_embedding", get("rotary_embedding_interleaved").reference, "plain"),
        ("rotary_embedding_interleaved", get("rotary_embedding").reference, "plain"),
        *((slug, first_positions(slug), "own_positions") for slug in ("rotary_embedding", "rotary_embedding_interleaved")),
        *((slug, turned_back(slug), "plain") for slug in ("rotary_embedding", "rotary_embedding_interleaved")),
    ],
)
def test_near_misses_are_refused(slug: str, kernel: Kernel, case: str) -> None:
    assert refusing(slug, kernel, case) == [case]


@pytest.mark.parametrize(
    ("slug", "kernel"),
    [
        ("grouped_mm", rows_by_expert(0)),
        ("causal_attention", causal(0)),
        ("gqa_attention", grouped(in_blocks)),
        ("decode_attention", decode(0)),
        ("masked_attention", masked(lambda mask: mask)),
    ],
)
def test_what_the_near_misses_miss_is_accepted(slug: str, kernel: Kernel) -> None:
    assert refusing(slug, kernel) == []
