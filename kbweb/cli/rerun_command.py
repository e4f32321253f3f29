"""`kb rerun --top N`: run the top of the boards again."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from evaluator.close_names import close_to
from kbweb.cli import database
from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, Failure, console, print_json

if TYPE_CHECKING:
    from leaderboard.reruns import Rerun

USAGE = 2


def register(app: typer.Typer) -> None:
    @app.command()
    def rerun(
        top: int = typer.Option(..., "--top", min=1, help="How many of the best entries of each board."),
        op: list[str] = typer.Option([], "--op", help="Only boards of this op; may be repeated."),
        suite: str = typer.Option("", "--suite", help="Only boards of this suite's ops."),
        device: str = typer.Option("", "--device", "-d", help="Only boards of this device."),
        as_json: AsJson = False,
    ) -> None:
        """Hand in fresh evaluations of the best entries, as the site's own: after a new epoch the boards fill again.

        Needs the site's database. Each author stands with the entry of the newest epoch that has one. What waits already is not handed
        in twice.
        """
        database.set_up()
        from django.db import DatabaseError

        from leaderboard.reruns import rerun_top

        try:
            found = rerun_top(top, ops=_ops(op, suite), device=_device(device))
        except DatabaseError as error:
            raise database.unusable(error) from None
        if as_json:
            print_json({"reruns": [dataclasses.asdict(one) for one in found]})
        else:
            _show(found)


def _ops(slugs: list[str], suite: str) -> list[str]:
    """Slugs of the ops and of the suite's; empty for all. Raises `Failure` for a name that is none."""
    from leaderboard.models import Op

    known = set(Op.objects.active().values_list("pk", flat=True))
    for slug in slugs:
        if slug not in known:
            raise Failure(f"There is no op {slug!r}.{close_to(slug, known)}", exit_code=USAGE)
    if not suite:
        return slugs
    members = list(Op.objects.active().search(suite=suite).values_list("pk", flat=True))
    if not members:
        raise Failure(f"No op of a suite {suite!r} is offered here.", exit_code=USAGE)
    return [*slugs, *members]


def _device(slug: str) -> str:
    from leaderboard.models import Device

    known = set(Device.objects.values_list("pk", flat=True))
    if slug and slug not in known:
        raise Failure(f"There is no device {slug!r}.{close_to(slug, known)}", exit_code=USAGE)
    return slug


def _show(found: list[Rerun]) -> None:
    table = Table("board", "place", "author", "of epoch", "evaluation", box=None, pad_edge=False)
    for one in found:
        place = f"{one.place}, interpreted" if one.interpreted else str(one.place)
        said = f"{one.evaluation} waits already" if one.waits_already else one.evaluation or f"left out: {one.why}"
        table.add_row(plain(f"{one.op} on {one.device}"), place, plain(one.author), str(one.epoch), plain(said))
    if found:
        console.print(table)
    made = sum(bool(one.evaluation) and not one.waits_already for one in found)
    console.print(f"{made} handed in" if found else "No board has an entry.")
