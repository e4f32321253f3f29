"""`kb board OP DEVICE`: a leaderboard."""

from __future__ import annotations

import typer
from rich.table import Table

from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, console, print_json


def register(app: typer.Typer) -> None:
    @app.command()
    def board(op: str = typer.Argument(), device: str = typer.Argument(), as_json: AsJson = False) -> None:
        """Show who is fastest at OP on DEVICE."""
        from kbweb.cli.client import Client

        answer = Client().get(f"leaderboards/{op}/{device}")
        if as_json:
            print_json(answer)
            return
        table = Table("rank", "author", "type", "speedup", "time", "evaluation", box=None, pad_edge=False)
        for row in _rows(answer, "rows"):
            table.add_row(str(row.get("rank") or "–"), *_columns(row))
        for row in _rows(answer, "interpreted"):
            table.add_row("interpreted", *_columns(row))
        baseline = answer.get("baseline")
        if isinstance(baseline, dict):
            table.add_row("", str(baseline.get("name")), "baseline", "1.000×", _time(baseline.get("time_us")), "")
        console.print(table if table.row_count else f"Nobody is on {op}/{device} yet: kb submit FILE --op {op} --device {device}")


def _rows(answer: dict[str, object], name: str) -> list[dict[str, object]]:
    found = answer.get(name)
    return found if isinstance(found, list) else []


def _columns(row: dict[str, object]) -> tuple[str, str, str, str, str]:
    speedup = f"{row.get('speedup'):.3f}× ({row.get('speedup_low'):.3f} to {row.get('speedup_high'):.3f})"
    author = f"{row.get('author')} ({row['agent']})" if row.get("agent") else str(row.get("author"))
    return plain(author), str(row.get("kernel_type")), speedup, _time(row.get("time_us")), str(row.get("evaluation"))


def _time(value: object) -> str:
    return f"{value:.1f} µs" if isinstance(value, (int, float)) else "–"
