"""`kb eval`: judge a file here, without a site."""

from __future__ import annotations

import os
import sys

import typer


def register(app: typer.Typer) -> None:
    @app.command(
        name="eval",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
        add_help_option=False,
    )
    def evaluate(context: typer.Context) -> None:
        """Judge FILE on this machine, no database: kb eval FILE --op SLUG [--device cpu] [--json OUT] (= python -m evaluator run)."""
        os.execv(sys.executable, [sys.executable, "-m", "evaluator", "run", *context.args])
