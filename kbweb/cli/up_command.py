"""`kb up`: the whole site on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from kbweb.cli.output import AsJson, console, print_json
from kbweb.env import env_str

HERE = Path(__file__).resolve().parent.parent.parent


def data_dir() -> Path:
    """`KB_DATA_DIR`, else `.kb` beside the code (a checkout) or in the current directory."""
    given = env_str("KB_DATA_DIR")
    if given:
        return Path(given).absolute()
    return (HERE if (HERE / "manage.py").exists() else Path.cwd()) / ".kb"


def register(app: typer.Typer) -> None:
    @app.command()
    def up(
        host: str = typer.Option("127.0.0.1", envvar="KB_HOST", help="Address to listen on."),
        as_json: AsJson = False,
    ) -> None:
        """Start database, web and workers here; print the address and a one-time sign-in link. Ctrl-C stops everything."""
        from kbweb.supervisor.up import House, port_from_environment

        folder, port = data_dir(), port_from_environment()
        os.environ["KB_DATA_DIR"] = str(folder)

        def announce(url: str, link: str) -> None:
            if as_json:
                print_json({"url": url, "sign_in": link, "data_dir": str(folder)})
                return
            console.print(f"\n  The site:        [bold]{url}[/bold]")
            console.print(f"  Sign in (once):  [bold]{link}[/bold]")
            console.print(f"  Data:            {folder}   Stop: Ctrl-C\n")

        House(folder, host, port, announce).run()
