"""Reductions along dimensions: sums and norms. Those that select or ask are in `selections.py`."""

from __future__ import annotations

import math
import typing
from collections.abc import Sequence

from evaluator.ops import starter
from evaluator.ops.arguments import (
    ITEM_BYTES,
    correctness,
    cost,
    elements,
    first_tensor,
    hidden,
    input_bytes,
    performance,
    tensor,
    transposed,
)
from evaluator.ops.cases import rowwise
from evaluator.ops.definition import Argument, Case, Cost, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")


def sum_reference(x: torch.Tensor, dim: tuple[int, ...], keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.sum(x, dim=dim, keepdim=keepdim)


def sum_cases(device: str) -> list[Case]:
    empty = correctness("empty_rows", tensor(5, 0), (1,), False)
    return [*rowwise.reductions(device, rowwise.plainly), empty, *sum_performance(device)]


def sum_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x16384", "OPT-6.7B MLP, 128 tokens", tensor(128, 16384), (1,), False),
            performance("64x50257", "GPT-2 vocabulary, 64 tokens", tensor(64, 50257), (-1,), True),
        ]
    return [
        performance("4096x4096", "Llama 2 7B scores of one head, 4096 tokens", tensor(4096, 4096), (-1,), False),
        performance("gpt2_bias_gradient", "GPT-2 MLP bias gradient, batch 8", tensor(8, 1024, 3072), (0, 1), False),
        performance("resnet50_pool_fp16", "ResNet-50 layer 1 pooled, batch 64", tensor(64, 256, 56, 56, dtype="float16"), (2, 3), False),
    ]


def hidden_cases(pick: rowwise.Pick, device: str) -> list[Case]:
    return rowwise.hidden_reductions(pick, rowwise.plainly)


def least_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, rowwise.kept_elements(case), x.dtype, flops=elements(x))


def mean_reference(x: torch.Tensor, dim: tuple[int, ...], keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.mean(x, dim=dim, keepdim=keepdim)


def mean_cases(device: str) -> list[Case]:
    return [
        *rowwise.reductions(device, rowwise.plainly),
        correctness("empty_rows", tensor(5, 0), (1,), False),
        correctness("sum_beyond_float16", tensor(17, 1023, dtype="float16", generator="tiny_variance", high=1000.0), (1,)),
        *statistics_performance(device, lambda x, dims: (x, dims)),
    ]


def statistics_performance(device: str, arguments: typing.Callable[[TensorSpec, tuple[int, ...]], tuple[Argument, ...]]) -> Sequence[Case]:
    """Where models take means: features of an image, statistics of a channel, states of a sentence or a token."""
    if device == "cpu":
        stem, hidden_states = tensor(1, 64, 112, 112), tensor(128, 4096)
        return (
            performance("resnet50_stem", "ResNet-50 stem, channels of one image", *arguments(stem, (0, 2, 3))),
            performance("128x4096", "OPT-6.7B hidden states, 128 tokens", *arguments(hidden_states, (-1,))),
        )
    stem, tokens = tensor(32, 64, 112, 112), tensor(8192, 4096, dtype="float16")
    return (
        performance("resnet50_stem", "ResNet-50 stem, channels over batch 32", *arguments(stem, (0, 2, 3))),
        performance("bert_pooling", "BERT base sentences of 512 tokens, batch 64", *arguments(tensor(64, 512, 768), (1,))),
        performance("opt_6_7b_fp16", "OPT-6.7B hidden states, 8192 tokens", *arguments(tokens, (-1,))),
    )


def var_mean_reference(
    x: torch.Tensor, dim: tuple[int, ...], correction: int = 1, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    return torch.var_mean(x, dim=dim, correction=correction, keepdim=keepdim)


def var_mean_cases(device: str) -> list[Case]:
    return [
        *rowwise.reductions(device, biased),
        correctness("default_correction", tensor(33, 9), (1,)),
        correctness("correction_of_2", tensor(9, 33), (0,), 2, True),
        correctness("tiny_variance", tensor(15, 129, generator="tiny_variance"), (1,), 1),
        correctness("far_from_zero", tensor(11, 1021, low=300.0), (1,), 1),
        *statistics_performance(device, lambda x, dims: (x, dims, 0)),
    ]


def biased(x: TensorSpec, dims: tuple[int, ...], keepdim: bool) -> tuple[Argument, ...]:
    """Without correction, a single element has the variance 0."""
    return x, dims, 0, keepdim


def var_mean_hidden(pick: rowwise.Pick, device: str) -> list[Case]:
    far = hidden("far", tensor(pick(2, 16), 2 * pick(30, 400) + 1, low=float(pick(20, 90))), (1,))
    return [*rowwise.hidden_reductions(pick, biased), far]


def var_mean_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return Cost(input_bytes(case), 2 * rowwise.kept_elements(case) * ITEM_BYTES[x.dtype], 4 * elements(x))


def vector_norm_reference(x: torch.Tensor, ord: float = 2, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> torch.Tensor:  # noqa: A002
    import torch

    norm: torch.Tensor = torch.linalg.vector_norm(x, ord, dim, keepdim)
    return norm


def euclidean(x: TensorSpec, dims: tuple[int, ...], keepdim: bool) -> tuple[Argument, ...]:
    return x, 2.0, dims, keepdim


def vector_norm_cases(device: str) -> list[Case]:
    return [
        *rowwise.reductions(device, euclidean),
        correctness("transposed_whole", transposed(37, 53)),
        correctness("ord_1", tensor(33, 67), 1.0, (1,)),
        correctness("ord_3", tensor(17, 129), 3.0, (0,), True),
        correctness("ord_infinity", tensor(29, 31), math.inf, (-1,)),
        correctness("sum_beyond_float16", tensor(31, 9, dtype="float16", generator="large"), 2.0, (1,)),
        *vector_norm_performance(device),
    ]


def vector_norm_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("128x4096", "OPT-6.7B hidden states, 128 tokens", tensor(128, 4096), 2.0, (-1,)),
            performance("gpt2_gradient", "GPT-2 MLP gradient, clipping", tensor(768, 3072), 2.0),
        ]
    clip = tensor(8192, 1024, dtype="float16")
    return [
        performance("4096x4096_gradient", "Llama 3 8B attention gradient, clipping", tensor(4096, 4096), 2.0),
        performance("opt_6_7b", "OPT-6.7B hidden states, 8192 tokens", tensor(8192, 4096), 2.0, (-1,)),
        performance("clip_fp16", "CLIP ViT-H/14 embeddings, 8192 images", clip, 2.0, (-1,), True),
    ]


def vector_norm_hidden(pick: rowwise.Pick, device: str) -> list[Case]:
    ord_1 = hidden("ord_1", tensor(pick(2, 60), 2 * pick(1, 150) + 1), 1.0, (pick(0, 1),))
    return [*rowwise.hidden_reductions(pick, euclidean), ord_1]


def vector_norm_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, rowwise.kept_elements(case, 2), x.dtype, flops=2 * elements(x))


def logsumexp_reference(x: torch.Tensor, dim: tuple[int, ...], keepdim: bool = False) -> torch.Tensor:
    import torch

    return torch.logsumexp(x, dim=dim, keepdim=keepdim)


def logsumexp_cases(device: str) -> list[Case]:
    return [
        *rowwise.reductions(device, rowwise.plainly),
        correctness("empty_rows", tensor(5, 0), (1,), False),
        correctness("infinite", tensor(67, 7, generator="special"), (1,), False),
        *rowwise.scores_and_vocabularies(device, lambda x, dim: (x, (dim,))),
    ]


def logsumexp_cost(case: Case) -> Cost:
    x = first_tensor(case)
    return cost(case, rowwise.kept_elements(case), x.dtype, flops=4 * elements(x))


OPS: tuple[Op, ...] = (
    Op(
        slug="sum",
        title="Sum",
        summary="Adds the elements along one or more dimensions.",
        description=(
            "Adds all elements that differ only in the reduced dimensions. Bias gradients, pooling and the totals of losses are sums. "
            "There is one addition for each element read, so memory sets the pace: what matters is wide loads, enough work in flight "
            "when few outputs are left, and reading along memory also when the reduced dimension is not the last. Half precision is "
            "added up in float32."
        ),
        signature="sum(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
        reference=sum_reference,
        cases=sum_cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        aten="aten.sum.dim_IntList",
        suites=("smoke", "core"),
        dtypes=DTYPES,
        tags=("reduction",),
        starters=starter.load("sum"),
    ),
    Op(
        slug="mean",
        title="Mean",
        summary="The mean of the elements along one or more dimensions.",
        description=(
            "Adds all elements that differ only in the reduced dimensions and divides by their number. Image networks pool their last "
            "features so, sentence encoders their tokens, norms their statistics. Memory sets the pace, as in a sum. Half precision is "
            "added up in float32: the sum may be too large for float16 where the mean is not. The mean of nothing is NaN."
        ),
        signature="mean(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
        reference=mean_reference,
        cases=mean_cases,
        hidden_cases=hidden_cases,
        cost=least_cost,
        aten="aten.mean.dim",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction",),
        starters=starter.load("mean"),
    ),
    Op(
        slug="var_mean",
        title="Variance and mean",
        summary="Variance and mean along one or more dimensions, in one call.",
        description=(
            "Returns two tensors: the sum of squared deviations from the mean divided by (count - correction), and the mean. These are "
            "the statistics of every norm, in training over batches, else over rows. The squares of deviations need the mean first; one "
            "pass over memory takes Welford's update or the merging of partial means. The mean of squares minus the square of the mean "
            "loses its digits where the mean is far from zero."
        ),
        signature="var_mean(Tensor self, int[] dim, int correction=1, bool keepdim=False) -> (Tensor, Tensor)",
        reference=var_mean_reference,
        cases=var_mean_cases,
        hidden_cases=var_mean_hidden,
        cost=var_mean_cost,
        aten="aten.var_mean.correction",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "two-outputs"),
        starters=starter.load("var_mean"),
    ),
    Op(
        slug="vector_norm",
        title="Vector norm",
        summary="The p-norm of the elements along one or more dimensions, or of all.",
        description=(
            "Adds |x| to the power of ord and takes the root of that order; with ord infinity, this is the largest |x|. The Euclidean "
            "norm (ord 2) of a whole gradient decides about its clipping, that of rows normalises embeddings. Without `dim`, all "
            "dimensions are reduced: then the whole device works for a single number, and partial sums have to meet. Squares are added "
            "in float32, or float16 overflows."
        ),
        signature="vector_norm(Tensor self, float ord=2, int[]? dim=None, bool keepdim=False) -> Tensor",
        reference=vector_norm_reference,
        cases=vector_norm_cases,
        hidden_cases=vector_norm_hidden,
        cost=vector_norm_cost,
        aten="aten.linalg_vector_norm.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction",),
        starters=starter.load("vector_norm"),
    ),
    Op(
        slug="logsumexp",
        title="Log-sum-exp",
        summary="The logarithm of the sum of exponentials along one or more dimensions.",
        description=(
            "log(sum(exp(x))), the normaliser of a softmax: losses and attention that is computed in parts need it. The largest element "
            "is subtracted first and added again afterwards, or the exponentials overflow; a running maximum does both in one pass. A "
            "row that holds +Inf gives +Inf, one of nothing or of -Inf alone gives -Inf."
        ),
        signature="logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor",
        reference=logsumexp_reference,
        cases=logsumexp_cases,
        hidden_cases=hidden_cases,
        cost=logsumexp_cost,
        aten="aten.logsumexp.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("reduction", "row-wise"),
        starters=starter.load("logsumexp"),
    ),
)
