"""`python -m evaluator baseline OP…`: its arguments, what it prints and writes."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluator.baselines.external import WrongVariable, command_of
from evaluator.baselines.figures import Figures, Status
from evaluator.baselines.measure import Session
from evaluator.baselines.names import COMMANDS, NAMES
from evaluator.baselines.place import place_of
from evaluator.baselines.table import table
from evaluator.contract import dumps
from evaluator.ops.definition import Op
from evaluator.ops.recorded import DocumentError, load_file
from evaluator.ops.registry import all_ops, get
from evaluator.runners.local import LocalRunner, OutOfServiceError, RunnerError
from evaluator.sandbox import LockBusy

MEASURED, NOT_ALL, OURS = 0, 1, 3


class WrongUse(ValueError):
    """The command line asks for something that is not there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ops", nargs="*", metavar="OP", help="slugs, as `ops` lists them")
    parser.add_argument("--suite", help="all ops of this suite, too")
    parser.add_argument("--ops-file", type=Path, metavar="PATH", help="ops given as data, as `import` writes them; all of them without OP")
    parser.add_argument("--device", default="", help="cpu, cuda, cuda:N or a board's device; the first GPU when there is one, else cpu")
    parser.add_argument("--name", action="append", choices=NAMES, help="this baseline alone; may be repeated")
    parser.add_argument("--json", metavar="OUT", help="write everything as JSON to this file, `-` for standard output")
    parser.add_argument("--sandbox", default=os.environ.get("KB_SANDBOX", "best-effort"), choices=["best-effort", "strict", "off"])


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, write; the exit code. Raises `WrongUse`."""
    try:
        ops, place = _ops(arguments.ops, arguments.suite, arguments.ops_file), place_of(arguments.device)
    except (LookupError, DocumentError) as error:
        raise WrongUse(str(error)) from error
    if not ops:
        raise WrongUse("name an op, or a suite with ops in it (--suite)")
    found: list[Figures] = []
    failed = False
    with contextlib.closing(LocalRunner(place.device, gpu_index=place.gpu_index, sandbox_mode=arguments.sandbox)) as runner:
        try:
            session = Session(place, runner, os.environ, say=_say)
        except WrongVariable as error:
            raise WrongUse(str(error)) from error
        for op in ops:
            try:
                found += session.measure(op, tuple(arguments.name or NAMES))
            except (RunnerError, LockBusy) as error:
                _say(f"infrastructure error: {op.slug}: {error}")
                failed = True
                if isinstance(error, OutOfServiceError):
                    break
    _write(dumps({"device": place.device, "baselines": found}), arguments.json, found)
    if failed:
        return OURS
    missing = any(matters(each.name, bool(arguments.name)) and each.status is not Status.OK for each in found)
    return NOT_ALL if missing else MEASURED


def matters(name: str, named: bool) -> bool:
    """Whether it counts that a baseline is unavailable: one without a command was only asked for when it was named."""
    return named or name not in COMMANDS or bool(command_of(name, os.environ))


def _ops(slugs: Sequence[str], suite: str | None, ops_file: Path | None) -> list[Op]:
    """Each op once. Raises `UnknownOp`, `DocumentError`."""
    recorded = load_file(ops_file) if ops_file else {}
    found = [recorded.get(slug) or get(slug) for slug in slugs]
    if suite:
        found += [op for _, op in sorted(recorded.items()) if suite in op.suites] + list(all_ops(suite))
    elif not slugs:
        found += [op for _, op in sorted(recorded.items())]
    return list({op.slug: op for op in found}.values())


def _write(text: str, to: str | None, found: Sequence[Figures]) -> None:
    if to == "-":
        print(text)
        return
    if to:
        Path(to).write_text(text + "\n", encoding="utf-8")
    for line in table(found):
        print(line)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
