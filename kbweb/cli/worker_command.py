"""`kb worker QUEUE`: one worker process."""

from __future__ import annotations

import os

import typer

from kbweb.cli.output import AsJson, print_json
from kbweb.cli.up_command import data_dir


def register(app: typer.Typer) -> None:
    @app.command()
    def worker(
        queue: str = typer.Argument(help="build, webhooks, or device.<device>: device.cpu, device.h100, …"),
        gpu: int | None = typer.Option(None, "--gpu", min=0, help="Index of the GPU that this worker owns."),
        as_json: AsJson = False,
    ) -> None:
        """Judge (or build, or send) what waits in QUEUE until stopped. Needs DATABASE_URL, or the data directory of a running kb up."""
        os.environ.setdefault("KB_DATA_DIR", str(data_dir()))
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbweb.settings")
        import django

        django.setup()
        from submissions.worker import run

        status = run(queue, gpu_index=gpu)
        if as_json:
            print_json({"queue": queue, "exit_code": status})
        raise typer.Exit(status)
