"""Kernel type `torch`: a Python module that uses torch; building it is checking its text."""

from __future__ import annotations

from evaluator.build.python_module import PythonModuleBuilder
from evaluator.build.signs import Sign
from evaluator.contract import KernelType

# Any Python is one, when nothing speaks for another type.
BUILDER = PythonModuleBuilder(KernelType.TORCH, packages=("torch",), signs=(Sign(KernelType.TORCH, 1),))
