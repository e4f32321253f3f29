"""The starter file of an op given as data: correct, and as fast as torch, because it calls torch."""

from __future__ import annotations

from evaluator.ops.recorded.signature import call_text, python_parameters
from evaluator.ops.recorded.targets import callable_text


def starters(entry_point: str, signature: str, target: str) -> dict[str, str]:
    """Source per kernel type."""
    parameters = python_parameters(signature)
    head = f"def {entry_point}({', '.join(parameters)}):"
    comment = " ".join(signature.split())  # on one line: what stands on the next would be code
    return {"torch": f"import torch\n\n\n# {comment}\n{head}\n    return {callable_text(target)}({call_text(parameters)})\n"}
