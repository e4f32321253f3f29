"""Entries that torch runs and nobody can be judged by: there is no one right answer, or torch itself does not always find it."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from types import MappingProxyType

from evaluator.ops.opinfo.entries import label

if typing.TYPE_CHECKING:
    from torch.testing._internal.opinfo.core import OpInfo

_ILL = "torch itself is too far from the right answer for some random inputs"
_INVALID = "its lengths and offsets must fit each other, and torch does not always look"
_PIVOTS = "its answer is not unique: it depends on the choice of pivots"
_POOLED = "its indices must come from a pooling, and which of two writes to one place wins is not defined"
_RANDOM = "random: where its windows lie is drawn"
_SIGNS = "its answer is not unique: vectors of a decomposition may have either sign, or another basis"
_UNINITIALISED = "its answer holds whatever was in memory"

UNFIT: Mapping[str, str] = MappingProxyType(
    {
        "_segment_reduce": _INVALID,
        "_softmax_backward_data": "on a GPU torch wants the dtype that it names for its gradient, so float64 cannot be computed",
        "empty_like": _UNINITIALISED,
        "empty_permuted": _UNINITIALISED,
        "full_like": "its answer is one number, repeated: there is nothing to compute",
        "geqrf": _SIGNS,
        "grid_sampler_2d": _ILL,
        "grid_sampler_3d": _ILL,
        "linalg.cholesky_ex": "recipes do not make positive definite matrices, and for others its answer is not defined",
        "linalg.eig": _SIGNS,
        "linalg.eigh": _SIGNS,
        "linalg.eigvals": "its answer is not unique: eigenvalues come in any order",
        "linalg.inv": _ILL,
        "linalg.inv_ex": _ILL,
        "linalg.ldl_factor": _PIVOTS,
        "linalg.ldl_factor_ex": _PIVOTS,
        "linalg.ldl_solve": "its pivots must come from a decomposition",
        "linalg.matrix_power": _ILL,
        "linalg.matrix_rank": _ILL,
        "linalg.qr": _SIGNS,
        "linalg.svd": _SIGNS,
        "matrix_exp": _ILL,
        "mode": "its answer is not unique: several values may be equally frequent, and each stands in several places",
        "narrow": "it gives a view of its argument, so there is nothing to compute",
        "new_empty": _UNINITIALISED,
        "new_empty_strided": _UNINITIALISED,
        "nn.functional.ctc_loss": _INVALID,
        "nn.functional.fractional_max_pool2d": _RANDOM,
        "nn.functional.fractional_max_pool3d": _RANDOM,
        "nn.functional.grid_sample": _ILL,
        "nn.functional.max_unpool1d": _POOLED,
        "nn.functional.max_unpool2d": _POOLED,
        "nn.functional.max_unpool3d": _POOLED,
        "pca_lowrank": _SIGNS,
        "polygamma": _ILL,
        "qr": _SIGNS,
        "round.decimals_3": "what lies half-way between two answers depends on the precision",
        "special.polygamma": _ILL,
        "svd": _SIGNS,
        "svd_lowrank": _SIGNS,
    }
)
"""By name (all variants) or by name and variant. `_ILL` was found by drawing often: see `docs/measurements.md`."""
NOT_LONGER = frozenset({"cumprod", "index_reduce", "linalg.householder_product", "prod", "scatter_reduce"})
"""Products of many numbers come near the largest number, and torch's own order of multiplying decides who passes it; reflections cancel."""
NOT_HALVED = frozenset({"div.trunc_rounding", "nn.functional.cosine_embedding_loss"})
"""Where torch itself fails now and then. Of the first, a quotient of 9.999 is rounded to 10 before its fraction is cut off."""
NOT_COARSE = frozenset({"sinc"})
"""Zero for every whole number but 0."""


def listed(entry: OpInfo, names: frozenset[str]) -> bool:
    """By its name, or by name and variant."""
    return not names.isdisjoint((str(entry.name), label(entry)))
