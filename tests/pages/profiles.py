"""A profile as the evaluator leaves it on a GPU, and the files that come with it."""

from __future__ import annotations

import dataclasses
import hashlib

from evaluator.contract import ArtefactKind, Mode, Outcome, Profile, Profiler, State
from evaluator.profiles import ArtefactNote, Energy, KernelCode, KernelMetrics, KernelTime, Metric, OpTime, ToolReport
from evaluator.profiling.artefacts import Artefact
from tests.pages.outcomes import accepted

PTX = ".version 8.5\n.target sm_90a\n.visible .entry softmax_kernel(\n" + "\n".join(f"    mov.u32 %r{n}, 1;" for n in range(1000))
SASS = "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n        /*0010*/                   EXIT ;\n"
HOSTILE = "<script>alert(1)</script>"


def artefacts(ptx: bytes = PTX.encode()) -> list[Artefact]:
    """Text, bytes and what a hostile kernel would like a browser to run."""
    return [
        _artefact("softmax_kernel-abababab.ptx", ArtefactKind.PTX, ptx),
        _artefact("softmax_kernel-abababab.sass", ArtefactKind.SASS, (SASS + HOSTILE).encode()),
        _artefact("trace.json.gz", ArtefactKind.CHROME_TRACE, b"\x1f\x8b\x00" + HOSTILE.encode()),
    ]


def _artefact(name: str, kind: ArtefactKind, data: bytes) -> Artefact:
    return Artefact(ArtefactNote(name, kind, len(data), hashlib.sha256(data).hexdigest()), data)


def profile() -> Profile:
    """Every tool but one found something."""
    left_out = {Profiler.NCU: ("ncu.ncu-rep: more than 8 MiB", "ncu.csv: its last 7 metrics")}
    reports = [ToolReport(tool, True, seconds=3.0, left_out=left_out.get(tool, ())) for tool in Profiler if tool is not Profiler.NSYS]
    return Profile(
        case="large",
        inputs="float32[64, 128], -1",
        calls=3,
        tools=(*reports, ToolReport(Profiler.NSYS, False, "nsys is not installed")),
        ops=(OpTime("aten::softmax", 3, 40.0, 55.0, 90.0, 90.0), OpTime(HOSTILE, 3, 1.0, 1.0, 10.0, 10.0)),
        kernels=(
            KernelMetrics(
                "softmax_kernel",
                1,
                "(64, 1, 1)",
                "(128, 1, 1)",
                12.3,
                (
                    Metric("sm__throughput.avg.pct_of_peak_sustained_elapsed", "speed of light", "compute throughput", 42.5, "%"),
                    Metric("dram__bytes.sum.per_second", "memory workload", "DRAM rate", 1.21e12, "byte/second"),
                    Metric("launch__registers_per_thread", "launch", "registers a thread", 40.0, "register/thread"),
                ),
            ),
        ),
        code=(
            KernelCode(
                "softmax_kernel",
                "abababab",
                True,
                "sm_90a",
                40,
                24,
                32,
                0,
                2048,
                4,
                3,
                "softmax_kernel-abababab.ptx",
                "softmax_kernel-abababab.sass",
            ),
        ),
        timeline=(KernelTime("softmax_kernel", 3, 36.9, 12.3, 12.0, 12.6),),
        energy=Energy(0.0009, 301.5, 1_000_000, 3.0),
        artefacts=tuple(artefact.note for artefact in artefacts()),
        sandbox={"network_namespace": "active", "cgroup": "unavailable: not allowed here"},
    )


def profiled() -> Outcome:
    return dataclasses.replace(accepted(), mode=Mode.PROFILE, stage=State.PROFILING, profile=profile())
