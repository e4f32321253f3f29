"""The `kb` console script: one file per command.

Exit code 0: done, or accepted; 1: judged and not accepted; 2: wrong use; 3: our side failed (server, network, this machine).
"""

from __future__ import annotations

import sys
from importlib import import_module

import typer

from kbweb.cli.output import Failure, fail
from kbweb.embedded.errors import StartError
from kbweb.env import EnvError

COMMANDS = (
    "up",
    "worker",
    "submit",
    "watch",
    "eval",
    "ops",
    "board",
    "suite",
    "baseline",
    "rerun",
    "import",
    "tokens",
    "doctor",
    "competitions",
)

app = typer.Typer(
    name="kb",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Hand in GPU kernels, follow their evaluation, read the boards; or run the whole site on this machine.",
)
for _name in COMMANDS:
    import_module(f"kbweb.cli.{_name}_command").register(app)


def main() -> None:
    """Run the command line; failures become one message and an exit code, never a traceback."""
    try:
        app()
    except Failure as failure:
        fail(failure)
    except (StartError, EnvError) as error:
        fail(Failure(str(error), exit_code=3 if isinstance(error, StartError) else 2))
    except KeyboardInterrupt:
        sys.exit(130)
