"""Guess a source's kernel type from its text."""

from __future__ import annotations

import re

from evaluator.build.registry import builders
from evaluator.contract import MAX_SOURCE_BYTES, KernelType

# Signs of the types that no file builds: such a source is refused by its name instead of being run as torch.
_SIGNS = (
    (KernelType.HELION, 40, re.compile(r"^[ \t]*(?:import|from)[ \t]+helion\b", re.MULTILINE)),
    (KernelType.TORCH_CUDA, 30, re.compile(r"\b(?:cuda_sources|CUDAExtension)\b")),
    (KernelType.CPP, 20, re.compile(r"\b(?:cpp_sources|CppExtension|cpp_extension)\b")),
)
_RAW_CUDA = re.compile(r"^[ \t]*(?:template[^\n]{0,200}\n[ \t]*)?(?:extern[^\n]{0,80})?__global__\b", re.MULTILINE)
_PYTHON = re.compile(r"^(?:import|from|def|class|@)[ \t]*\w", re.MULTILINE)


def detect(source: str) -> KernelType:
    """The most likely type; `torch` when nothing speaks for another. Text only: safe on any input."""
    text = source[:MAX_SOURCE_BYTES]
    scores = {kernel_type: builder.detect(text) for kernel_type, builder in builders().items()}
    for kernel_type, score, sign in _SIGNS:
        if kernel_type not in scores and sign.search(text):
            scores[kernel_type] = score
    if KernelType.CUDA not in scores and _RAW_CUDA.search(text) and not _PYTHON.search(text):
        scores[KernelType.CUDA] = 50
    best = max(scores, key=lambda kernel_type: scores[kernel_type], default=KernelType.TORCH)
    return best if scores.get(best, 0) > 0 else KernelType.TORCH
