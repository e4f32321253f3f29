"""The Triton kernel of the generator gives the same bits as torch operations; run by Triton's interpreter, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import torch
from evaluator.generate import fill
from evaluator.generate_cuda import fill_flat
from evaluator.ops.definition import TensorSpec

compared = 0
recipes = [("normal", 0.0, 1.0), ("normal", 0.7, 1.3), ("uniform", -1.1, 2.3), ("large", 0.0, 1.0), ("tiny_variance", 0.0, 3.0)]
for generator, low, high in recipes:
    for dtype in ("float32", "float16", "bfloat16"):
        for elements in (1, 8191, 20_001):
            spec = TensorSpec((elements,), dtype, generator, low, high)
            by_torch, by_triton = (torch.empty(elements, dtype=getattr(torch, dtype)) for _ in range(2))
            fill(by_torch, spec, 0xFEDCBA9876543210, 0x89ABCDEF01234567)
            fill_flat(by_triton, spec, 0xFEDCBA9876543210, 0x89ABCDEF01234567)
            assert torch.equal(by_torch.view(torch.uint8), by_triton.view(torch.uint8)), spec
            compared += 1
print(compared)
"""


def test_interpreted_kernel_gives_the_same_bits() -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert result.stderr == ""
    assert result.stdout == "45\n"
