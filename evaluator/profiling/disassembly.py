"""SASS of compiled kernels, their registers and spills, by NVIDIA's tools in a sandbox that sees no GPU.

`nvdisasm` gives the instructions, `cuobjdump -res-usage` registers, stack and static shared memory, `ptxas -v` the bytes that spill. The
files that the tools read may be anything, so the tools are treated like submitted code.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.profiling import bounded, tools
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.running import Means, ToolFailed
from evaluator.profiling.steps import Step, run

MOST_SASS_BYTES = 4 << 20
MOST_BYTES = 24 << 20
_MOST_LOG_BYTES = 64 << 10
_TOOL_S = 8.0
_LIMITS = {"memory_bytes": 2 << 30, "processes": 64, "scratch_bytes": 256 << 20, "log_bytes": 64 << 10}
_RESOURCES = re.compile(r"\bREG:(\d{1,4}) STACK:(\d{1,7}) SHARED:(\d{1,7}) LOCAL:\d{1,7}\b", re.ASCII)
_SPILLS = re.compile(r"(\d{1,7}) bytes stack frame, (\d{1,7}) bytes spill stores, (\d{1,7}) bytes spill loads", re.ASCII)
_BLACKWELL = 100


@dataclass(frozen=True, slots=True)
class Disassembled:
    """What the tools said of one kernel; None and "" for what they did not say."""

    sass: str = ""
    registers: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None


def disassemble(means: Means, kernels: Sequence[tuple[str, str, bytes]], *, timeout_s: float) -> tuple[list[Disassembled], list[str]]:
    """An answer a kernel (arch, PTX, cubin), empty where the tools are missing or fail, and sentences that say what is missing so.

    The rest of a profile stands without the tools.
    """
    steps, take, files = _plan(kernels)
    nothing = [Disassembled()] * len(kernels)
    if not steps:
        return nothing, ["machine code: nvdisasm and cuobjdump are not installed, or there is nothing compiled that they read"]
    limited = dataclasses.replace(means, limits=dataclasses.replace(means.limits, **_LIMITS))
    try:
        ran = run(limited, steps, take, timeout_s=timeout_s, files=files, room_bytes=MOST_BYTES, sandbox=means.plain)
        found = [read(ran.files, number) for number in range(len(kernels))]
    except (ToolFailed, Unreadable) as failed:
        return nothing, [f"machine code: {failed}"]
    late = sum(end.status is None for end in ran.ends)
    missing = [f"machine code: {late} of {len(steps)} programs were not done in time"] if late else []
    if ran.too_large:
        missing.append(f"machine code: {len(ran.too_large)} texts were too long")
    return found, missing


def _plan(kernels: Sequence[tuple[str, str, bytes]]) -> tuple[list[Step], dict[str, int], list[tuple[str, bytes]]]:
    """The commands, what is taken of what they print, and the files that they read."""
    steps: list[Step] = []
    take: dict[str, int] = {}
    files: list[tuple[str, bytes]] = []
    nvdisasm, cuobjdump = tools.find("nvdisasm"), tools.find("cuobjdump")

    def add(into: str, most_bytes: int, *argv: str) -> None:
        steps.append(Step(argv, _TOOL_S, into))
        take[into] = most_bytes

    for number, (arch, ptx, cubin) in enumerate(kernels):
        if cubin:
            files.append((f"{number}.cubin", cubin))
            if cuobjdump:
                add(f"{number}.usage", _MOST_LOG_BYTES, str(cuobjdump), "-res-usage", f"{number}.cubin")
            if nvdisasm:
                add(f"{number}.sass", MOST_SASS_BYTES, str(nvdisasm), "-c", f"{number}.cubin")
        if ptx and arch and (ptxas := ptxas_of(arch)):
            files.append((f"{number}.ptx", ptx.encode()))
            add(f"{number}.ptxas", _MOST_LOG_BYTES, str(ptxas), "-v", f"--gpu-name={arch}", "-o", "again.cubin", f"{number}.ptx")
    return steps, take, files


def ptxas_of(arch: str) -> Path | None:
    """Triton compiles for newer GPUs by a newer compiler of its own."""
    newer = tools.find("ptxas-blackwell") if int(re.sub(r"\D", "", arch) or 0) >= _BLACKWELL else None
    return newer or tools.find("ptxas")


def read(files: Mapping[str, bytes], number: int) -> Disassembled:
    """What the tools left for one kernel. Raises `Unreadable`."""
    usage = _RESOURCES.search(_log(files, f"{number}.usage"))
    spills = _SPILLS.search(_log(files, f"{number}.ptxas"))
    return Disassembled(
        sass=_code(bounded.lines(files.get(f"{number}.sass", b""), MOST_SASS_BYTES)),
        registers=int(usage[1]) if usage else None,
        stack_bytes=int(usage[2]) if usage else None,
        shared_bytes=int(usage[3]) if usage else None,
        spill_store_bytes=int(spills[2]) if spills else None,
        spill_load_bytes=int(spills[3]) if spills else None,
    )


def _code(text: str) -> str:
    """The disassembly without the tool's own remarks; "" when there is none."""
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("nvdisasm ")).strip("\n")
    return f"{kept}\n" if ".text." in kept else ""


def _log(files: Mapping[str, bytes], name: str) -> str:
    return bounded.lines(files.get(name, b""), _MOST_LOG_BYTES)
