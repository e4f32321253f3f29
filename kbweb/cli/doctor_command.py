"""`kb doctor`: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

import typer

from kbweb.cli.follow import plain
from kbweb.cli.output import AsJson, console, print_json

MARKS = {"ok": "[green]ok  [/green]", "warn": "[yellow]warn[/yellow]", "fail": "[red]fail[/red]"}


def register(app: typer.Typer) -> None:
    @app.command()
    def doctor(
        sandbox: bool = typer.Option(True, help="Start a sandbox and try from inside what must not work (a few seconds)."),
        as_json: AsJson = False,
    ) -> None:
        """Check this machine. Exit 0 when nothing fails, 3 when something does."""
        from kbweb.cli.up_command import data_dir
        from kbweb.doctor import findings

        found = []
        for finding in findings(data_dir(), sandbox=sandbox):
            found.append(finding)
            if not as_json:
                console.print(f"{MARKS[finding.level]} {finding.name:<18} {plain(finding.said)}")
                if finding.todo:
                    console.print(f"{'':<24}[dim]→ {plain(finding.todo)}[/dim]")
        failed = any(finding.level == "fail" for finding in found)
        if as_json:
            rows = [{"level": f.level, "name": f.name, "said": f.said, "todo": f.todo} for f in found]
            print_json({"ok": not failed, "findings": rows})
        raise typer.Exit(3 if failed else 0)
