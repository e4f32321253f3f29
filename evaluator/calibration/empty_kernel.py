"""A Triton kernel that does nothing. A file of its own: importing it needs Triton."""

# Triton kernels have no Python types.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import triton


@triton.jit
def nothing(x):
    """One program that ends at once."""
    return
