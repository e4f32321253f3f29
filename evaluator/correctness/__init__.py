"""Is an output right? The judge's side of ENGINE: oracle, form (shape, dtype, device, strides), values."""

from evaluator.correctness.compare import Comparison, compare_outputs
from evaluator.correctness.metadata import Form, OutputMeta, check_metadata, expected_form, expected_meta, output_meta
from evaluator.correctness.oracle import oracle, same_dtype

__all__ = [
    "Comparison",
    "Form",
    "OutputMeta",
    "check_metadata",
    "compare_outputs",
    "expected_form",
    "expected_meta",
    "oracle",
    "output_meta",
    "same_dtype",
]
