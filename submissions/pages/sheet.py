"""A final outcome as rows for the page: cases, timings with error bars on one scale, environment and sandbox."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.contract import JSON, CaseResult, CaseTiming, Outcome, from_json
from evaluator.diagnosis import worst_first
from submissions.models import Evaluation
from submissions.pages.progress import Timed

WIDTH = 100.0


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval on a logarithmic axis that all rows of one table share, in SVG units of a box 100 wide. `unit` is where 1× lies."""

    low: float
    middle: float
    high: float
    unit: float


@dataclass(frozen=True, slots=True)
class PerformanceRow:
    name: str
    inputs: str
    timing: CaseTiming
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class LiveRow:
    timed: Timed
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of the sandbox as reported: `tone` is `good` when active or proven."""

    name: str
    status: str
    tone: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    outcome: Outcome
    cases: tuple[CaseResult, ...]
    performance: tuple[PerformanceRow, ...]
    environment: tuple[tuple[str, str], ...]
    layers: tuple[Layer, ...]
    passed: int
    reproduce: str


def sheet(evaluation: Evaluation, *, may_read_source: bool) -> Sheet | None:
    """None while there is no outcome, or when a newer evaluator wrote one that this site cannot read."""
    if not evaluation.outcome:
        return None
    try:
        outcome = from_json(Outcome, evaluation.outcome)
    except (TypeError, ValueError):
        return None
    cases = masked(outcome.cases, may_read_source=may_read_source)
    timed = [case for case in cases if case.timing is not None]
    bars = whiskers([(c.timing.low, c.timing.speedup, c.timing.high) for c in timed if c.timing])
    rows = tuple(PerformanceRow(c.name, c.inputs, c.timing, bar) for c, bar in zip(timed, bars, strict=True) if c.timing)
    ordered = worst_first(cases)
    return Sheet(
        outcome,
        tuple(ordered),
        rows,
        tuple(flat(outcome.environment)),
        tuple(layers(outcome.sandbox)),
        sum(case.passed for case in cases),
        next((case.reproduce for case in ordered if case.reproduce), ""),
    )


def masked(cases: Iterable[CaseResult], *, may_read_source: bool) -> tuple[CaseResult, ...]:
    """What a reader may see of each case.

    A hidden case shows that it passed or failed and how, never its inputs: they are drawn the same way the next time. A traceback
    quotes source lines, so who may not read the source gets its first line.
    """

    def one(case: CaseResult) -> CaseResult:
        if case.hidden:
            return replace(case, inputs="", reason="", seed=None, mismatches=(), reproduce="")
        return case if may_read_source else replace(case, reason=case.reason.partition("\n")[0])

    return tuple(one(case) for case in cases)


def live_rows(timed: Sequence[Timed]) -> tuple[LiveRow, ...]:
    bars = iter(whiskers([(t.low, t.speedup, t.high) for t in timed if t.low and t.speedup and t.high]))
    return tuple(LiveRow(t, next(bars) if t.low and t.speedup and t.high else None) for t in timed)


def whiskers(intervals: Sequence[tuple[float, float, float]]) -> list[Whisker | None]:
    """Place (low, middle, high) on one logarithmic axis that also holds 1×. An interval that is not positive has no bar."""
    good = [i for i in intervals if all(math.isfinite(v) and v > 0 for v in i)]
    if not good:
        return [None] * len(intervals)
    least = min(1.0, *(low for low, _, _ in good))
    most = max(1.0, *(high for _, _, high in good))
    start, end = math.log(least) - 0.05, math.log(most) + 0.05

    def place(value: float) -> float:
        return round((math.log(value) - start) / (end - start) * WIDTH, 2)

    return [Whisker(place(i[0]), place(i[1]), place(i[2]), place(1.0)) if i in good else None for i in intervals]


def flat(values: Mapping[str, JSON], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested facts as `name: text` pairs, in the order given, without empty ones."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name} ")
        elif isinstance(value, list):
            yield f"{prefix}{name}".replace("_", " "), ", ".join(str(item) for item in value)
        elif value not in (None, ""):
            yield f"{prefix}{name}".replace("_", " "), str(value)


def layers(sandbox: Mapping[str, JSON]) -> Iterable[Layer]:
    """The sandbox table, whether a worker reports `layer: status` or `layer: {status, …}`, nested under `layers` or not."""
    table = sandbox.get("layers", sandbox)
    rows: Iterable[tuple[str, JSON]] = ()
    if isinstance(table, dict):
        rows = table.items()
    elif isinstance(table, list):
        rows = ((str(row.get("layer") or row.get("name") or ""), row) for row in table if isinstance(row, dict))
    for name, said in rows:
        if isinstance(said, dict):
            status = str(said.get("status") or said.get("state") or ("active" if said.get("proven") else "unavailable"))
            detail = str(said.get("consequence") or said.get("detail") or said.get("reason") or "")
        else:
            status, _, detail = (part.strip() for part in str(said).partition(":"))
        tone = "good" if status in ("active", "proven", "True", "ok") else "warn"
        yield Layer(name.replace("_", " "), status, tone, "" if tone == "good" else detail)
