"""An op's own test of an output, in place of the comparison."""

from __future__ import annotations

import typing

from evaluator.correctness.result import OutputComparison

if typing.TYPE_CHECKING:
    from evaluator.ops.definition import Call, Op

LONGEST = 500


class RuleError(RuntimeError):
    """An op's rule failed at its work: our fault, whatever the output was."""


def by_rule(op: Op, number: int, call: Call) -> OutputComparison:
    """Apply the rule of output `number`. Raises `RuleError` with the op's and the rule's names when the rule raises."""
    import torch

    rule = op.rules[number]
    name = getattr(rule, "__qualname__", None) or repr(rule)
    try:
        with torch.no_grad():
            words = rule(call)
    except Exception as error:
        raise RuleError(f"op {op.slug}: rule {name} of output {number} failed: {type(error).__name__}: {error}") from error
    if not isinstance(words, str):
        raise RuleError(f"op {op.slug}: rule {name} of output {number} gave {type(words).__name__}, expected a str")
    return OutputComparison(words[:LONGEST], call.got[number].numel())
