"""`kb board OP DEVICE`: a leaderboard."""

from __future__ import annotations

import typer
from rich.table import Table

from kbweb.cli.answers import number, objects, ratio
from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, console, print_json
from leaderboard.bands import place_behind


def register(app: typer.Typer) -> None:
    @app.command()
    def board(
        op: str = typer.Argument(),
        device: str = typer.Argument(),
        competition: str = typer.Option("", "--competition", help="The board of this competition, by its slug."),
        agent: str = typer.Option("", "--agent", help="Only what was handed in with this agent label."),
        group: str = typer.Option("", "--group", help="Only members of this group of yours, by its slug."),
        as_json: AsJson = False,
    ) -> None:
        """Show who is fastest at OP on DEVICE."""
        from kbweb.cli.client import Client

        answer = Client().get(f"leaderboards/{op}/{device}", competition=competition, group=group, agent=agent)
        if as_json:
            print_json(answer)
            return
        table = Table("rank", "author", "type", "speedup", "time", "evaluation", box=None, pad_edge=False)
        for row in placed(objects(answer, "rows"), objects(answer, "baselines")):
            if row.get("kind") == "baseline":
                table.add_row("", *_baseline(row))
            else:
                table.add_row(str(row.get("rank") or "–"), *_columns(row))
        for row in objects(answer, "interpreted"):
            table.add_row("interpreted", *_columns(row))
        for row in objects(answer, "not_confirmed"):
            table.add_row("not confirmed", *_columns(row))
        if table.row_count:
            console.print(table)
        if not any(objects(answer, name) for name in ("rows", "interpreted", "not_confirmed")):
            console.print(f"Nobody is on {op}/{device} yet: kb submit FILE --op {op} --device {device}", markup=False)
        for row in objects(answer, "baselines"):
            if row.get("status") == "unavailable":
                console.print(f"{plain(row.get('name'))}: unavailable: {plain(row.get('why'))}")


def placed(entries: list[dict[str, object]], baselines: list[dict[str, object]]) -> list[dict[str, object]]:
    """Entries in their order, and each baseline that has a time where the page puts it."""
    found = list(entries)
    for baseline in (row for row in baselines if row.get("time_us") is not None):
        found.insert(place_behind(number(baseline.get("speedup")), [number(row.get("speedup")) for row in found]), baseline)
    return found


def _columns(row: dict[str, object]) -> tuple[str, str, str, str, str]:
    speedup = f"{row.get('speedup'):.3f}× ({row.get('speedup_low'):.3f} to {row.get('speedup_high'):.3f})"
    author = f"{row.get('author')} ({row['agent']})" if row.get("agent") else str(row.get("author"))
    return plain(author), str(row.get("kernel_type")), speedup, _time(row.get("time_us")), str(row.get("evaluation"))


def _baseline(row: dict[str, object]) -> tuple[str, str, str, str, str]:
    speedup = number(row.get("speedup"))
    said = ratio(speedup)
    if row.get("speedup_low") is not None:
        said += f" ({row.get('speedup_low'):.3f} to {row.get('speedup_high'):.3f})"
    kind = "baseline, own clock" if row.get("clock") == "own" else "baseline"
    return plain(row.get("name")), kind, said, _time(row.get("time_us")), f"stale: {plain(row['stale'])}" if row.get("stale") else ""


def _time(value: object) -> str:
    return f"{value:.1f} µs" if isinstance(value, (int, float)) else "–"
