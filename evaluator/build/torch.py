"""Kernel type `torch`: a Python module that uses torch; building it is checking its text."""

from __future__ import annotations

import re

from evaluator.build.python_module import PythonModuleBuilder
from evaluator.contract import KernelType

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+torch\b", re.MULTILINE)


def _score(source: str) -> int:
    return 2 if _IMPORT.search(source) else 1


BUILDER = PythonModuleBuilder(KernelType.TORCH, packages=("torch",), score=_score)
