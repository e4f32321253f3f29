"""Losses of elements, added up or not."""

from __future__ import annotations

import typing

from evaluator.ops import starter
from evaluator.ops.arguments import correctness, hidden, performance, tensor
from evaluator.ops.cases.pairwise import Pair, hidden_pairs, least_cost, pairs
from evaluator.ops.cases.rowwise import Pick
from evaluator.ops.definition import Case, Op, TensorSpec

if typing.TYPE_CHECKING:
    import torch

DTYPES = ("float32", "float16", "bfloat16")
MSE_FLOPS, SMOOTH_L1_FLOPS, BCE_FLOPS = 3, 5, 7
"""An element, its addition to the sum included."""


def images_and_hidden_states(device: str, pair: Pair) -> list[Case]:
    """Timed where models predict values: pixels, noise, hidden states."""
    if device == "cpu":
        return [
            performance("256x4096", "OPT-6.7B hidden states, 256 tokens", *pair(tensor(256, 4096)), reduction="mean"),
            performance("batch_of_4", "Masked autoencoder, pixels of 4 images", *pair(tensor(4, 196, 768)), reduction="none"),
        ]
    half = tensor(8192, 4096, dtype="float16")
    return [
        performance("diffusion", "Stable Diffusion 1.5 noise, batch 512", *pair(tensor(512, 4, 64, 64)), reduction="mean"),
        performance("mae", "Masked autoencoder, pixels of 256 images", *pair(tensor(256, 196, 768)), reduction="none"),
        performance("distilled_fp16", "OPT-6.7B hidden states, 8192 tokens", *pair(half), reduction="mean"),
    ]


def like(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    return x, tensor(*x.shape, dtype=x.dtype, generator=x.generator)


def mse_loss_reference(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean") -> torch.Tensor:
    import torch

    return torch.nn.functional.mse_loss(x, target, reduction=reduction)


def mse_loss_cases(device: str) -> list[Case]:
    near = correctness("near", tensor(33, 65, generator="tiny_variance"), tensor(33, 65, generator="tiny_variance"), reduction="mean")
    return [*pairs(device, like), near, *images_and_hidden_states(device, like)]


def smooth_l1_loss_reference(x: torch.Tensor, target: torch.Tensor, *, reduction: str = "mean", beta: float = 1.0) -> torch.Tensor:
    import torch

    return torch.nn.functional.smooth_l1_loss(x, target, reduction=reduction, beta=beta)


def smooth_l1_loss_cases(device: str) -> list[Case]:
    return [
        *pairs(device, like),
        correctness("wide_beta", *like(tensor(33, 65)), reduction="none", beta=2.5),
        correctness("narrow_beta", *like(tensor(33, 65)), reduction="mean", beta=0.125),
        correctness("beta_of_zero", *like(tensor(33, 65)), reduction="none", beta=0.0),
        *images_and_hidden_states(device, like),
    ]


def hidden_values(pick: Pick, device: str) -> list[Case]:
    return hidden_pairs(pick, like)


def bce_reference(
    x: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    pos_weight: torch.Tensor | None = None,
    *,
    reduction: str = "mean",
) -> torch.Tensor:
    import torch

    return torch.nn.functional.binary_cross_entropy_with_logits(x, target, weight, pos_weight=pos_weight, reduction=reduction)


def with_truth(x: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
    """Logits, and how likely the right answer is yes."""
    return x, tensor(*x.shape, dtype=x.dtype, generator="uniform")


def bce_cases(device: str) -> list[Case]:
    weight = tensor(21, 35, generator="uniform", low=0.5, high=2.0)
    columns = tensor(35, generator="uniform", low=0.5, high=4.0)
    yes_or_no = tensor(21, 35, generator="integers", low=0, high=2)
    return [
        *pairs(device, with_truth),
        correctness("yes_or_no", tensor(21, 35), yes_or_no, reduction="none"),
        correctness("weight", *with_truth(tensor(21, 35)), weight, reduction="none"),
        correctness("weight_of_columns", *with_truth(tensor(21, 35)), columns, reduction="mean"),
        correctness("pos_weight", *with_truth(tensor(21, 35)), None, columns, reduction="none"),
        correctness("both_weights", tensor(21, 35), yes_or_no, weight, columns, reduction="sum"),
        *bce_performance(device),
    ]


def bce_performance(device: str) -> list[Case]:
    if device == "cpu":
        return [
            performance("coco_80", "COCO labels, 80 classes, 8400 boxes", *with_truth(tensor(8400, 80)), reduction="mean"),
            performance("mask_rcnn", "Mask R-CNN masks, 16 boxes", *with_truth(tensor(16, 80, 28, 28)), reduction="none"),
        ]
    weighted = (*with_truth(tensor(16, 1, 1024, 1024)), None, tensor(1, generator="uniform", low=2.0, high=4.0))
    half = tensor(64, 8400, 80, dtype="float16")
    return [
        performance("yolo_fp16", "YOLOv8 classes, 8400 boxes, batch 64", *with_truth(half), reduction="none"),
        performance("unet_masks", "U-Net masks of 1024x1024 with a weight, batch 16", *weighted, reduction="mean"),
        performance("mask_rcnn", "Mask R-CNN masks, 512 boxes", *with_truth(tensor(512, 80, 28, 28)), reduction="mean"),
    ]


def bce_hidden(pick: Pick, device: str) -> list[Case]:
    columns = 2 * pick(1, 60) + 1
    weighted = (*with_truth(tensor(pick(2, 60), columns)), None, tensor(columns, generator="uniform", low=0.5, high=3.0))
    return [*hidden_pairs(pick, with_truth), hidden("pos_weight", *weighted, reduction="none")]


OPS: tuple[Op, ...] = (
    Op(
        slug="mse_loss",
        title="Mean squared error",
        summary="The squared differences of two tensors: their mean, their sum, or all of them.",
        description=(
            "(x - target)² for each element; `reduction` gives their mean, their sum, or all of them. Diffusion models learn noise by "
            "it, regressions values, distilled models hidden states. Two tensors are read and a single number is left: memory sets the "
            "pace, and the partial sums of all blocks have to meet, in float32 and preferably without a second kernel."
        ),
        signature="mse_loss(Tensor self, Tensor target, *, str reduction='mean') -> Tensor",
        reference=mse_loss_reference,
        cases=mse_loss_cases,
        hidden_cases=hidden_values,
        cost=least_cost(MSE_FLOPS),
        aten="aten.mse_loss.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("loss", "elementwise", "reduction"),
        starters=starter.load("mse_loss"),
    ),
    Op(
        slug="smooth_l1_loss",
        title="Smooth L1 loss",
        summary="Squared for small differences and absolute for large ones: mean, sum, or all.",
        description=(
            "With d = |x - target|: d² / (2 beta) where d < beta, and d - beta / 2 elsewhere; with beta 0 this is d. `reduction` gives "
            "the mean, the sum, or all of them. Object detectors learn the corners of boxes by it, reinforcement learning its values, "
            "because single large errors weigh less. The branch must cost nothing: both forms are computed and one is chosen."
        ),
        signature="smooth_l1_loss(Tensor self, Tensor target, *, str reduction='mean', float beta=1.0) -> Tensor",
        reference=smooth_l1_loss_reference,
        cases=smooth_l1_loss_cases,
        hidden_cases=hidden_values,
        cost=least_cost(SMOOTH_L1_FLOPS),
        aten="aten.smooth_l1_loss.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("loss", "elementwise", "reduction"),
        starters=starter.load("smooth_l1_loss"),
    ),
    Op(
        slug="binary_cross_entropy_with_logits",
        title="Binary cross entropy with logits",
        summary="The cross entropy of yes-or-no answers, from logits: mean, sum, or all.",
        description=(
            "-(pos_weight * target * log(s) + (1 - target) * log(1 - s)) * weight with s = 1 / (1 + exp(-x)), for each element; the "
            "weights are optional and broadcast. `reduction` gives the mean, the sum, or all of them. Detectors, segmentation and "
            "tagging are trained by it. Written so, both logarithms overflow for large logits; log(1 + exp(-|x|)) does not."
        ),
        signature=(
            "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
            "*, str reduction='mean') -> Tensor"
        ),
        reference=bce_reference,
        cases=bce_cases,
        hidden_cases=bce_hidden,
        cost=least_cost(BCE_FLOPS),
        aten="aten.binary_cross_entropy_with_logits.default",
        suites=("core",),
        dtypes=DTYPES,
        tags=("loss", "elementwise", "reduction", "broadcast"),
        starters=starter.load("binary_cross_entropy_with_logits"),
    ),
)
