"""Guessing a kernel type from text."""

from __future__ import annotations

import time

import pytest

from evaluator.build import detect
from evaluator.contract import KernelType


@pytest.mark.parametrize(
    ("source", "kernel_type"),
    [
        ("import torch\ndef f(x): return x\n", KernelType.TORCH),
        ("", KernelType.TORCH),
        ("import torch\nimport triton\nimport triton.language as tl\n", KernelType.TRITON),
        ("@triton.jit\ndef k(): pass\n", KernelType.TRITON),
        ("# we do not use triton here\nimport torch\n", KernelType.TORCH),
        (
            "from torch.utils.cpp_extension import load_inline\nm = load_inline(name='a', cuda_sources=['__global__ void f(){}'])\n",
            KernelType.TORCH_CUDA,
        ),
        ("from torch.utils.cpp_extension import load_inline\nm = load_inline(name='a', cpp_sources='')\n", KernelType.CPP),
        ('#include <cuda.h>\nextern "C" __global__ void f(float* x) {}\n', KernelType.CUDA),
        ("import helion\n@helion.kernel()\ndef f(x): return x\n", KernelType.HELION),
    ],
)
def test_the_likely_type(source: str, kernel_type: KernelType) -> None:
    assert detect(source) is kernel_type


@pytest.mark.parametrize("piece", ["__global__ ", " ", "\n", "extern ", "template<", "@triton", "import\t", "\0", "\ud800", "load_inline"])
def test_hostile_text_takes_no_time(piece: str) -> None:
    started = time.monotonic()

    detect(piece * (1_000_000 // len(piece)))

    assert time.monotonic() - started < 2.0
