"""Documents as tests want them."""

from __future__ import annotations

import copy

from evaluator.jsonable import JSON

SOFTMAX: dict[str, JSON] = {
    "format": 1,
    "slug": "mine/softmax.int",
    "title": "Softmax along a dimension",
    "summary": "Exponentials along one dimension, divided by their sum.",
    "signature": "softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
    "target": "aten.softmax.int",
    "entry_point": "softmax__int_kernel_impl",
    "suites": ["mine"],
    "dtypes": ["float32", "float16"],
    "cases": [
        {
            "name": "8x33_float32",
            "kind": "correctness",
            "args": [{"tensor": {"shape": [8, 33], "dtype": "float32"}}, -1],
            "input_bytes": 1056,
            "output_bytes": 1056,
        },
        {
            "name": "7x64_float16",
            "kind": "correctness",
            "args": [{"tensor": {"shape": [7, 64], "dtype": "float16", "strides": [1, 7]}}, 1],
            "kwargs": {"dtype": {"dtype": "float32"}},
        },
        {
            "name": "32x256_float32",
            "kind": "performance",
            "args": [{"tensor": {"shape": [32, 256], "dtype": "float32"}}, -1],
            "input_bytes": 32768,
            "output_bytes": 32768,
        },
    ],
    "variations": [{"case": "8x33_float32", "size": 33, "to": [11, 45, 67]}],
}


def softmax_document() -> dict[str, JSON]:
    """A copy that a test may spoil."""
    return copy.deepcopy(SOFTMAX)
