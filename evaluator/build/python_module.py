"""Build a Python source: a static check in a sandboxed process that never runs it."""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import time

from evaluator.build.report import BuildReport
from evaluator.build.signs import Sign
from evaluator.contract import EvaluationRequest, Flag, KernelType, Limits, Reason, Verdict
from evaluator.ops.definition import Op
from evaluator.sandbox import Sandbox, SandboxError

_MODULE = "evaluator.build.inside.static_check"
_MEMORY_BYTES = 2 << 30
_SCRATCH_BYTES = 64 << 20
_PROCESSES = 8
_ANSWER_BYTES = 8 << 20
_OUT_OF_MEMORY = 71
_LOG_BYTES = 256 * 1024
_LINE_CHARACTERS = 120
_LABELS = {
    "uses_cuda_stream": "makes or switches CUDA streams",
    "spawns_threads": "may start threads or processes",
    "patches_modules": "changes a module that it did not write",
    "calls_reference_op": "calls the reference op",
    "walks_frames": "looks at other frames or objects of the interpreter",
    "reaches_memory": "can reach memory past Python's objects",
}


class PythonModuleBuilder:
    """Kernel types that are loaded by importing the source."""

    load = "import"

    def __init__(self, kernel_type: KernelType, *, packages: tuple[str, ...], signs: tuple[Sign, ...]) -> None:
        self.kernel_type = kernel_type
        self.packages = packages
        self.signs = signs

    def arch(self, device: str) -> str:
        return "any"

    def build(self, request: EvaluationRequest, op: Op, *, key: str, sandbox: Sandbox) -> BuildReport:
        started = time.monotonic()
        blank = BuildReport(key=key, kernel_type=self.kernel_type, ok=True, entry_point=op.entry_point, source=request.source)
        report = _check(request, op, blank, sandbox)
        return dataclasses.replace(report, seconds=time.monotonic() - started)


def reference_names(op: Op) -> list[str]:
    """Names under which torch offers the reference: of `aten.softmax.int` and slug `softmax`, `softmax`."""
    parts = op.aten.split(".")
    names = {op.slug.rpartition("/")[2], *(parts[1:2] if len(parts) > 1 else [])}
    return sorted(name.rstrip("_") for name in names if name)


def _check(request: EvaluationRequest, op: Op, blank: BuildReport, sandbox: Sandbox) -> BuildReport:
    limits = dataclasses.replace(
        request.limits, memory_bytes=_MEMORY_BYTES, scratch_bytes=_SCRATCH_BYTES, processes=_PROCESSES, log_bytes=_LOG_BYTES
    )
    question = {
        "source": request.source,
        "kernel_type": request.kernel_type.value,
        "entry_point": op.entry_point,
        "reference_names": reference_names(op),
    }
    data, crash, log = _ask(json.dumps(question).encode(), limits, sandbox)
    blank = dataclasses.replace(blank, log=log)
    if crash == "timeout":
        reason = Reason("compile_timeout", f"checking the source took longer than {limits.build_s:g} s")
        return _failed(blank, Verdict.COMPILE_TIMEOUT, reason)
    try:
        answer = json.loads(data) if data and len(data) < _ANSWER_BYTES else None
    except ValueError:
        answer = None
    if crash or not isinstance(answer, dict):
        reason = Reason("unparsable", f"Python could not parse the source: its parser was {crash or 'cut short'}", hint="Nest less deeply.")
        return _failed(blank, Verdict.COMPILE_ERROR, reason)
    return _judge(blank, answer)


def _ask(question: bytes, limits: Limits, sandbox: Sandbox) -> tuple[bytes, str, str]:
    """The checker's answer, how it crashed ("" when not, `timeout` past the limit), and what it printed."""
    ask, reply = os.memfd_create("question"), os.memfd_create("answer")
    try:
        with os.fdopen(os.dup(ask), "wb") as file:
            file.write(question)
        os.lseek(ask, 0, os.SEEK_SET)
        with sandbox.start(_MODULE, [str(ask), str(reply)], fds=[ask, reply], limits=limits, packages=False) as process:
            try:
                code = process.wait(limits.build_s)
            except TimeoutError:
                return b"", "timeout", process.log()[0]
            if code > 0 and code != _OUT_OF_MEMORY:
                raise SandboxError(f"the checker failed with status {code}: {process.log()[0][-2000:]}")
            crash = "out of memory" if code == _OUT_OF_MEMORY else process.exit_description() if code else ""
            process.kill()
            log = process.log()[0]
        return os.pread(reply, _ANSWER_BYTES, 0), crash, log
    finally:
        os.close(ask)
        os.close(reply)


def _judge(blank: BuildReport, answer: dict[str, object]) -> BuildReport:
    error = answer.get("error")
    if isinstance(error, dict):
        return _failed(blank, Verdict.COMPILE_ERROR, _syntax_reason(error))
    callables = _texts(answer.get("callables"))
    labels = [item for item in _list(answer.get("labels")) if isinstance(item, dict)]
    notes = [f"{_LABELS.get(str(i.get('name')), str(i.get('name')))}: {i.get('detail')} (line {i.get('line')})" for i in labels]
    added = _texts(answer.get("added_imports"))
    if added:
        notes.append("added because the source uses it without importing it: " + "; ".join(added))
    if answer.get("shifted"):
        notes.append(
            "the file starts with a definition, so the added import stands on a line of its own: line numbers are one higher than yours"
        )
    report = dataclasses.replace(
        blank,
        source=str(answer.get("source", blank.source)),
        callables=callables,
        flags=(Flag.USES_CUDA_STREAM,) if any(item.get("name") == "uses_cuda_stream" for item in labels) else (),
        notes=tuple(notes),
        log="\n".join([*_texts(answer.get("warnings")), blank.log]).strip(),
    )
    if answer.get("entry") == "missing":
        return _failed(report, Verdict.COMPILE_ERROR, _missing_entry(report.entry_point, callables, _texts(answer.get("kernels"))))
    return report


def _syntax_reason(error: dict[str, object]) -> Reason:
    line, column, text = error.get("line"), error.get("column"), str(error.get("text") or "")
    where = f"line {line}" + (f", column {column}" if isinstance(column, int) and column > 0 else "") if line else ""
    detail = _pointed(text, column - 1) if isinstance(column, int) and 0 < column <= len(text) + 1 else text
    message = f"{where}: {error.get('message')}" if where else str(error.get("message"))
    code = "syntax_error" if error.get("kind") == "syntax" else "unparsable"
    return Reason(code, message, detail=detail if text else "")


def _pointed(text: str, column: int) -> str:
    """The line, or what surrounds `column` of a long one, with a mark below."""
    start = max(0, column - _LINE_CHARACTERS // 2) if len(text) > _LINE_CHARACTERS else 0
    return f"{text[start : start + _LINE_CHARACTERS]}\n{' ' * (column - start)}^"


def _missing_entry(entry_point: str, callables: tuple[str, ...], kernels: tuple[str, ...]) -> Reason:
    close = difflib.get_close_matches(entry_point, callables, n=1, cutoff=0.0)
    if callables:
        found = f"found: {', '.join(callables)}"
        likely = close[0] if close else callables[-1]
        hint = f"Rename {likely} to {entry_point}, or add `{entry_point} = {likely}`."
    elif kernels:
        found = f"found only Triton kernels, which cannot be called directly: {', '.join(kernels)}"
        hint = f"Add a function {entry_point}(…) that launches {kernels[-1]} and returns its output."
    else:
        found = "the file defines no function"
        hint = f"Define {entry_point}(…)."
    return Reason("no_entry_point", f"there is no function named {entry_point}; {found}", hint=hint)


def _failed(report: BuildReport, verdict: Verdict, reason: Reason) -> BuildReport:
    return dataclasses.replace(report, ok=False, verdict=verdict, reason=reason)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in _list(value))
