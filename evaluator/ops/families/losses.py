"""Losses of distributions over classes. Losses of single values are in `pointwise_losses.py`."""

from __future__ import annotations

import math
import typing
from dataclasses import replace

from evaluator.ops import starter
from evaluator.ops.arguments import (
    argument,
    correctness,
    cost,
    elements,
    every_other,
    first_tensor,
    hidden,
    performance,
    takes_bfloat16,
    tensor,
    transposed,
)
from evaluator.ops.cases import pairwise
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Case, Cost, Generator, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
CROSS_ENTROPY_FLOPS, KL_DIV_FLOPS = 4, 5
"""An element: maximum, subtraction, exponential, sum; logarithm, subtraction, product, sum, and what the edge at zero costs."""


def cross_entropy_reference(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean", ignore_index: int = -100) -> torch.Tensor:
    import torch

    return torch.nn.functional.cross_entropy(x, target, reduction=reduction, ignore_index=ignore_index)


def logits(rows: int, classes: int, dtype: str = "float32", generator: Generator = "normal") -> tuple[TensorSpec, TensorSpec]:
    return tensor(rows, classes, dtype=dtype, generator=generator), targets(rows, 0, classes)


def targets(rows: int, low: int, classes: int) -> TensorSpec:
    return tensor(rows, dtype="int64", generator="integers", low=low, high=classes)


def cross_entropy_cases(device: str) -> list[Case]:
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
        *cross_entropy_performance(device),
    ]


def strided_targets(rows: int, classes: int) -> TensorSpec:
    return tensor(rows, dtype="int64", generator="integers", low=0, high=classes, strides=(2,))


def cross_entropy_performance(device: str) -> list[Case]:
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


def cross_entropy_hidden(pick: Pick, device: str) -> list[Case]:
    rows, classes = pick(2, 24), pick(3, 40)
    return [
        hidden("odd", *logits(pick(2, 24), 2 * pick(1, 900) + 1), reduction="none"),
        hidden("mean", *logits(2 * pick(1, 20) + 1, pick(2, 400)), reduction="mean"),
        hidden("ignored", tensor(rows, classes), targets(rows, -1, classes), reduction="none", ignore_index=-1),
    ]


def cross_entropy_cost(case: Case) -> Cost:
    x = first_tensor(case)
    outputs = x.shape[0] if argument(case, 2, "reduction", "mean") == "none" else 1
    return cost(case, outputs, x.dtype, flops=CROSS_ENTROPY_FLOPS * elements(x))


def kl_div_reference(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "batchmean", log_target: bool = False) -> torch.Tensor:
    import torch

    return torch.nn.functional.kl_div(x, target, reduction=reduction, log_target=log_target)


def log_probabilities(x: TensorSpec) -> TensorSpec:
    """Values as a log-softmax gives them, whose exponentials are 1 in sum along the last dimension, on average; `large` ones stay.

    So the sum over a batch fits into float16, too.
    """
    return x if x.generator == "large" else replace(x, low=-math.log(x.shape[-1]) - 0.5)


def with_probabilities(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    return log_probabilities(x), tensor(*x.shape, dtype=x.dtype, generator="uniform", high=2 / max(x.shape[-1], 2))


def with_log_probabilities(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    return log_probabilities(x), log_probabilities(tensor(*x.shape, dtype=x.dtype))


def kl_div_cases(device: str) -> list[Case]:
    one_hot = tensor(33, 65, generator="integers", low=0, high=2)
    by_mean = [case for case in pairwise.pairs(device, with_probabilities) if case.kwargs.get("reduction") != "mean"]
    return [
        *by_mean,
        correctness("batchmean", *with_probabilities(tensor(7, 65, 3)), reduction="batchmean"),
        correctness("zeros_and_ones", log_probabilities(tensor(33, 65)), one_hot, reduction="none"),
        correctness("log_target", *with_log_probabilities(tensor(17, 129)), reduction="none", log_target=True),
        correctness("log_target_batchmean", *with_log_probabilities(tensor(17, 129)), reduction="batchmean", log_target=True),
        correctness("every_other", *with_log_probabilities(every_other(13, 31)), reduction="sum", log_target=True),
        *kl_div_performance(device),
    ]


def kl_div_performance(device: str) -> list[Case]:
    def case(name: str, source: str, x: TensorSpec, log_target: bool) -> Case:
        arguments = with_log_probabilities(x) if log_target else with_probabilities(x)
        return performance(name, source, *arguments, reduction="batchmean", log_target=log_target)

    if device == "cpu":
        return [
            case("imagenet", "DeiT distilled, ImageNet classes, batch 256", tensor(256, 1000), True),
            case("16x50257", "DistilGPT2, vocabulary, 16 tokens", tensor(16, 50257), False),
        ]
    return [
        case("imagenet", "DeiT distilled, ImageNet classes, batch 16384", tensor(16384, 1000), True),
        case("gpt2_vocabulary", "DistilGPT2, vocabulary, 1024 tokens", tensor(1024, 50257), False),
        case("llama3_vocabulary_fp16", "Llama 3 distilled, vocabulary, 1024 tokens", tensor(1024, 128256, dtype="float16"), True),
    ]


def kl_div_hidden(pick: Pick, device: str) -> list[Case]:
    log_target = with_log_probabilities(tensor(pick(2, 24), 2 * pick(1, 300) + 1))
    return [*pairwise.hidden_pairs(pick, with_probabilities), hidden("log_target", *log_target, reduction="batchmean", log_target=True)]


OPS: tuple[Op, ...] = (
    Op(
        slug="cross_entropy",
        title="Cross entropy",
        summary="Minus the log-probability of each row's target class.",
        description=(
            "log(sum(exp(x))) - x[target] for each row of logits; rows whose target is `ignore_index` count as nothing. `reduction` "
            "gives all losses, their sum, or their mean over the rows that count. Language models and classifiers are trained by it. The "
            "vocabulary of a language model makes a row a hundred thousand logits long: they should be read once, with a running "
            "maximum, and their log-probabilities never be written."
        ),
        signature="cross_entropy(Tensor self, Tensor target, *, str reduction='mean', int ignore_index=-100) -> Tensor",
        reference=cross_entropy_reference,
        cases=cross_entropy_cases,
        hidden_cases=cross_entropy_hidden,
        cost=cross_entropy_cost,
        aten="aten.cross_entropy_loss.default",
        suites=("smoke", "core"),
        dtypes=DTYPES,
        tags=("loss", "row-wise"),
        starters=starter.load("cross_entropy"),
    ),
    Op(
        slug="kl_div",
        title="Kullback-Leibler divergence",
        summary="How far log-probabilities are from a target distribution: mean over the batch, sum, or all.",
        description=(
            "target * (log(target) - x) for each element, 0 where the target is 0; x holds log-probabilities. With `log_target` the "
            "target holds them too: exp(target) * (target - x). `reduction` gives the sum over the size of the first dimension "
            "('batchmean'), the sum, or all. Distilled models learn a teacher's distribution by it, policies stay near the one that they "
            "started from. Two tensors as large as a vocabulary are read and a single number is left."
        ),
        signature="kl_div(Tensor self, Tensor target, *, str reduction='batchmean', bool log_target=False) -> Tensor",
        reference=kl_div_reference,
        cases=kl_div_cases,
        hidden_cases=kl_div_hidden,
        cost=pairwise.least_cost(KL_DIV_FLOPS),
        aten="aten.kl_div.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("loss", "elementwise", "reduction"),
        starters=starter.load("kl_div"),
    ),
)
