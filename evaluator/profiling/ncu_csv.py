"""The CSV that Nsight Compute writes (`--page raw --csv`): a row a launch, a column a metric, units in the second row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.csv_cell import cell
from evaluator.profiles import MAX_ARTEFACT_BYTES, KernelMetrics, Metric
from evaluator.profiling import bounded
from evaluator.profiling.bounded import Unreadable
from evaluator.profiling.ncu_metrics import DURATION, SHOWN

MOST_BYTES = 4 << 20
MOST_LAUNCHES = 32
MOST_COLUMNS = 2000
"""With so many launches, 64,000 metrics at most. The tool writes some hundred columns for our sections, and a megabyte at most."""
MOST_KERNELS = 24
NAME_CHARACTERS = 120
_HEADER = re.compile(r'^"?ID"?,"?Process ID"?,', re.MULTILINE)
_NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_METRIC = re.compile(r"[a-zA-Z]\w*__[\w.:]+", re.ASCII)
_DIGITS = 64
_SCALES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_UNIT = re.compile(r"(?P<scale>[numkKMGT]?)(?P<stem>second|byte|hz|inst|cycle|s|B|Hz)(?P<per>/.*)?")
_STEMS = {"s": "second", "B": "byte", "Hz": "hz"}


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch and its metrics in base units."""

    kernel: str
    grid: str
    block: str
    metrics: dict[str, tuple[float, str]]

    @property
    def duration_s(self) -> float:
        return self.metrics.get(DURATION, (0.0, ""))[0]


def launches(text: str) -> list[Launch]:
    """Every launch in the table, in its order. What stands before and after the table is left out. Raises `Unreadable`."""
    start = _HEADER.search(text)
    if start is None:
        raise Unreadable("no table")
    rows = csv.reader(io.StringIO(text[start.start() :], newline=""))
    try:
        header = next(rows)
        units = next(rows)
        if len(header) > MOST_COLUMNS or "Kernel Name" not in header or len(units) != len(header) or units[0]:
            raise Unreadable(f"no table of launches with units and at most {MOST_COLUMNS} columns")
        return [_launch(header, units, row) for row in _whole(rows, len(header))]
    except StopIteration:
        raise Unreadable("a table without launches") from None
    except csv.Error as error:
        raise Unreadable(f"no CSV: {error}") from error


def _whole(rows: Iterator[list[str]], columns: int) -> Iterator[list[str]]:
    """Rows of the table; a message of the tool between them has other columns."""
    kept = 0
    for row in rows:
        if len(row) == columns and row[0].isdecimal():
            kept += 1
            if kept > MOST_LAUNCHES:
                return
            yield row


def _launch(header: Sequence[str], units: Sequence[str], row: Sequence[str]) -> Launch:
    named = dict(zip(header, row, strict=True))
    metrics: dict[str, tuple[float, str]] = {}
    for name, unit, shown in zip(header, units, row, strict=True):
        value = number(shown)
        if value is not None and len(name) <= NAME_CHARACTERS and _METRIC.fullmatch(name):
            metrics[name] = in_base_units(value, unit)
    return Launch(
        bounded.text(named["Kernel Name"]) or "kernel",
        bounded.text(named.get("Grid Size", ""), 40),
        bounded.text(named.get("Block Size", ""), 40),
        metrics,
    )


def number(shown: str) -> float | None:
    """`1,234.5` as a number; None for `n/a`, nothing, several values and whatever else is no number."""
    shown = shown.strip()
    if len(shown) > _DIGITS or not _NUMBER.fullmatch(shown):
        return None
    return bounded.number(float(shown.replace(",", "")))


def in_base_units(value: float, unit: str) -> tuple[float, str]:
    """Seconds, bytes, hertz; a unit that is not known stays as it is."""
    known = _UNIT.fullmatch(unit.strip())
    if known is None:
        return value, bounded.text(unit, 40)
    stem = _STEMS.get(known["stem"], known["stem"])
    per = known["per"] or ""
    return value * _SCALES[known["scale"]], bounded.text(stem + ("/second" if per == "/s" else per), 40)


def summary(found: Sequence[Launch]) -> tuple[KernelMetrics, ...]:
    """A kernel a row: its longest launch stands for it. Those that took most time come first."""
    by_name: dict[str, list[Launch]] = {}
    for launch in found:
        by_name.setdefault(launch.kernel, []).append(launch)
    ordered = sorted(by_name.values(), key=lambda group: -sum(launch.duration_s for launch in group))
    return tuple(_kernel(group) for group in ordered[:MOST_KERNELS])


def _kernel(group: Sequence[Launch]) -> KernelMetrics:
    longest = max(group, key=lambda launch: launch.duration_s)
    total_s = sum(launch.duration_s for launch in group)
    chosen = []
    for shown in SHOWN:
        name = next((name for name in shown.names if name in longest.metrics), None)
        if name is not None:
            chosen.append(Metric(name, shown.group, shown.label, *longest.metrics[name]))
    return KernelMetrics(longest.kernel, len(group), longest.grid, longest.block, total_s * 1e6 or None, tuple(chosen))


def rewritten(found: Sequence[Launch], most_bytes: int = MAX_ARTEFACT_BYTES) -> tuple[bytes, int]:
    """All metrics of all launches as CSV of our own writing: kernel, launch, grid, block, metric, value, unit; and how many had no room."""
    lines = [_line("kernel", "launch", "grid", "block", "metric", "value", "unit")]
    room, left_out = most_bytes - len(lines[0]), 0
    for position, launch in enumerate(found):
        first = (cell(bounded.text(launch.kernel, NAME_CHARACTERS)), str(position), cell(launch.grid), cell(launch.block))
        for name, (value, unit) in launch.metrics.items():
            line = _line(*first, cell(name), repr(value), cell(unit))
            if len(line) > room:
                room, left_out = 0, left_out + 1
            else:
                room -= len(line)
                lines.append(line)
    return b"".join(lines), left_out


def _line(*cells: str) -> bytes:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue().encode()
