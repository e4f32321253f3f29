"""The tables of a running evaluation: every case that will run, each with what is known of it so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluator.contract import CaseResult, CaseTiming, State
from submissions.pages.planned import PlannedCase
from submissions.pages.progress import Progress, Timed
from submissions.pages.sheet import Whisker, masked, whiskers


@dataclass(frozen=True, slots=True)
class LiveCase:
    """`status`: `todo`, `now`, `passed` or `failed`."""

    plan: PlannedCase
    status: str
    result: CaseResult | None = None


@dataclass(frozen=True, slots=True)
class LiveTimed:
    """A performance case: `timed` while it is measured, `timing` once it is."""

    plan: PlannedCase
    status: str
    timed: Timed | None = None
    timing: CaseTiming | None = None
    whisker: Whisker | None = None


@dataclass(frozen=True, slots=True)
class LiveTables:
    checked: tuple[LiveCase, ...]
    timed: tuple[LiveTimed, ...]

    @property
    def passed(self) -> int:
        return sum(row.status == "passed" for row in self.checked)

    @property
    def failed(self) -> int:
        return sum(row.status == "failed" for row in self.checked)


def live_tables(state: State, plan: Sequence[PlannedCase], now: Progress, *, may_read_source: bool) -> LiveTables:
    """A row a planned case, and one for each that was not planned (a worker of another version may know more)."""
    results = masked(now.cases, may_read_source=may_read_source)
    checked = list(_checked([p for p in plan if p.kind == "correctness"], results, running=state is State.CHECKING))
    timed = list(_timed([p for p in plan if p.kind == "performance"], results, now.timed, running=state is State.TIMING))
    return LiveTables(tuple(checked), tuple(timed))


def _checked(plan: Sequence[PlannedCase], results: Iterable[CaseResult], *, running: bool) -> Iterator[LiveCase]:
    found = {result.name: result for result in results if result.kind == "correctness"}
    for each in (*plan, *_others(plan, found.values())):
        result = found.get(each.name)
        if result is not None:
            yield LiveCase(each, "passed" if result.passed else "failed", result)
            continue
        yield LiveCase(each, "now" if running else "todo")
        running = False


def _timed(plan: Sequence[PlannedCase], results: Iterable[CaseResult], timed: Iterable[Timed], *, running: bool) -> Iterator[LiveTimed]:
    found = {result.name: result for result in results if result.kind == "performance"}
    so_far = {each.case: each for each in timed}
    known = {*_names(plan), *found}
    unplanned = [*_others(plan, found.values()), *(PlannedCase(name, "performance") for name in so_far if name not in known)]
    rows = [(each, so_far.get(each.name), found.get(each.name)) for each in (*plan, *unplanned)]
    for (each, now, result), bar in zip(rows, whiskers([_interval(now, result) for _, now, result in rows]), strict=True):
        if result is not None:
            yield LiveTimed(each, "passed" if result.passed else "failed", now, result.timing, bar)
            continue
        yield LiveTimed(each, "now" if running else "todo", now, None, bar)
        running = False


def _others(plan: Sequence[PlannedCase], results: Iterable[CaseResult]) -> list[PlannedCase]:
    return [PlannedCase(r.name, r.kind, r.inputs, r.hidden) for r in results if r.name not in _names(plan)]


def _names(plan: Sequence[PlannedCase]) -> set[str]:
    return {each.name for each in plan}


def _interval(now: Timed | None, result: CaseResult | None) -> tuple[float, float, float]:
    """Zeros, which have no bar, where nothing is known yet."""
    if result is not None and result.timing is not None:
        return result.timing.low, result.timing.speedup, result.timing.high
    if now is not None:
        return now.low or 0.0, now.speedup or 0.0, now.high or 0.0
    return 0.0, 0.0, 0.0
