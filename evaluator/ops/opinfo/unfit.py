"""Entries that torch runs and nobody can be judged by: there is no one right answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_SIGNS = "its answer is not unique: vectors of a decomposition may have either sign, or another basis"
_UNINITIALISED = "its answer holds whatever was in memory"
_POOLED = "its indices must come from a pooling, and which of two writes to one place wins is not defined"

UNFIT: Mapping[str, str] = MappingProxyType(
    {
        "empty_like": _UNINITIALISED,
        "empty_permuted": _UNINITIALISED,
        "full_like": "its answer is one number, repeated: there is nothing to compute",
        "geqrf": _SIGNS,
        "linalg.cholesky_ex": "recipes do not make positive definite matrices, and for others its answer is not defined",
        "linalg.eig": _SIGNS,
        "linalg.eigh": _SIGNS,
        "linalg.eigvals": "its answer is not unique: eigenvalues come in any order",
        "linalg.ldl_factor": "its answer is not unique: it depends on the choice of pivots",
        "linalg.ldl_factor_ex": "its answer is not unique: it depends on the choice of pivots",
        "linalg.ldl_solve": "its pivots must come from a decomposition",
        "linalg.qr": _SIGNS,
        "linalg.svd": _SIGNS,
        "mode": "its answer is not unique: several values may be equally frequent, and each stands in several places",
        "narrow": "it gives a view of its argument, so there is nothing to compute",
        "new_empty": _UNINITIALISED,
        "new_empty_strided": _UNINITIALISED,
        "nn.functional.max_unpool1d": _POOLED,
        "nn.functional.max_unpool2d": _POOLED,
        "nn.functional.max_unpool3d": _POOLED,
        "pca_lowrank": _SIGNS,
        "qr": _SIGNS,
        "svd": _SIGNS,
        "svd_lowrank": _SIGNS,
    }
)
"""By name (all variants) or by name and variant."""
