"""The starter file of an op given as data: correct, and as fast as torch, because it calls torch."""

from __future__ import annotations

import typing

from evaluator.ops.recorded.signature import call_text, python_parameters
from evaluator.ops.recorded.targets import callable_text

if typing.TYPE_CHECKING:
    from evaluator.devices import Precision

IEEE = "torch.backends.cudnn.allow_tf32 = False  # float32 is IEEE here; torch's own convolutions take TF32 unless told otherwise\n"


def starters(entry_point: str, signature: str, target: str, precision: Precision) -> dict[str, str]:
    """Source per kernel type. What torch sets for all its convolutions alike is set as the op's precision class asks."""
    settings = f"\n{IEEE}" if "conv" in target and precision == "ieee_fp32" else ""
    return {"torch": f"import torch\n{settings}\n\n{function_text(entry_point, signature, target)}"}


def function_text(entry_point: str, signature: str, target: str) -> str:
    """The function alone, behind a comment with its signature. It needs `torch`."""
    parameters = python_parameters(signature)
    head = f"def {entry_point}({', '.join(parameters)}):"
    comment = " ".join(signature.split())  # on one line: what stands on the next would be code
    return f"# {comment}\n{head}\n    return {callable_text(target)}({call_text(parameters)})\n"
