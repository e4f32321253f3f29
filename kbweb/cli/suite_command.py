"""`kb suite`: sets of ops, and how far who got with one on a device."""

from __future__ import annotations

import typer
from rich.table import Table

from kbweb.cli.answers import Json, objects, part, ratio
from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, console, print_json

suite = typer.Typer(no_args_is_help=True, help="Suites of ops: list them, and count correctness, fast_p and geomean over one.")


def register(app: typer.Typer) -> None:
    app.add_typer(suite, name="suite")


@suite.command(name="list")
def list_suites(as_json: AsJson = False) -> None:
    """List the suites of the site."""
    from kbweb.cli.client import Client

    rows = Client().items("suites")
    if as_json:
        print_json(rows)
        return
    table = Table("suite", "ops", "what it is for", box=None, pad_edge=False)
    for row in rows:
        table.add_row(plain(str(row.get("slug"))), str(row.get("ops")), plain(str(row.get("description"))))
    console.print(table if rows else "No suite has an op here yet.")


@suite.command(name="results")
def results(
    slug: str = typer.Argument(metavar="SUITE"),
    device: str = typer.Option(..., "--device", "-d", help="Device: cpu, h100, …"),
    author: str = typer.Option("", "--author", help="Only kernels by this author."),
    agent: str = typer.Option("", "--agent", help="Only kernels handed in with this agent label."),
    by: str = typer.Option("", "--by", help="author or agent: a row for each. Left out: one row, then op by op."),
    as_json: AsJson = False,
) -> None:
    """Show correctness rate, correctness_score, fast_p and geomean of SUITE: of everybody, of one, or a row for each."""
    from kbweb.cli.client import Client

    answer = Client().get("results", suite=slug, device=device, author=author, agent=agent, by=by)
    if as_json:
        print_json(answer)
        return
    rows = [*objects(answer, "rows"), *objects(answer, "interpreted")]
    if not rows:
        console.print(f"Nobody has attempted an op of {slug} on {device} yet.", markup=False)
        return
    console.print(_figures_table(rows, nobody="no label" if by else "everybody"))
    for row in rows:
        if per_op := objects(row, "per_op"):
            console.print("\ninterpreted, op by op" if row.get("interpreted") else "\nop by op")
            console.print(_ops_table(per_op))


def _figures_table(rows: list[Json], nobody: str) -> Table:
    """Shares are of all ops of the suite, but for correctness_score, which is over the ops attempted."""
    thresholds = [f"fast_{_number(one, 'p'):g}" for one in objects(part(rows[0], "figures"), "fast_p")]
    headings = ("who", "attempted", "accepted", "correctness rate", "correctness_score", *thresholds, "geomean", "evaluations")
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows:
        sums = part(row, "figures")
        table.add_row(
            plain(_who(row, nobody)),
            f"{sums.get('attempted')} / {sums.get('ops')}",
            str(sums.get("accepted")),
            _percent(sums, "correctness_rate"),
            _share(sums.get("correctness_score")),
            *(_percent(one, "of_suite") for one in objects(sums, "fast_p")),
            f"{ratio(sums.get('geomean_speedup'))} ({sums.get('geomean_ops')})",
            str(sums.get("evaluations")),
        )
    return table


def _ops_table(per_op: list[Json]) -> Table:
    table = Table("op", "best verdict", box=None, pad_edge=False)
    for heading in ("correctness_score", "speedup"):
        table.add_column(heading, justify="right")
    for heading in ("by", "evaluation"):
        table.add_column(heading)
    for result in per_op:
        attempt, speed = part(result, "attempt"), part(result, "speed")
        shown = speed or attempt
        interval = f" ({_number(speed, 'low'):.3f} to {_number(speed, 'high'):.3f})" if speed else ""
        table.add_row(
            plain(str(result.get("op"))),
            str(attempt.get("verdict", "not attempted")),
            _share(attempt.get("correctness_score")),
            ratio(speed.get("speedup")) + interval,
            plain(_who(shown)) if shown else "",
            str(shown.get("evaluation", "")),
        )
    return table


def _who(row: Json, nobody: str = "") -> str:
    """Author and agent label, as far as there are any; else `nobody`."""
    name, label = str(row.get("author") or ""), str(row.get("agent") or "")
    said = f"{name} ({label})" if name and label else name or label or nobody
    return f"{said}, interpreted" if row.get("interpreted") else said


def _number(value: Json, name: str) -> float:
    found = value.get(name)
    return float(found) if isinstance(found, (int, float)) else float("nan")


def _percent(value: Json, name: str) -> str:
    return f"{_number(value, name):.1%}"


def _share(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, (int, float)) else "–"
