"""`kb import`: make ops of somebody else's benchmark, and offer them on this site."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import typer
from rich.table import Table

from kbweb.cli import database
from kbweb.cli.answers import Json, objects, values
from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, Failure, console, print_json

NOTHING_LOADED, USAGE = 1, 2


def register(app: typer.Typer) -> None:
    @app.command(name="import")
    def import_ops(
        source: str = typer.Argument("", help="Whose ops: backendbench, …"),
        path: Path | None = typer.Argument(None, help="A file or folder of the source; without it, what the source has by itself."),
        suite: str = typer.Option("", help="Name of the suite; it also begins the ops' slugs."),
        ops: str = typer.Option("", metavar="A,B", help="Only ops whose name holds one of these."),
        dry_run: bool = typer.Option(False, "--dry-run", help="Try and report everything, change nothing."),
        remove: str = typer.Option("", metavar="SUITE", help="Offer the imported ops of this suite no more; results stay."),
        as_json: AsJson = False,
    ) -> None:
        """Try every op of SOURCE here and offer those that can be judged by. Needs torch, and the site's database at hand."""
        if bool(source) == bool(remove):
            raise Failure(
                "Name a source, as in kb import backendbench trace.txt; or a suite to remove: kb import --remove SUITE.", exit_code=2
            )
        if remove:
            _remove(remove, as_json)
            return
        report = evaluated(source, path, suite, ops)
        documents = objects(report, "ops")
        stored = None if dry_run or not documents else _store(documents, source)
        if as_json:
            print_json(report | {"stored": stored})
        else:
            _show(report, stored)
        raise typer.Exit(0 if documents else NOTHING_LOADED)


def evaluated(source: str, path: Path | None, suite: str, ops: str) -> Json:
    """What `python -m evaluator import` says of the source, in a process of its own: this one has no torch."""
    if find_spec("torch") is None:
        raise Failure("torch is not installed here, so no op can be tried: make setup KB_TORCH=cpu, or pip install torch.", exit_code=3)
    options = [f"--suite={suite}", f"--ops={ops}", "--json"]
    command = [sys.executable, "-m", "evaluator", "import", *options, source, *([str(path.absolute())] if path else [])]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if not sys.stderr.isatty() else None, text=True, check=False
    )
    if done.returncode not in (0, NOTHING_LOADED):
        said = (done.stderr or "").strip().splitlines()
        raise Failure(
            said[-1].removeprefix("error: ") if said else "The import failed.", exit_code=USAGE if done.returncode == USAGE else 3
        )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise Failure("The evaluator said nothing that can be read.", exit_code=3) from None
    return cast("Json", report)


def _store(documents: list[Json], source: str) -> Json:
    database.set_up()
    from django.db import DatabaseError

    from evaluator.contract import JSON
    from leaderboard import imported

    try:
        stored = imported.store(cast("list[dict[str, JSON]]", documents), source)
    except DatabaseError as error:
        raise database.unusable(error) from None
    return {name: list(getattr(stored, name)) for name in ("added", "updated", "unchanged", "refused")}


def _remove(suite: str, as_json: bool) -> None:
    database.set_up()
    from django.db import DatabaseError

    from leaderboard import imported

    try:
        slugs = imported.remove(suite)
    except DatabaseError as error:
        raise database.unusable(error) from None
    if not slugs:
        raise Failure(f"No imported op of a suite {suite!r} is offered here.", exit_code=USAGE)
    print_json({"removed": list(slugs)}) if as_json else console.print(f"{len(slugs)} ops of {plain(suite)} are no longer offered")


def _show(report: Json, stored: Json | None) -> None:
    table = Table("op", "checked", "timed", "left out", box=None, pad_edge=False)
    dropped = [row.get("op") for row in objects(report, "dropped")]
    for document in objects(report, "ops"):
        kinds = [case.get("kind") for case in objects(document, "cases")]
        counts = (kinds.count("correctness"), kinds.count("performance"), dropped.count(document.get("slug")))
        table.add_row(plain(document.get("slug")), *(str(count) if count else "–" for count in counts))
    if table.row_count:
        console.print(table)
    for name, words in (("dropped", "left out"), ("refused", "refused"), ("unused", "unused")):
        for row in objects(report, name):
            where = row.get("where") or f"{row.get('op')} {row.get('case')}"
            console.print(f"[yellow]{words}[/yellow] {plain(where)}: {plain(row.get('reason'))}")
    console.print(f"{table.row_count} ops loaded, {len(objects(report, 'refused'))} refused, {len(objects(report, 'unused'))} lines unused")
    if stored is None:
        console.print("nothing was changed")
        return
    console.print(", ".join(f"{len(values(stored, name))} {name}" for name in ("added", "updated", "unchanged")))
    for slug in values(stored, "refused"):
        console.print(f"[yellow]refused[/yellow] {plain(slug)}: the site has an op of this name itself")
