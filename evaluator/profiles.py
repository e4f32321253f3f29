"""What profilers found of one kernel: part of the contract (`evaluator/contract.py`).

Everything is bounded, since it is stored with the outcome. Most of it was written by processes that hold submitted code: it says what the
kernel's own process says, and no verdict rests on it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from evaluator.jsonable import JSON

MAX_ARTEFACT_BYTES = 8 * 1024 * 1024
MAX_ARTEFACTS_BYTES = 32 * 1024 * 1024
MAX_ARTEFACTS = 48


class Profiler(enum.StrEnum):
    """A tool that looks at a kernel in `profile` mode. Each runs in a sandboxed process of its own, after timing."""

    TORCH = "torch_profiler"
    CODE = "code"
    NCU = "ncu"
    ENERGY = "energy"
    NSYS = "nsys"


class ArtefactKind(enum.StrEnum):
    """What a file that a profiler left holds."""

    TORCH_TABLE = "torch_table"
    CHROME_TRACE = "chrome_trace"
    NCU_METRICS = "ncu_metrics"
    NCU_REPORT = "ncu_report"
    NSYS_STATS = "nsys_stats"
    PTX = "ptx"
    SASS = "sass"


_TEXT, _CSV = "text/plain; charset=utf-8", "text/csv; charset=utf-8"
MEDIA_TYPES: Mapping[ArtefactKind, str] = MappingProxyType(
    {
        ArtefactKind.TORCH_TABLE: _TEXT,
        ArtefactKind.CHROME_TRACE: "application/gzip",
        ArtefactKind.NCU_METRICS: _CSV,
        ArtefactKind.NCU_REPORT: "application/octet-stream",
        ArtefactKind.NSYS_STATS: _CSV,
        ArtefactKind.PTX: _TEXT,
        ArtefactKind.SASS: _TEXT,
    }
)
"""The kind decides, never what a file says of itself."""


@dataclass(frozen=True, slots=True)
class ToolReport:
    """How one tool fared. `why` says in one sentence why it is not available, "" when it is. `left_out`: what was not kept, and why."""

    tool: Profiler
    available: bool
    why: str = ""
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.available == bool(self.why):
            raise ValueError("a tool is available, or there is a reason why not")


@dataclass(frozen=True, slots=True)
class OpTime:
    """One row of torch's profiler, over all profiled calls: an operator on the host, or a kernel or copy on the device.

    Times in microseconds. On a CPU device times are None. `self_device_us` is 0 for an operator; what it launched counts in `device_us`.
    """

    name: str
    count: int
    self_cpu_us: float
    cpu_us: float
    self_device_us: float | None = None
    device_us: float | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of Nsight Compute, in base units. `group` is the section it belongs to, `label` what a person calls it."""

    name: str
    group: str
    label: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class KernelMetrics:
    """Metrics of the longest launch of one kernel. `duration_us` is the sum over its `launches` in one call."""

    name: str
    launches: int
    grid: str
    block: str
    duration_us: float | None
    metrics: tuple[Metric, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelCode:
    """One compiled kernel. `launched`: the last call ran this variant; None where that cannot be told.

    `ptx` and `sass` name artefacts, "" where there is none. Spills and stack are bytes a thread, shared memory bytes a block.
    """

    name: str
    variant: str
    launched: bool | None = None
    arch: str = ""
    registers: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    ptx: str = ""
    sass: str = ""


@dataclass(frozen=True, slots=True)
class KernelTime:
    """What Nsight Systems saw of one kernel, in microseconds."""

    name: str
    launches: int
    total_us: float
    median_us: float
    min_us: float
    max_us: float


@dataclass(frozen=True, slots=True)
class Energy:
    """What the whole board used while calls ran one after the other, by NVML's counter: idle power is part of it."""

    joules_per_call: float
    mean_watts: float
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ArtefactNote:
    """A file that travels beside the outcome. `sha256` is of its bytes."""

    name: str
    kind: ArtefactKind
    size_bytes: int
    sha256: str

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.kind]


@dataclass(frozen=True, slots=True)
class Profile:
    """All that profilers found of one kernel in one case; `calls` were profiled. `sandbox`: layers of the sandbox of Nsight Compute."""

    case: str
    inputs: str
    calls: int
    tools: tuple[ToolReport, ...] = ()
    ops: tuple[OpTime, ...] = ()
    kernels: tuple[KernelMetrics, ...] = ()
    code: tuple[KernelCode, ...] = ()
    timeline: tuple[KernelTime, ...] = ()
    energy: Energy | None = None
    artefacts: tuple[ArtefactNote, ...] = ()
    sandbox: dict[str, JSON] = field(default_factory=dict)
