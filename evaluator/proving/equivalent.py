"""Mutants that are no mutants: what they change does not change the op."""

from __future__ import annotations

COMMUTES = "the op is the same in both operands"
_SAME = {
    ("add", "operands 0 and 1 swapped"): COMMUTES,
}


def why_the_same(op: str, mutant: str) -> str:
    """Why a mutant cannot differ from the op; "" when there is no reason that we know."""
    return _SAME.get((op, mutant), "")
