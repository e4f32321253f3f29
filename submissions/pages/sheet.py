"""A final outcome as rows for the page: cases, timings with error bars on one scale, and the sandbox."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.contract import JSON, CaseResult, CaseTiming, Outcome, Verdict, from_json
from evaluator.diagnosis import worst_first
from submissions import samples
from submissions.models import Evaluation
from submissions.redact import first_line, redact_outcome

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
class Layer:
    """A layer of the sandbox as reported: `tone` is `good` when active or proven."""

    name: str
    status: str
    tone: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case that did not pass; `open` where a reader should see it at once."""

    case: CaseResult
    open: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    outcome: Outcome
    cases: tuple[CaseResult, ...]
    performance: tuple[PerformanceRow, ...]
    layers: tuple[Layer, ...]
    passed: int
    failed: tuple[FailedCase, ...]
    """Those of the verdict first, worst first."""
    most_spent: float | None
    """The largest share of its tolerance that a case's error took, of the cases that are not hidden and have one."""

    @property
    def is_right(self) -> bool:
        return bool(self.cases) and not self.failed

    @property
    def slowest(self) -> PerformanceRow | None:
        """The case that gains least."""
        return min(self.performance, key=lambda row: row.timing.speedup, default=None)


def sheet(evaluation: Evaluation, *, may_read_source: bool) -> Sheet | None:
    """None while there is no outcome, or when a newer evaluator wrote one that this site cannot read."""
    if not evaluation.outcome:
        return None
    try:
        stored = evaluation.outcome if may_read_source else redact_outcome(evaluation.outcome)
        outcome = samples.with_samples(from_json(Outcome, stored), samples.of(evaluation))
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
        tuple(layers(outcome.sandbox)),
        sum(case.passed for case in cases),
        tuple(telling_first([case for case in ordered if not case.passed], outcome.verdict)),
        max((case.rel_l2 / case.tolerance for case in cases if case.rel_l2 is not None and case.tolerance), default=None),
    )


def telling_first(failed: Sequence[CaseResult], verdict: Verdict) -> list[FailedCase]:
    """Worst first as given; before that, those which gave the verdict, and of these those which show something.

    Open are the first, and the first that has wrong elements to show: strides, errors and shapes are the worst and have none. A hidden
    case says no more than that it failed, so it comes last.
    """

    def silent(case: CaseResult) -> bool:
        return not case.mismatches and "\n" not in case.reason.strip()

    ordered = sorted(failed, key=lambda case: (case.hidden, case.verdict is not verdict, silent(case)))
    with_elements = next((case for case in ordered if case.mismatches), None)
    return [FailedCase(case, number == 0 or case is with_elements) for number, case in enumerate(ordered)]


def masked(cases: Iterable[CaseResult], *, may_read_source: bool) -> tuple[CaseResult, ...]:
    """What a reader may see of each case.

    A hidden case shows that it passed or failed and how, never its inputs: they are drawn the same way the next time. A traceback
    quotes source lines, so who may not read the source gets its first line.
    """

    def one(case: CaseResult) -> CaseResult:
        if case.hidden:
            return replace(case, inputs="", reason="", seed=None, mismatches=(), reproduce="")
        return case if may_read_source else replace(case, reason=first_line(case.reason))

    return tuple(one(case) for case in cases)


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
