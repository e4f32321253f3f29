"""`kb eval`: judge a file here, without a site."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import typer

from kbweb.cli.output import Failure
from kbweb.cli.up_command import data_dir


def register(app: typer.Typer) -> None:
    @app.command(
        name="eval",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
        add_help_option=False,
    )
    def evaluate(context: typer.Context) -> None:
        """Judge FILE here, no database: kb eval FILE --op SLUG [--device cpu] [--json OUT] [--samples OUT] (= python -m evaluator run)."""
        if find_spec("torch") is None:
            raise Failure(
                "torch is not installed here, so nothing can be judged: make setup KB_TORCH=cpu, or pip install torch.", exit_code=3
            )
        os.environ.setdefault("KB_CALIBRATION_DIR", str(data_dir() / "calibration"))
        os.execv(sys.executable, [sys.executable, "-m", "evaluator", "run", *context.args])
