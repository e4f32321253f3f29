"""Random ops, judged by statistics."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import (
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    padded,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases.elementwise import FLOATS, Pick, half
from evaluator.ops.definition import Call, Case, Cost, Op
from evaluator.ops.rules.chance import structure

if typing.TYPE_CHECKING:
    import torch

FLOAT32_SLACK = 1e-5
"""Where kernels compute 1 / (1 - p) in float32, p near 1 costs digits."""
ROUNDINGS = 2
"""A scale and a product rounded in the element's own dtype may be off by this many of its eps."""
SEGMENT = 1 << 22
"""Elements that are looked at together, so that float64 copies stay small."""


def reference(x: torch.Tensor, p: float) -> torch.Tensor:
    import torch

    return torch.nn.functional.dropout(x, p, training=True)


def dropped_at_random(call: Call) -> str:
    """Each element is 0 or x / (1 - p), and which are 0 was drawn element by element with probability p.

    x / (1 - p) may be off by max(2 eps(dtype), 1e-5) of itself. With p = 0 the output must equal the input, with p = 1 be 0. What else
    is asked of the zeros is written in `evaluator/ops/rules/chance.py`: an honest mask is refused with a probability of at most 1e-9.
    Elements whose x is 0, infinite or NaN, or so small that x / (1 - p) may be flushed to zero, tell nothing about the mask.
    """
    import torch

    x, got = typing.cast("torch.Tensor", call.args[0]), call.got[0]
    p = float(typing.cast("float", call.args[1] if len(call.args) > 1 else call.kwargs["p"]))
    if not x.numel():
        return ""
    if p in (0.0, 1.0):
        return _without_chance(x, got, p)
    of_x, of_got = (torch.split(tensor.reshape(-1), SEGMENT) for tensor in (x, got))
    found = [_neither_nor(*parts, p) for parts in zip(of_x, of_got, strict=True)]
    right, known = (torch.cat(masks).view(x.shape) for masks in zip(*found, strict=True))
    if not bool(right.all()):
        return _first_wrong(~right, x, got, f"are neither 0 nor the input / (1 - {p:g})")
    return structure(got == 0, known, x, p)


def _neither_nor(x: torch.Tensor, got: torch.Tensor, p: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Which elements are 0 or x / (1 - p), and of which a 0 says that they were dropped."""
    import torch

    limits = torch.finfo(x.dtype)
    kept = x.double() / (1 - p)
    kept = torch.where(kept.abs() > limits.max, kept.to(x.dtype).double(), kept)
    error = (got.double() - kept).abs()
    close = error <= max(ROUNDINGS * limits.eps, FLOAT32_SLACK) * kept.abs()
    as_kept = (close & kept.isfinite()) | (got == kept)
    faint = kept.abs() < 2 * limits.tiny
    flushed = faint & (got.abs() < 2 * limits.tiny)
    return (got == 0) | as_kept | flushed | (~x.isfinite() & got.isnan()), x.isfinite() & ~faint


def _without_chance(x: torch.Tensor, got: torch.Tensor, p: float) -> str:
    if p == 1:
        return _first_wrong(got != 0, x, got, "are not 0, though p is 1")
    return _first_wrong((got != x) & ~(got.isnan() & x.isnan()), x, got, "are not the input, though p is 0")


def _first_wrong(wrong: torch.Tensor, x: torch.Tensor, got: torch.Tensor, what: str) -> str:
    places = wrong.nonzero()
    if not len(places):
        return ""
    place = tuple(int(index) for index in places[0])
    return f"{len(places)} of {x.numel()} elements {what}; first at {list(place)}: input {x[place].item():.9g}, got {got[place].item():.9g}"


def cases(device: str) -> list[Case]:
    return [
        correctness("plain", tensor(64, 128), 0.5),
        correctness("odd", tensor(67, 131), 0.3),
        correctness("three_dims", tensor(5, 37, 101), 0.4),
        correctness("one_element", tensor(1), 0.5),
        correctness("empty", tensor(0, 7), 0.5),
        correctness("prime", tensor(16411), 0.2),
        correctness("seldom", tensor(127, 157), 0.02),
        correctness("mostly", tensor(99, 199), 0.9),
        correctness("never", tensor(33, 65), 0.0),
        correctness("always", tensor(33, 65), 1.0),
        correctness("transposed", transposed(127, 131), 0.5),
        correctness("every_other", every_other(113, 101), 0.25),
        correctness("padded_rows", padded(71, 103, 5), p=0.5),
        correctness("ones", tensor(96, 101, generator="integers", low=1, high=2), 0.5),
        correctness("large", tensor(61, 101, generator="large"), 0.35),
        correctness("sparse", tensor(97, 201, generator="sparse"), 0.5),
        correctness("float16", tensor(101, 127, dtype="float16"), 0.1),
        *([correctness("bfloat16", tensor(101, 127, dtype="bfloat16"), 0.45)] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("gpt2_hidden", "GPT-2 hidden states, 256 tokens", tensor(256, 768), 0.1),
            performance("bert_base_scores", "BERT-base attention weights, 256 tokens", tensor(12, 256, 256), 0.1),
        ]
    return [
        performance("gpt2_hidden", "GPT-2 hidden states, batch 16", tensor(16, 1024, 768), 0.1),
        performance("bert_large_scores_half", "BERT-large attention weights, batch 8", tensor(8, 16, 512, 512, dtype=half(device)), 0.1),
        performance("vgg16", "VGG-16 classifier, batch 2048", tensor(2048, 4096), 0.5),
    ]


def hidden_cases(pick: Pick, device: str) -> list[Case]:
    rows, columns = 2 * pick(20, 60) + 1, 2 * pick(40, 80) + 1
    return [
        hidden("odd", tensor(rows, columns), pick(1, 9) / 10),
        hidden("strided", transposed(columns, rows), pick(10, 60) / 100),
        hidden("long", tensor(pick(5_000, 20_000)), pick(1, 49) / 64),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, elements(x), x.dtype, flops=2 * elements(x))


DROPOUT = Op(
    slug="dropout",
    title="Dropout",
    summary="Sets elements to zero at random and scales the others up.",
    description=(
        "Each element becomes 0 with probability p, else x / (1 - p), drawn anew for each element and each call, as in training. Before "
        "attention was fused, every transformer layer had three of them. There is no right answer to compare with: each element must be "
        "one of the two, the number of zeros must fit p, and no row, column, distance or sign may matter. A kernel draws from a counter- "
        "based generator, such as Philox, in registers: a mask that is read from memory costs more than the op. Reading and writing once "
        "bounds it."
    ),
    signature="dropout(Tensor input, float p) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.dropout.default",
    suites=("core",),
    dtypes=FLOATS,
    tags=("elementwise", "random"),
    rules={0: dropped_at_random},
    random=True,
    strides_policy="any",
    starters=starter.load("dropout"),
)

OPS: tuple[Op, ...] = (DROPOUT,)
