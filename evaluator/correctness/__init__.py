"""Is an output right? The judge's side of ENGINE: oracle, form (shape, dtype, device, strides), values."""

from evaluator.correctness.compare import Comparison, compare_outputs
from evaluator.correctness.doubts import Doubts
from evaluator.correctness.metadata import Form, OutputMeta, check_metadata, expected_form, expected_meta, output_meta
from evaluator.correctness.oracle import oracle, same_dtype
from evaluator.correctness.rules import RuleError

__all__ = [
    "Comparison",
    "Doubts",
    "Form",
    "OutputMeta",
    "RuleError",
    "check_metadata",
    "compare_outputs",
    "expected_form",
    "expected_meta",
    "oracle",
    "output_meta",
    "same_dtype",
]
