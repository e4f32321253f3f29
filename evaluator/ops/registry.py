"""Every op there is. Adding an op is adding it to the `OPS` of its family."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evaluator.close_names import alike, did_you_mean
from evaluator.ops.definition import Op
from evaluator.ops.families import (
    activations,
    arrangements,
    attention,
    attention_causal,
    average_pooling,
    caches,
    channel_norms,
    conv_transpose,
    convolutions,
    depthwise,
    dequantisation,
    elementwise,
    embeddings,
    epilogues,
    gated,
    grouped,
    indexing,
    layouts,
    linears,
    losses,
    masks,
    matmuls,
    norms,
    optimizers,
    pointwise_losses,
    pooling,
    quantisation,
    randomness,
    reductions,
    rotary,
    scans,
    scattering,
    searches,
    selections,
    smooth_activations,
    softmaxes,
    sorting,
    ternary,
)

FAMILIES = (
    elementwise,
    ternary,
    activations,
    smooth_activations,
    gated,
    reductions,
    selections,
    softmaxes,
    norms,
    channel_norms,
    matmuls,
    linears,
    epilogues,
    grouped,
    attention,
    attention_causal,
    rotary,
    convolutions,
    conv_transpose,
    depthwise,
    pooling,
    average_pooling,
    embeddings,
    indexing,
    masks,
    scattering,
    caches,
    sorting,
    scans,
    searches,
    losses,
    pointwise_losses,
    quantisation,
    dequantisation,
    optimizers,
    layouts,
    arrangements,
    randomness,
)
_LISTED = tuple(op for f in FAMILIES for op in f.OPS)
OPS: Mapping[str, Op] = MappingProxyType({op.slug: op for op in _LISTED})
if len(OPS) != len(_LISTED):
    raise ValueError("two ops have one slug")


class UnknownOp(LookupError):
    """No op has this slug; `close` holds the slugs that look like it."""

    def __init__(self, slug: str, close: tuple[str, ...]) -> None:
        self.slug = slug
        self.close = close
        super().__init__(f"There is no op {slug!r}.{did_you_mean(close)}")


def all_ops(suite: str | None = None) -> tuple[Op, ...]:
    """All ops by slug, or those of one suite."""
    return tuple(op for _, op in sorted(OPS.items()) if suite is None or suite in op.suites)


def get(slug: str) -> Op:
    try:
        return OPS[slug]
    except KeyError:
        raise UnknownOp(slug, alike(slug, OPS)) from None
