"""A profile as rows for the result page: what each tool found, or why it found nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluator.contract import ArtefactKind, Profile, Profiler
from evaluator.profiles import ArtefactNote, KernelCode, KernelMetrics, OpTime, ToolReport
from submissions.artefacts import contents
from submissions.models import Artefact, Evaluation
from submissions.pages.highlight import highlight
from submissions.pages.sheet import Layer, Sheet, layers
from submissions.templatetags.measures import figure, significant, time_us

LISTINGS = 4
LISTED_LINES = 800
LISTED_CHARACTERS = 120_000
TOOLS: Mapping[Profiler, str] = {
    Profiler.TORCH: "torch profiler",
    Profiler.CODE: "PTX and SASS",
    Profiler.NCU: "Nsight Compute",
    Profiler.ENERGY: "energy",
    Profiler.NSYS: "Nsight Systems",
}
KINDS: Mapping[ArtefactKind, str] = {
    ArtefactKind.TORCH_TABLE: "operators by time",
    ArtefactKind.CHROME_TRACE: "trace, for Perfetto or chrome://tracing",
    ArtefactKind.NCU_METRICS: "all metrics of Nsight Compute",
    ArtefactKind.NCU_REPORT: "report, for Nsight Compute's own window: open it only when you trust its author",
    ArtefactKind.NSYS_STATS: "kernels by time",
    ArtefactKind.PTX: "PTX",
    ArtefactKind.SASS: "SASS",
}
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_STEMS = {"byte": "B", "hz": "Hz", "byte/second": "B/s", "joule": "J"}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and how it fared; `layers` where it ran in another sandbox than the others."""

    title: str
    report: ToolReport
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, slots=True)
class OpRow:
    """An operator; `share` of all time on the device, or on the CPU where there is no device."""

    op: OpTime
    own_us: float
    share: float


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A figure of one kernel; `group` is "" where it is that of the row above."""

    group: str
    label: str
    name: str
    shown: str


@dataclass(frozen=True, slots=True)
class KernelTable:
    kernel: KernelMetrics
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Machine code with line numbers; `left_out` lines follow in the download."""

    note: ArtefactNote
    title: str
    text: SafeString
    left_out: int


@dataclass(frozen=True, slots=True)
class File:
    note: ArtefactNote
    meaning: str


@dataclass(frozen=True, slots=True)
class ProfileSheet:
    profile: Profile
    energy_a_call: str
    tools: tuple[Tool, ...]
    ops: tuple[OpRow, ...]
    on_device: bool
    kernels: tuple[KernelTable, ...]
    listings: tuple[Listing, ...]
    files: tuple[File, ...]
    gone: bool
    """The files were removed to make room for newer ones of the same author."""


def profile_sheet(evaluation: Evaluation, sheet: Sheet) -> ProfileSheet | None:
    """None where nothing was profiled. At most two queries. For those alone who may read the source."""
    found = sheet.outcome.profile
    if found is None:
        return None
    stored = set(Artefact.objects.filter(evaluation=evaluation).values_list("name", flat=True)) if found.artefacts else set()
    kept = [note for note in found.artefacts if note.name in stored]
    return ProfileSheet(
        found,
        measured(found.energy.joules_per_call, "joule") if found.energy is not None else "",
        tuple(Tool(TOOLS[report.tool], report, _own_layers(report, found)) for report in found.tools),
        tuple(op_rows(found.ops)),
        any(op.self_device_us is not None for op in found.ops),
        tuple(KernelTable(kernel, tuple(metric_rows(kernel))) for kernel in found.kernels),
        tuple(_listings(evaluation, found.code, {note.name: note for note in kept})),
        tuple(File(note, KINDS[note.kind]) for note in kept),
        bool(found.artefacts) and not kept,
    )


def _own_layers(report: ToolReport, found: Profile) -> tuple[Layer, ...]:
    return tuple(layers(found.sandbox)) if report.tool is Profiler.NCU and report.available else ()


def op_rows(ops: Sequence[OpTime]) -> list[OpRow]:
    own = [op.self_cpu_us if op.self_device_us is None else op.self_device_us for op in ops]
    total = sum(own) or 1.0
    return [OpRow(op, us, us / total) for op, us in zip(ops, own, strict=True)]


def metric_rows(kernel: KernelMetrics) -> list[MetricRow]:
    rows: list[MetricRow] = []
    group = ""
    for metric in kernel.metrics:
        rows.append(
            MetricRow("" if metric.group == group else metric.group, metric.label, metric.name, measured(metric.value, metric.unit))
        )
        group = metric.group
    return rows


def measured(value: float, unit: str) -> str:
    """A figure in the unit that suits: `85.2 %`, `1.21 GB/s`, `12.3 µs`, `40`."""
    if unit == "second":
        return time_us(value * 1e6)
    stem = _STEMS.get(unit)
    if stem is not None:
        factor, prefix = next(((f, p) for f, p in _PREFIXES if abs(value) >= f), (1.0, ""))
        return f"{significant(value / factor)} {prefix}{stem}"
    shown = f"{value:,.0f}" if value == int(value) and abs(value) < 1e6 else figure(value)
    return f"{shown} {unit}".strip()


def _listings(evaluation: Evaluation, kernels: Sequence[KernelCode], notes: Mapping[str, ArtefactNote]) -> list[Listing]:
    """PTX and SASS of the first kernels that ran."""
    ordered = sorted(kernels, key=lambda kernel: kernel.launched is False)
    wanted = [(kernel, name) for kernel in ordered for name in (kernel.ptx, kernel.sass) if name in notes][:LISTINGS]
    rows = (
        {row.name: row for row in Artefact.objects.filter(evaluation=evaluation, name__in=[name for _, name in wanted])} if wanted else {}
    )
    return [_listing(position, kernel, notes[name], rows[name]) for position, (kernel, name) in enumerate(wanted) if name in rows]


def _listing(position: int, kernel: KernelCode, note: ArtefactNote, row: Artefact) -> Listing:
    """The first lines, escaped and not lexed: the text may be of the submission's own making."""
    text = contents(row).decode("utf-8", "replace")
    lines = text[:LISTED_CHARACTERS].splitlines()[:LISTED_LINES]
    in_all = text.count("\n") + (not text.endswith("\n"))
    shown = highlight("\n".join(lines), python=False, prefix=f"code{position}-L")
    return Listing(note, f"{KINDS[note.kind]} of {kernel.name}", shown, max(0, in_all - len(lines)))
