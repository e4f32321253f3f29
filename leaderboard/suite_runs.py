"""Runs of `kb baseline` over many ops, kept under a tag: begun and ended by the command, read and compared by pages and REST."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Avg, Count, Q
from django.db.models.functions import Exp, Ln
from django.utils import timezone

from evaluator.baselines.figures import Clock, Status
from evaluator.baselines.fingerprint import changed
from evaluator.baselines.names import TORCH_EAGER
from evaluator.contract import JSON
from leaderboard.bands import Interval
from leaderboard.baseline_models import BaselineResult, SuiteRun
from leaderboard.catalogue import ensure_device
from leaderboard.compare import Ratio, overall, ratio_of, sound
from leaderboard.measured import geometric_mean
from submissions.storable import storable

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LATEST = 100


class TagError(ValueError):
    """A tag that cannot be had. Says why."""


@dataclass(frozen=True, slots=True)
class Line:
    """One baseline of one op. Times are geometric means over the op's cases; throughput is one, too, and memory the most of any case.

    `cases` tell whether two lines were measured on the same inputs.
    """

    op: str
    name: str
    why: str = ""
    clock: str = ""
    time_us: float | None = None
    p95_us: float | None = None
    tokens_per_s: float | None = None
    peak_memory_bytes: int | None = None
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    flags: tuple[str, ...] = ()
    cases: tuple[tuple[str, str], ...] = ()

    @property
    def interval(self) -> Interval | None:
        """What the judge measured beside torch eager; torch eager beside itself says nothing."""
        if self.name == TORCH_EAGER or self.clock != Clock.INTERLEAVED or self.speedup is None or self.low is None or self.high is None:
            return None
        found = Interval(self.speedup, self.low, self.high)
        return found if sound(found) else None


@dataclass(frozen=True, slots=True)
class Sum:
    """One baseline over the ops of a run. `speedup` is the geometric mean over the `measured` ops that have one."""

    name: str
    measured: int
    of: int
    speedup: float | None


@dataclass(frozen=True, slots=True)
class LinePair:
    """The same baseline of the same op in two runs. Without `ratio` there may be `of_times`, which has no interval; `why` says why."""

    base: Line
    side: Line
    ratio: Ratio | None = None
    of_times: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class NamePair:
    """A baseline over all ops that both runs have an interval for. `verdict` is empty where machines differ."""

    name: str
    ratio: Ratio
    ops: int
    verdict: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`side` held against `base`. `differences`: why there is no verdict. Runs on two devices have no pairs at all."""

    base: SuiteRun
    side: SuiteRun
    differences: tuple[str, ...]
    pairs: tuple[LinePair, ...] = ()
    names: tuple[NamePair, ...] = ()

    @property
    def refused(self) -> bool:
        return self.base.device_id != self.side.device_id


def check_tag(tag: str) -> None:
    """Raises `TagError`."""
    if not TAG.fullmatch(tag):
        raise TagError(f"{tag[:70]!r} is no tag: 1 to 64 letters, digits, dots, dashes and underscores, the first a letter or a digit.")
    if (taken := SuiteRun.objects.filter(tag=tag).first()) is not None:
        raise TagError(f"The run of {taken.began_at:%Y-%m-%d %H:%M} UTC has the tag {tag!r}. Take another: a tag names one run.")


def begin(tag: str, device: str, *, suite: str, ops: Sequence[str], names: Sequence[str], environment: Mapping[str, JSON]) -> SuiteRun:
    """A run whose results come from now on. Raises `TagError`."""
    check_tag(tag)
    ensure_device(device)
    kept = storable(dict(environment))
    try:
        with transaction.atomic():
            return SuiteRun.objects.create(tag=tag, device_id=device, suite=suite, ops=list(ops), names=list(names), environment=kept)
    except IntegrityError:
        raise TagError(f"Another run has just taken the tag {tag!r}. Take another: a tag names one run.") from None


def end(run: SuiteRun) -> None:
    run.ended_at = timezone.now()
    run.save(update_fields=["ended_at"])


def latest() -> list[tuple[SuiteRun, tuple[Sum, ...]]]:
    """The newest runs with their sums, in two queries."""
    runs = list(SuiteRun.objects.select_related("device")[:LATEST])
    return list(zip(runs, sums(runs), strict=True))


def sums(runs: Sequence[SuiteRun]) -> list[tuple[Sum, ...]]:
    """Of each run its baselines, in the order in which they were asked for. One query for all, whose rows the database adds up."""
    good = BaselineResult.objects.filter(run__in=runs, status=Status.OK).order_by().values_list("run_id", "name")
    mean = Exp(Avg(Ln("speedup"), filter=Q(speedup__gt=0)))
    found: dict[int, dict[str, tuple[int, float | None]]] = {run.pk: {str(name): (0, None) for name in run.names} for run in runs}
    for run_id, name, measured, speedup in good.annotate(n=Count("op", distinct=True), mean=mean).order_by("name"):
        found[run_id][name] = (measured, speedup)
    return [tuple(Sum(name, n, len(run.ops), speedup) for name, (n, speedup) in found[run.pk].items()) for run in runs]


def lines(run: SuiteRun) -> tuple[Line, ...]:
    """What the run measured, op by op in the order asked for; what it lacks is said so. One query."""
    found = {(row.op_id, row.name): row for row in run.results.order_by("pk")}
    return tuple(
        _line(found[op, name]) if (op, name) in found else Line(op, name, why="not measured" if run.ended_at else "not measured yet")
        for op in map(str, run.ops)
        for name in map(str, run.names)
    )


def comparison(base: SuiteRun, side: SuiteRun) -> Comparison:
    """How many times as fast each baseline is in `side` as in `base`. There are no ratios across devices."""
    if base.device_id != side.device_id:
        return Comparison(base, side, (f"device: {base.device_id} and {side.device_id}",))
    apart = tuple(changed(base.environment, side.environment))
    ours = {(line.op, line.name): line for line in lines(base)}
    pairs = tuple(_pair(ours[line.op, line.name], line) for line in lines(side) if (line.op, line.name) in ours)
    names = dict.fromkeys(pair.side.name for pair in pairs if pair.ratio is not None)
    return Comparison(base, side, apart, pairs, tuple(_over_ops(name, pairs, judged=not apart) for name in names))


def _over_ops(name: str, pairs: Sequence[LinePair], *, judged: bool) -> NamePair:
    ratios = [pair.ratio for pair in pairs if pair.side.name == name and pair.ratio is not None]
    ratio = overall(ratios)
    return NamePair(name, ratio, len(ratios), ratio.verdict if judged else "")


def _pair(base: Line, side: Line) -> LinePair:
    if base.time_us is None or side.time_us is None:
        return LinePair(base, side, why="not measured in " + ("this one" if side.time_us is None else "the other"))
    if base.cases != side.cases:
        return LinePair(base, side, why="other cases")
    if base.interval is not None and side.interval is not None:
        return LinePair(base, side, ratio_of(base.interval, side.interval))
    why = "times alone: torch eager is what speedups are over" if side.name == TORCH_EAGER else "times alone, by the tool's own clock"
    return LinePair(base, side, of_times=base.time_us / side.time_us, why=why)


def _line(row: BaselineResult) -> Line:
    cases = [case for case in row.cases if isinstance(case, dict)]
    memory = [case.get("peak_memory_bytes") for case in cases]
    return Line(
        op=row.op_id,
        name=row.name,
        why=row.why.partition("\n")[0],
        clock=row.clock,
        time_us=row.time_us,
        p95_us=geometric_mean(case.get("p95_us") for case in cases),
        tokens_per_s=geometric_mean(case.get("tokens_per_s") for case in cases),
        peak_memory_bytes=max((one for one in memory if isinstance(one, int)), default=None),
        speedup=row.speedup,
        low=row.speedup_low,
        high=row.speedup_high,
        flags=tuple(row.flags),
        cases=tuple((str(case.get("name")), str(case.get("inputs"))) for case in cases),
    )
