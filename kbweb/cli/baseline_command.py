"""`kb baseline`: measure on this machine what kernels are compared with, and keep it for the boards."""

from __future__ import annotations

from importlib.util import find_spec

import typer

from evaluator.baselines.names import NAMES
from kbweb.cli.output import AsJson, Failure

USAGE, OURS = 2, 3
NAMED = ", ".join(NAMES)


def register(app: typer.Typer) -> None:
    @app.command()
    def baseline(
        ops: list[str] = typer.Argument(None, metavar="[OP]…", help="Slugs of ops."),
        suite: str = typer.Option("", help="All ops of this suite, too."),
        device: str = typer.Option("", "--device", "-d", help="cpu, cuda, cuda:N or a board's device; the first GPU, else cpu."),
        name: list[str] = typer.Option([], "--name", help=f"This baseline alone; may be repeated: {NAMED}."),
        stale_only: bool = typer.Option(False, "--stale-only", help="What is missing or stale; without OP and --suite, of all ops."),
        tag: str = typer.Option("", "--tag", help="Keep this as a run under a name of its own, to hold others against (/runs/)."),
        as_json: AsJson = False,
    ) -> None:
        """Time torch.compile and external commands beside torch eager here, for the boards. Needs torch, and the site's database.

        Takes the device's lock like every judge. Exit 0: measured; 1: something is unavailable; 2: wrong use; 3: our side failed.
        """
        if unknown := sorted(set(name) - set(NAMES)):
            raise Failure(f"There is no baseline {unknown[0]!r}: {NAMED}.", exit_code=USAGE)
        if not ops and not suite and not stale_only:
            raise Failure("Name an op, a suite (--suite core), or --stale-only.", exit_code=USAGE)
        if tag and stale_only:
            raise Failure("A run under a tag measures all that it names: leave --stale-only out.", exit_code=USAGE)
        if find_spec("torch") is None:
            said = "torch is not installed here, so nothing can be measured: make setup KB_TORCH=cpu, or pip install torch."
            raise Failure(said, exit_code=OURS)
        from kbweb.cli.measuring import Asked, measure

        asked = Asked(
            tuple(ops or ()), suite, device, tuple(name or NAMES), stale_only=stale_only, named=bool(name), tag=tag, as_json=as_json
        )
        raise typer.Exit(measure(asked))
