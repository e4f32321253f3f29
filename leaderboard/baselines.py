"""Baselines as rows: stored as `kb baseline` measures them, read as marked rows of a board, stale when the machine has changed."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from evaluator.baselines.figures import MAX_WHY, Figures, Status
from evaluator.baselines.fingerprint import changed, fingerprint
from evaluator.baselines.names import COMMANDS, NAMES, TORCH_EAGER
from evaluator.contract import EPOCH, JSON, to_json
from leaderboard.baseline_models import BaselineResult, SuiteRun
from leaderboard.catalogue import ensure_device
from submissions import events
from submissions.storable import storable, storable_text
from submissions.streams import board_stream


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A baseline as a board shows it. Times in microseconds.

    `clock`: `interleaved` (the judge's, in quads beside torch_eager) or `own` (the tool's; such a speedup has no interval). `measured`:
    board entries that torch_eager was timed beside. `stale`: what has changed on the device's worker since, in words. `why` is the first
    line of the reason: what follows it, such as a tool's own words, is for the administrator.
    """

    name: str
    status: str = "ok"
    why: str = ""
    clock: str = "interleaved"
    time_us: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    per_case: tuple[Mapping[str, JSON], ...] = ()
    flags: tuple[str, ...] = ()
    measured: int = 0
    stale: str = ""
    at: datetime | None = None
    kind: str = "baseline"

    @property
    def cases(self) -> int:
        return len(self.per_case)

    @property
    def has_figures(self) -> bool:
        return self.time_us is not None


@transaction.atomic
def store(figures: Figures, run: SuiteRun | None = None) -> BaselineResult | None:
    """A new row, which counts from now on; readers of the board are told. The op must be in the catalogue. `run`: under whose tag.

    None when nothing is stored: what is unavailable, such as a `suspect` run of a disturbed device, does not take the place of figures
    that the same command gave in the same environment.
    """
    ensure_device(figures.device)
    sha = fingerprint(figures.environment)
    if figures.status is Status.UNAVAILABLE:
        before = BaselineResult.objects.current().filter(op_id=figures.op, device_id=figures.device, name=figures.name).first()
        same = before is not None and (before.environment_sha256, before.command_sha256) == (sha, figures.command_sha256)
        if before is not None and same and before.status == Status.OK:
            return None
    row = BaselineResult.objects.create(
        run=run,
        op_id=figures.op,
        device_id=figures.device,
        name=figures.name,
        status=figures.status.value,
        clock=figures.clock.value,
        why=storable_text(figures.why, MAX_WHY),
        time_us=figures.time_us,
        eager_us=figures.eager_us,
        speedup=figures.speedup,
        speedup_low=figures.low,
        speedup_high=figures.high,
        cases=storable(to_json(figures.cases)),
        flags=list(figures.flags),
        environment=storable(to_json(figures.environment)),
        environment_sha256=sha,
        command_sha256=figures.command_sha256,
    )
    data: dict[str, JSON] = {"name": row.name, "status": row.status, "speedup": row.speedup}
    events.append(board_stream(row.op_id, row.device_id), "baseline", data)
    return row


def rows_of(op: str, device: str, epoch: int = EPOCH) -> list[BaselineRow]:
    """The current baselines of a board in the order of `NAMES`, in one query; of an earlier epoch the last that were measured in it."""
    found = BaselineResult.objects.current().filter(op_id=op, device_id=device)
    found = found.select_related("device") if epoch == EPOCH else found.filter(environment__epoch=epoch)
    position = {name: place for place, name in enumerate(NAMES)}
    return [_row(each, now=epoch == EPOCH) for each in sorted(found, key=lambda row: position.get(row.name, len(position)))]


def with_eager(rows: Sequence[BaselineRow], times_us: Sequence[float]) -> tuple[BaselineRow, ...]:
    """The rows with torch_eager first: the median of its times beside the board's entries where there are some, else what was stored."""
    if not times_us:
        return tuple(rows)
    eager = BaselineRow(TORCH_EAGER, time_us=statistics.median(times_us), speedup=1.0, measured=len(times_us))
    return (eager, *(row for row in rows if row.name != TORCH_EAGER))


def due(
    ops: Iterable[str],
    device: str,
    names: Sequence[str],
    *,
    environment: Mapping[str, object],
    commands: Mapping[str, str],
    patience: timedelta = timedelta(0),
) -> dict[str, tuple[str, ...]]:
    """Per op the baselines that are missing, or were measured in another environment or by another command than now.

    So are those that were unavailable and for which there is something to measure by: the tool may have come since; but not before
    `patience` has passed. `commands`: the SHA-256 of each external baseline's command line; what is not in it has none.
    """
    slugs = list(ops)
    fresh = _fresh(device, environment, commands, patience).filter(op_id__in=slugs)
    known = set(fresh.values_list("op_id", "name"))
    found = {slug: tuple(name for name in names if (slug, name) not in known) for slug in slugs}
    return {slug: missing for slug, missing in found.items() if missing}


def first_stale(
    device: str, *, environment: Mapping[str, object], commands: Mapping[str, str], patience: timedelta, but: Collection[str] = ()
) -> tuple[str, tuple[str, ...]] | None:
    """The first op, in the catalogue's order and not one of `but`, of which something was measured once that is due now, and what."""
    current = BaselineResult.objects.filter(device_id=device, op__active=True).current()
    old = BaselineResult.objects.filter(pk__in=current.values("pk")).exclude(
        pk__in=_fresh(device, environment, commands, patience).values("pk")
    )
    rows = list(old.exclude(op_id__in=but).order_by("op__position", "op_id", "name").values_list("op_id", "name"))
    return (rows[0][0], tuple(name for op, name in rows if op == rows[0][0])) if rows else None


def _fresh(device: str, environment: Mapping[str, object], commands: Mapping[str, str], patience: timedelta) -> QuerySet[BaselineResult]:
    """The current rows of a device that need not be measured again."""
    current = BaselineResult.objects.filter(device_id=device).current()
    of_command = Q(command_sha256="") & ~Q(name__in=[name for name, sha in commands.items() if sha])
    for name, sha in commands.items():
        of_command |= Q(name=name, command_sha256=sha)
    nothing_new = Q(status=Status.OK) | Q(name__in=COMMANDS, command_sha256="") | Q(measured_at__gt=timezone.now() - patience)
    rows = BaselineResult.objects.filter(pk__in=current.values("pk"))
    return rows.filter(of_command, nothing_new, environment_sha256=fingerprint(environment))


def _row(result: BaselineResult, *, now: bool) -> BaselineRow:
    return BaselineRow(
        name=result.name,
        status=result.status,
        why=result.why.partition("\n")[0],
        clock=result.clock,
        time_us=result.time_us,
        speedup=result.speedup,
        speedup_low=result.speedup_low,
        speedup_high=result.speedup_high,
        per_case=tuple(result.cases),
        flags=tuple(result.flags),
        stale=", ".join(changed(result.environment, _environment_now(result))) if now else "",
        at=result.measured_at,
    )


def _environment_now(result: BaselineResult) -> dict[str, object]:
    """What is known of the device, in this epoch at least: a row of an earlier one is stale whoever was there since."""
    known = result.device.environment or result.environment
    return {**known, "epoch": max(EPOCH, int(known.get("epoch") or 0))}
