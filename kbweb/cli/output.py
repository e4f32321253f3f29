"""How commands speak: text for people, or one JSON document with `--json`."""

from __future__ import annotations

import json
import sys
from typing import Annotated, NoReturn

import typer
from rich.console import Console

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")]

WIDTH = None if sys.stdout.isatty() else 200
console = Console(highlight=False, soft_wrap=True, width=WIDTH)
stderr = Console(stderr=True, highlight=False, soft_wrap=True)


class Failure(Exception):
    """A command cannot do what it was asked. `exit_code` 2: the request is wrong; 3: our side failed."""

    def __init__(self, message: str, *, exit_code: int, problem: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.problem = problem


def print_json(value: object) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False), flush=True)


def fail(failure: Failure) -> NoReturn:
    """Say what went wrong (a problem document where one came and JSON was asked for) and end."""
    if "--json" in sys.argv:
        print_json(failure.problem or {"title": "failed", "detail": failure.message})
    else:
        stderr.print(f"kb: {failure.message}", markup=False)
    sys.exit(failure.exit_code)
