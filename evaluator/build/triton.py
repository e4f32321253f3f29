"""Kernel type `triton`: a Python module with Triton kernels; they compile at their first launch, in the candidate, for its device."""

from __future__ import annotations

from evaluator.build.python_module import PythonModuleBuilder
from evaluator.build.signs import END, LINE, Sign
from evaluator.contract import KernelType

_SIGNS = (
    Sign(KernelType.TRITON, 10, rf"{LINE}[ \t]*(?:import|from)[ \t]+triton{END}"),
    Sign(KernelType.TRITON, 10, rf"{LINE}[ \t]*@[ \t]*triton[ \t]*\.[ \t]*(?:jit|autotune|heuristics){END}"),
)

BUILDER = PythonModuleBuilder(KernelType.TRITON, packages=("torch", "triton"), signs=_SIGNS)
