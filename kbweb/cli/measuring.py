"""What `kb baseline` does: measure one baseline after the other and store each at once. What is done stays when something fails."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from evaluator.baselines.command import MEASURED, NOT_ALL, OURS, matters
from evaluator.baselines.external import WrongVariable, command_sha256
from evaluator.baselines.figures import Figures, Status
from evaluator.baselines.measure import Session
from evaluator.baselines.names import COMMANDS
from evaluator.baselines.place import Place, place_of
from evaluator.baselines.table import table
from evaluator.contract import to_json
from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from evaluator.runners.local import LocalRunner, OutOfServiceError, RunnerError
from evaluator.sandbox import LockBusy, Mode
from kbweb.cli import database
from kbweb.cli.follow import plain
from kbweb.cli.output import Failure, console, print_json, stderr

if TYPE_CHECKING:
    from leaderboard.baseline_models import SuiteRun

USAGE = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for. `named`: the baselines were named, so it matters when one is unavailable. `tag` may be empty."""

    slugs: tuple[str, ...]
    suite: str
    device: str
    names: tuple[str, ...]
    stale_only: bool
    named: bool
    tag: str
    as_json: bool


def measure(asked: Asked) -> int:
    """The exit code. Raises `Failure`."""
    try:
        place = place_of(asked.device)
    except LookupError as error:
        raise Failure(f"{error}.", exit_code=USAGE) from None
    database.set_up()
    from django.conf import settings
    from django.db import DatabaseError

    from leaderboard.suite_runs import TagError, check_tag

    found: list[Figures] = []
    try:
        if asked.tag:
            check_tag(asked.tag)
        ops = _ops(asked)
        runner = LocalRunner(place.device, gpu_index=place.gpu_index, sandbox_mode=cast(Mode, settings.SANDBOX))
        with _ended_in_order(), contextlib.closing(runner):
            whole = _measure_all(asked, ops, Session(place, runner, os.environ, limits=settings.LIMITS, say=_say), found)
    except (WrongVariable, TagError) as error:
        raise Failure(f"{error}".removesuffix(".") + ".", exit_code=USAGE) from None
    except RunnerError as error:
        raise Failure(f"The judge does not start: {error}", exit_code=OURS) from None
    except DatabaseError as error:
        raise database.unusable(error) from None
    _show(place, found, as_json=asked.as_json)
    if not whole:
        return OURS
    return NOT_ALL if any(matters(each.name, asked.named) and each.status is not Status.OK for each in found) else MEASURED


def _measure_all(asked: Asked, ops: Sequence[Op], session: Session, found: list[Figures]) -> bool:
    """Whether nothing of ours failed. An op at which the judge fails is left out; the others are measured.

    A measurement takes minutes: the database may have been started anew meanwhile.
    """
    from leaderboard import baselines, suite_runs
    from submissions.patience import persistently

    whole, run = True, _run(asked, ops, session) if asked.tag else None
    for op, names in _due(asked, ops, session):
        try:
            for figures in session.measure(op, names):
                if persistently(functools.partial(baselines.store, figures, run)) is None:
                    _say(f"{op.slug} {figures.name}: the figures that stand are kept: {figures.why}")
                found.append(figures)
        except (RunnerError, LockBusy) as error:
            stderr.print(f"kb: {op.slug}: {error}", markup=False)
            whole = False
            if isinstance(error, OutOfServiceError):
                return False
    if run is not None:
        persistently(functools.partial(suite_runs.end, run))
    return whole


def _run(asked: Asked, ops: Sequence[Op], session: Session) -> SuiteRun:
    """The row under whose tag all is kept. Raises `TagError`."""
    from leaderboard import suite_runs

    slugs = [op.slug for op in ops]
    return suite_runs.begin(
        asked.tag, session.place.device, suite=asked.suite, ops=slugs, names=asked.names, environment=session.environment()
    )


def _ops(asked: Asked) -> list[Op]:
    """Ops of the site by slug or suite, each once; all active ones where only what is stale is asked for."""
    from leaderboard.models import Op as Row
    from submissions.known_ops import find

    wanted = list(asked.slugs)
    if asked.suite or not wanted:
        wanted += Row.objects.active().search(suite=asked.suite).values_list("pk", flat=True)
    try:
        found = [find(slug) for slug in dict.fromkeys(wanted)]
    except UnknownOp as error:
        raise Failure(str(error), exit_code=USAGE) from None
    if not found:
        raise Failure(f"No op of a suite {asked.suite!r} is offered here." if asked.suite else "No op is offered here.", exit_code=USAGE)
    slugs = {op.slug for op in found}
    if missing := slugs - set(Row.objects.filter(pk__in=slugs).values_list("pk", flat=True)):
        raise Failure(f"The site's catalogue lacks {', '.join(sorted(missing))}: manage.py load_catalogue.", exit_code=OURS)
    return found


def _due(asked: Asked, ops: Sequence[Op], session: Session) -> Iterator[tuple[Op, tuple[str, ...]]]:
    """Each op with the baselines to measure."""
    from leaderboard import baselines
    from submissions.patience import persistently

    if not asked.stale_only:
        yield from ((op, asked.names) for op in ops)
        return
    look = functools.partial(
        baselines.due,
        [op.slug for op in ops],
        session.place.device,
        asked.names,
        environment=session.environment(),
        commands=commands_set(),
    )
    due = persistently(look)
    yield from ((op, due[op.slug]) for op in ops if op.slug in due)


def commands_set() -> dict[str, str]:
    """The SHA-256 of each external baseline's command line, as `baselines.due` asks for them."""
    return {name: command_sha256(name, os.environ) for name in COMMANDS}


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM ends judge and commands, too: an external command left behind would go on using a device whose lock is free."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show(place: Place, found: Sequence[Figures], *, as_json: bool) -> None:
    if as_json:
        print_json({"device": place.device, "baselines": to_json(list(found))})
        return
    for line in table(found):
        console.print(plain(line))
    console.print(f"{len(found)} measured for {place.device}")


def _say(line: str) -> None:
    stderr.print(line, markup=False)
