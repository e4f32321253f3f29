"""The name of a build: a hash of everything that its result depends on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import evaluator
from evaluator.contract import CONTRACT_VERSION, EvaluationRequest


def build_key(request: EvaluationRequest, *, entry_point: str, arch: str, packages: Sequence[str]) -> str:
    """sha256 (hex) over source, kernel type, entry point, arch, the tools' versions and our own."""
    facts = {
        "source": hashlib.sha256(request.source.encode()).hexdigest(),
        "op": request.op,
        "kernel_type": request.kernel_type.value,
        "entry_point": entry_point,
        "arch": arch,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "packages": {name: version_of(name) for name in packages},
        "evaluator": evaluator.__version__,
        "contract": CONTRACT_VERSION,
        "builder": _own_hash(),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def version_of(distribution: str) -> str:
    """Installed version, read from metadata without importing the package; "" when it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


@cache
def _own_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
