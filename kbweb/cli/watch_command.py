"""`kb watch ID`: follow an evaluation until its verdict."""

from __future__ import annotations

import typer

from kbweb.cli.output import AsJson, print_json


def register(app: typer.Typer) -> None:
    @app.command()
    def watch(
        evaluation: str = typer.Argument(help="Id of an evaluation, or of a submission (then all of its own evaluations)."),
        as_json: AsJson = False,
    ) -> None:
        """Show every step live; exit 0 when accepted, 1 when not."""
        from kbweb.cli.client import Client
        from kbweb.cli.follow import follow, own_evaluations, verdict_code
        from kbweb.cli.output import Failure

        client = Client()
        try:
            ids = [str(client.get(f"evaluations/{evaluation}")["id"])]
        except Failure as failure:
            if failure.exit_code != 2:
                raise
            ids = own_evaluations(client.get(f"submissions/{evaluation}"))
        ends = [follow(client, one, quiet=as_json) for one in ids]
        if as_json:
            print_json(ends[0] if len(ends) == 1 else ends)
        raise typer.Exit(verdict_code(ends))
