"""Kernel type `triton`: a Python module with Triton kernels; they compile at their first launch, in the candidate, for its device."""

from __future__ import annotations

import re

from evaluator.build.python_module import PythonModuleBuilder
from evaluator.contract import KernelType

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+triton\b", re.MULTILINE)
_DECORATOR = re.compile(r"^[ \t]*@[ \t]*triton[ \t]*\.[ \t]*(?:jit|autotune|heuristics)\b", re.MULTILINE)


def _score(source: str) -> int:
    return 10 if _IMPORT.search(source) or _DECORATOR.search(source) else 0


BUILDER = PythonModuleBuilder(KernelType.TRITON, packages=("torch", "triton"), score=_score)
