"""PTX and SASS of the Triton kernels that a call compiles, with what they ask of the hardware.

Triton's cache of the run lies inside the sandbox, so every file in it may be the submission's own work: what comes out is a few files of
bounded size, read as text, JSON of known members, and bytes that NVIDIA's disassembler gets in a sandbox of its own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.contract import JSON, KernelType
from evaluator.profiles import ArtefactKind, KernelCode
from evaluator.profiling import bounded
from evaluator.profiling.artefacts import Shelf, plain
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.disassembly import Disassembled, disassemble
from evaluator.profiling.job import Job
from evaluator.profiling.running import LEAST_S, Means, ToolFailed, ask

MODULE = "evaluator.profiling.inside.compiled"
MOST_KERNELS = 12
MOST_PTX_BYTES = 2 << 20
MOST_FILES_BYTES = 24 << 20
_MOST_JSON_BYTES = 64 << 10
_HASH = re.compile(r"[0-9a-f]{8,128}")
_TARGET = re.compile(r"^[ \t]*\.target[ \t]+(sm_\d{2,3}[af]?)\b", re.MULTILINE | re.ASCII)
_FINISHING_S = 10.0
"""Kept for taking the kernels apart."""
ONLY_TRITON = "only Triton's kernels have PTX and SASS so far, and the calls compiled none"


@dataclass(frozen=True, slots=True)
class Compiled:
    """One kernel as the cache has it. `found` holds what its metadata says; `ptx` is text, `cubin` bytes for the disassembler."""

    found: KernelCode
    ptx: str
    cubin: bytes


def look(means: Means, job: Job, shelf: Shelf, timeout_s: float, kernel_type: KernelType) -> tuple[KernelCode, ...]:
    """What was compiled, kernels that ran in the last call first. Raises `ToolFailed`."""
    if job.device == "cpu":
        compiled_none = "the interpreter compiles nothing" if kernel_type is KernelType.TRITON else "nothing is compiled for a CPU"
        raise ToolFailed(compiled_none)
    end = time.monotonic() + timeout_s
    answer = ask(
        means,
        MODULE,
        [("question.json", job.question(most_kernels=MOST_KERNELS, most_bytes=MOST_FILES_BYTES))],
        timeout_s=max(timeout_s / 2, timeout_s - _FINISHING_S),
        answer_bytes=MOST_FILES_BYTES + (1 << 18),
        job=job,
    )
    try:
        kernels = compiled(answer.files, shelf)
    except Unreadable as error:
        raise ToolFailed(f"its answer cannot be read: {error}") from error
    if not kernels:
        raise ToolFailed(ONLY_TRITON)
    return keep(kernels, means, shelf, timeout_s=max(LEAST_S, end - time.monotonic()))


def keep(kernels: Sequence[Compiled], means: Means, shelf: Shelf, *, timeout_s: float) -> tuple[KernelCode, ...]:
    """Take the kernels apart and put their texts on the shelf."""
    taken_apart, missing = disassemble(means, [(kernel.found.arch, kernel.ptx, kernel.cubin) for kernel in kernels], timeout_s=timeout_s)
    for sentence in missing:
        shelf.leave_out(sentence)
    return tuple(_kept(kernel, found, shelf) for kernel, found in zip(kernels, taken_apart, strict=True))


def compiled(files: Mapping[str, bytes], shelf: Shelf) -> tuple[Compiled, ...]:
    """The kernels among the files of an answer; the shelf notes what of them is left out. Raises `Unreadable`."""
    listed = bounded.loads(files.get("kernels.json", b""), _MOST_JSON_BYTES)
    if not isinstance(listed, dict):
        raise Unreadable("no list of kernels")
    rows = bounded.items(listed.get("kernels"), MOST_KERNELS)
    if (more := (bounded.count(listed.get("found")) or 0) - len(rows)) > 0:
        shelf.leave_out(f"{more} more compiled kernels: {MOST_KERNELS} at most are shown, of {MOST_FILES_BYTES >> 20} MiB in all")
    return tuple(_compiled(number, row, files, shelf) for number, row in enumerate(rows))


def _compiled(number: int, row: dict[str, JSON], files: Mapping[str, bytes], shelf: Shelf) -> Compiled:
    known = _metadata(files.get(f"{number}.json", b""))
    name = bounded.text(known.get("name")) or "kernel"
    key, launched = row.get("key"), row.get("launched")
    variant = key[:8] if isinstance(key, str) and _HASH.fullmatch(key) else str(number)
    ptx = ""
    try:
        ptx = bounded.lines(files.get(f"{number}.ptx", b""), MOST_PTX_BYTES)
    except Unreadable as error:
        shelf.leave_out(f"PTX of {name} {variant}: {error}")
    target = _TARGET.search(ptx)
    found = KernelCode(
        name=name,
        variant=variant,
        launched=launched if isinstance(launched, bool) else None,
        arch=target[1] if target else "",
        shared_bytes=bounded.count(known.get("shared")),
        num_warps=bounded.count(known.get("num_warps")),
        num_stages=bounded.count(known.get("num_stages")),
    )
    return Compiled(found, ptx, files.get(f"{number}.cubin", b""))


def _metadata(data: bytes) -> dict[str, JSON]:
    """What Triton wrote of a kernel; {} for what it did not write."""
    try:
        found = bounded.loads(data, _MOST_JSON_BYTES)
    except Unreadable:
        return {}
    return found if isinstance(found, dict) else {}


def _kept(kernel: Compiled, found: Disassembled, shelf: Shelf) -> KernelCode:
    """The figures of the disassembler beside those of the cache, and the texts on the shelf."""
    code = kernel.found
    name = f"{plain(code.name)}-{code.variant}"
    return replace(
        code,
        registers=found.registers,
        stack_bytes=found.stack_bytes,
        spill_store_bytes=found.spill_store_bytes,
        spill_load_bytes=found.spill_load_bytes,
        shared_bytes=found.shared_bytes if code.shared_bytes is None else code.shared_bytes,
        ptx=shelf.put(f"{name}.ptx", ArtefactKind.PTX, kernel.ptx.encode()),
        sass=shelf.put(f"{name}.sass", ArtefactKind.SASS, found.sass.encode()),
    )
