"""When the indices of sorted values are right: equal values may come in any order."""

from __future__ import annotations

import typing

from evaluator.ops.definition import Call, Rule

if typing.TYPE_CHECKING:
    import torch


def names_the_values(dim_position: int) -> Rule:
    """A rule for index outputs beside values (output 0), for ops whose argument `dim` has this position and is -1 by default.

    Along `dim` no element of the first input may be named twice, and each index must name an element equal to the right value.
    """

    def rule(call: Call) -> str:
        """Each index names an element equal to the value beside it, and none is named twice: ties may fall either way."""
        import torch

        x, wanted, index = typing.cast("torch.Tensor", call.args[0]), call.expected[0], call.got[1]
        dim = call.args[dim_position] if dim_position < len(call.args) else call.kwargs.get("dim", -1)
        if not x.dim():
            x, wanted, index = x.reshape(1), wanted.reshape(1), index.reshape(1)
        along = typing.cast("int", dim) % x.dim()
        size = x.shape[along]
        if outside := int(((index < 0) | (index >= size)).sum()):
            return f"{outside} of {index.numel()} indices are not in [0, {size})"
        in_order = index.movedim(along, -1).sort(-1).values
        if twice := int((in_order[..., 1:] == in_order[..., :-1]).sum()):
            return f"{twice} of {index.numel()} indices name an element that another one names, too"
        named = torch.gather(x, along, index)
        unlike = ~((named == wanted) | (named.isnan() & wanted.isnan()))
        if not (count := int(unlike.sum())):
            return ""
        first = tuple(unlike.nonzero()[0].tolist())
        got = f"index {index[first].item()} names {named[first].item():.9g}"
        return f"{count} of {index.numel()} indices name another value; first at {list(first)}: expected {wanted[first].item():.9g}, {got}"

    return rule
