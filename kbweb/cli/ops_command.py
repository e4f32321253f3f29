"""`kb ops`: what can be optimised."""

from __future__ import annotations

import typer
from rich.table import Table

from kbweb.cli.output import AsJson, console, print_json


def register(app: typer.Typer) -> None:
    @app.command()
    def ops(as_json: AsJson = False) -> None:
        """List the ops of the site."""
        from kbweb.cli.client import Client

        rows = Client().items("ops")
        if as_json:
            print_json(rows)
            return
        table = Table("op", "title", "signature", box=None, pad_edge=False)
        for row in rows:
            table.add_row(str(row.get("slug")), str(row.get("title", "")), str(row.get("signature", "")))
        console.print(table)
