"""`kb board OP DEVICE`: a leaderboard."""

from __future__ import annotations

import typer
from rich.table import Table

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
        found = answer.get("rows", answer.get("results", answer.get("entries")))
        table = Table("rank", "author", "type", "speedup", "time", "evaluation", box=None, pad_edge=False)
        for row in found if isinstance(found, list) else []:
            speedup, low, high, time_us = (row.get(name) for name in ("speedup", "speedup_low", "speedup_high", "time_us"))
            table.add_row(
                str(row.get("rank") or "–"),
                str(row.get("author", "")),
                str(row.get("kernel_type", "")),
                f"{speedup:.3f}× ({low:.3f} to {high:.3f})" if speedup and low and high else "–",
                f"{time_us:.1f} µs" if time_us else "–",
                str(row.get("evaluation", "")),
            )
        console.print(table)
