"""The kernel types that can be built here. Adding one is adding a file to this folder that defines `BUILDER`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Protocol

from evaluator.build.report import BuildReport
from evaluator.build.signs import Sign
from evaluator.contract import EvaluationRequest, KernelType
from evaluator.ops.definition import Op
from evaluator.sandbox import Sandbox


class UnsupportedKernelType(LookupError):
    """No builder for this kernel type; the message names those that there are."""


class Builder(Protocol):
    """One kernel type.

    `load` names how the candidate gets its entry point: `import` (run the prepared source as a Python module). `packages` are the
    distributions whose versions are part of the cache key. `signs` tell a source of this type by its text (`evaluator/build/detect.py`).
    """

    kernel_type: KernelType
    load: str
    packages: tuple[str, ...]
    signs: tuple[Sign, ...]

    def arch(self, device: str) -> str:
        """What of the device the result depends on; `any` when nothing."""
        ...

    def build(self, request: EvaluationRequest, op: Op, *, key: str, sandbox: Sandbox) -> BuildReport:
        """Raises `SandboxError` when the fault is ours."""
        ...


@cache
def builders() -> Mapping[KernelType, Builder]:
    import evaluator.build

    found: dict[KernelType, Builder] = {}
    for module in pkgutil.iter_modules(evaluator.build.__path__):
        builder = getattr(importlib.import_module(f"evaluator.build.{module.name}"), "BUILDER", None)
        if builder is not None:
            found[builder.kernel_type] = builder
    return found


def available_kernel_types() -> tuple[KernelType, ...]:
    """Types that this evaluator can build, in the order of the contract."""
    return tuple(kernel_type for kernel_type in KernelType if kernel_type in builders())


def builder_of(kernel_type: KernelType) -> Builder:
    """Raises `UnsupportedKernelType`."""
    try:
        return builders()[kernel_type]
    except KeyError:
        names = ", ".join(available_kernel_types())
        raise UnsupportedKernelType(f"kernel type {kernel_type} cannot be built here yet; available: {names}") from None
