"""`python -m evaluator import SOURCE [PATH]`: make ops given as data out of somebody else's, and say what became of the rest."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from evaluator.ops.sources import SOURCES, SourceFault

SUITE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", choices=sorted(SOURCES), help="whose ops")
    parser.add_argument("path", nargs="?", type=Path, help="; ".join(f"{name}: {source.takes}" for name, source in SOURCES.items()))
    parser.add_argument("--suite", default="", help="name of the suite; it also begins the ops' slugs (default: the source's own)")
    parser.add_argument("--ops", default="", metavar="A,B", help="only ops whose name holds one of these")
    parser.add_argument("--out", type=Path, help="write the ops to this file, for --ops-file")
    parser.add_argument("--json", action="store_true", help="print the ops and everything that was not used as JSON")


def run(arguments: argparse.Namespace) -> bool:
    """Whether any op was loaded. Raises `SourceFault`."""
    source = SOURCES[arguments.source]
    suite = arguments.suite or source.suite
    if not SUITE.fullmatch(suite):
        raise SourceFault(f"a suite's name is made of small letters, digits, dots, dashes and underscores, not {suite!r}")
    only = [part for part in arguments.ops.split(",") if part]
    report = source.load(arguments.path, suite, only, _progress)
    text = json.dumps(report.as_json(), indent=1 if arguments.out else None, allow_nan=False)
    if arguments.out:
        try:
            arguments.out.write_text(text + "\n")
        except OSError as error:
            raise SourceFault(f"{arguments.out} cannot be written: {error.strerror}") from error
    if arguments.json:
        print(text)
    else:
        for line in report.lines():
            print(line)
    return bool(report.admitted)


def _progress(name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{name}", end="\r", file=sys.stderr, flush=True)
