"""Build one request, or take the result of an earlier build of the same source with the same tools."""

from __future__ import annotations

import dataclasses
import json

from evaluator import contract
from evaluator.build.key import build_key
from evaluator.build.registry import builder_of
from evaluator.build.report import BuildReport
from evaluator.build.store import ArtefactStore
from evaluator.contract import EvaluationRequest, Verdict
from evaluator.ops.resolve import resolve
from evaluator.sandbox import Sandbox

_REPORT = "report.json"


def build(request: EvaluationRequest, *, sandbox: Sandbox | None = None, store: ArtefactStore | None = None) -> BuildReport:
    """Build `request.source`. Without `sandbox` a best-effort one is made; without `store` nothing is cached.

    Raises `UnsupportedKernelType`, `UnknownOp`, `DocumentError`, and `SandboxError` when the fault is ours.
    """
    builder = builder_of(request.kernel_type)
    op = resolve(request.op, request.definition)
    key = build_key(request, entry_point=op.entry_point, arch=builder.arch(request.device), packages=builder.packages)
    if store is not None and (earlier := _earlier(store, key)) is not None:
        return earlier
    report = builder.build(request, op, key=key, sandbox=sandbox or Sandbox("best-effort"))
    if store is not None and report.verdict is not Verdict.COMPILE_TIMEOUT:
        store.put(key, {_REPORT: contract.dumps(report).encode()})
    return report


def _earlier(store: ArtefactStore, key: str) -> BuildReport | None:
    files = store.get(key)
    if files is None or _REPORT not in files:
        return None
    try:
        report = contract.from_json(BuildReport, json.loads(files[_REPORT]))
    except (ValueError, TypeError):
        store.drop(key)
        return None
    return dataclasses.replace(report, cached=True)
