"""cross_entropy: minus the log-probability of each row's target class."""

from __future__ import annotations

import typing
from collections.abc import Callable

from evaluator.ops import starter
from evaluator.ops.arguments import (
    argument,
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.definition import Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

FLOPS_PER_ELEMENT = 4
"""Maximum, subtraction, exponential, sum."""


def reference(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean", ignore_index: int = -100) -> torch.Tensor:
    import torch

    return torch.nn.functional.cross_entropy(x, target, reduction=reduction, ignore_index=ignore_index)


def logits(rows: int, classes: int, dtype: str = "float32", generator: Generator = "normal") -> tuple[TensorSpec, TensorSpec]:
    return tensor(rows, classes, dtype=dtype, generator=generator), targets(rows, 0, classes)


def targets(rows: int, low: int, classes: int) -> TensorSpec:
    return tensor(rows, dtype="int64", generator="integers", low=low, high=classes)


def cases(device: str) -> list[Case]:
    return [
        correctness("mean", *logits(64, 128), reduction="mean"),
        correctness("sum", *logits(33, 67), reduction="sum"),
        correctness("none", *logits(33, 67), reduction="none"),
        correctness("default", *logits(9, 1021)),
        correctness("one_row", *logits(1, 257), reduction="none"),
        correctness("two_classes", *logits(65, 2), reduction="none"),
        correctness("one_class", *logits(5, 1), reduction="mean"),
        correctness("ignored", tensor(35, 5), targets(35, -1, 5), reduction="none", ignore_index=-1),
        correctness("ignored_mean", tensor(35, 5), targets(35, -1, 5), reduction="mean", ignore_index=-1),
        correctness("transposed", transposed(19, 37), targets(19, 0, 37), reduction="none"),
        correctness("strided_targets", tensor(21, 33), strided_targets(21, 33), reduction="none"),
        correctness("large", *logits(15, 255, generator="large"), reduction="none"),
        correctness("constant_rows", *logits(15, 33, generator="constant_rows"), reduction="none"),
        correctness("float16", *logits(15, 129, dtype="float16"), reduction="none"),
        *([correctness("bfloat16", *logits(15, 129, dtype="bfloat16"), reduction="mean")] if takes_bfloat16(device) else []),
        *performance_cases(device),
    ]


def strided_targets(rows: int, classes: int) -> TensorSpec:
    return tensor(rows, dtype="int64", generator="integers", low=0, high=classes, strides=(2,))


def performance_cases(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x1000", "ImageNet classes, batch 128", *logits(128, 1000), reduction="mean"),
            performance("32x50257", "GPT-2 vocabulary, 32 tokens", *logits(32, 50257), reduction="mean"),
        ]
    return [
        performance("imagenet", "ImageNet classes, batch 8192", *logits(8192, 1000), reduction="mean"),
        performance("gpt2_vocabulary", "GPT-2 vocabulary, 1024 tokens", *logits(1024, 50257), reduction="mean"),
        performance("llama3_vocabulary_fp16", "Llama 3 vocabulary, 1024 tokens", *logits(1024, 128256, dtype="float16"), reduction="mean"),
    ]


def hidden_cases(pick: Callable[[int, int], int], device: str) -> list[Case]:
    rows, classes = pick(2, 24), pick(3, 40)
    return [
        hidden("odd", *logits(pick(2, 24), 2 * pick(1, 900) + 1), reduction="none"),
        hidden("mean", *logits(2 * pick(1, 20) + 1, pick(2, 400)), reduction="mean"),
        hidden("ignored", tensor(rows, classes), targets(rows, -1, classes), reduction="none", ignore_index=-1),
    ]


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    outputs = x.shape[0] if argument(case, 2, "reduction", "mean") == "none" else 1
    return cost(case, outputs, x.dtype, flops=FLOPS_PER_ELEMENT * elements(x))


OP = Op(
    slug="cross_entropy",
    title="Cross entropy",
    summary="Minus the log-probability of each row's target class.",
    signature="cross_entropy(Tensor self, Tensor target, *, str reduction='mean', int ignore_index=-100) -> Tensor",
    reference=reference,
    cases=cases,
    hidden_cases=hidden_cases,
    cost=least_cost,
    aten="aten.cross_entropy_loss.default",
    suites=("smoke", "core"),
    dtypes=("float32", "float16", "bfloat16"),
    tags=("loss", "row-wise"),
    starters=starter.load("cross_entropy"),
)
