"""`python -m evaluator bench`: its arguments, and what it prints and writes."""

from __future__ import annotations

import argparse
import dataclasses
import os
import typing
from pathlib import Path

from evaluator.bench.settings import PARTS, SOURCES, Settings, quick

if typing.TYPE_CHECKING:
    from evaluator.bench.results import Report

MAX_REPEATS = 1000
MIN_LENGTH_US, MAX_LENGTH_US = 1.0, 100_000.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="", help="cpu, cuda or cuda:N; the first GPU when there is one, else cpu")
    parser.add_argument("--repeats", type=_repeats, help=f"runs of every measurement; {Settings('cpu').repeats} when not given")
    parser.add_argument("--fresh", type=_repeats, help=f"runs of A/A by length; {Settings('cpu').fresh} when not given")
    parser.add_argument("--part", action="append", choices=PARTS, help="measure this part alone; may be repeated")
    parser.add_argument("--length", action="append", type=_length, metavar="US", help="A/A by length at about so many µs; may be repeated")
    parser.add_argument("--op", action="append", choices=sorted(SOURCES), help="A/A of this op alone; may be repeated")
    parser.add_argument("--quick", action="store_true", help="few and short runs, to see that it works")
    parser.add_argument("--json", metavar="OUT", help="write everything as JSON to this file")
    parser.add_argument("--markdown", metavar="OUT", help="write the tables to this file")
    parser.add_argument("--sandbox", default=os.environ.get("KB_SANDBOX", "best-effort"), choices=["best-effort", "strict", "off"])


def _repeats(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MAX_REPEATS:
        raise argparse.ArgumentTypeError(f"a number from 1 to {MAX_REPEATS}, not {text!r}")
    return int(text)


def _length(text: str) -> float:
    try:
        length = float(text)
    except ValueError:
        length = 0.0
    if not MIN_LENGTH_US <= length <= MAX_LENGTH_US:
        raise argparse.ArgumentTypeError(f"microseconds from {MIN_LENGTH_US:g} to {MAX_LENGTH_US:g}, not {text!r}")
    return length


def settings_of(arguments: argparse.Namespace, device: str, gpu_index: int | None) -> Settings:
    """What was asked for. A number given beside `--quick` holds."""
    settings = Settings(device, gpu_index, arguments.sandbox)
    if arguments.op:
        settings = dataclasses.replace(settings, ops=tuple(dict.fromkeys(arguments.op)))
    if arguments.quick:
        settings = quick(settings)
    if arguments.part:
        settings = dataclasses.replace(settings, parts=tuple(arguments.part))
    if arguments.length:
        settings = dataclasses.replace(settings, lengths_us=tuple(sorted(set(arguments.length))))
    if arguments.repeats:
        settings = dataclasses.replace(settings, repeats=arguments.repeats)
    if arguments.fresh:
        settings = dataclasses.replace(settings, fresh=arguments.fresh)
    return settings


def run(settings: Settings, json_to: str | None, markdown_to: str | None) -> bool:
    """Measure, print, write. True when every A/A run was accepted. Raises what `bench` raises."""
    from evaluator.bench.bench import bench
    from evaluator.bench.tables import markdown
    from evaluator.contract import dumps

    def write(report: Report) -> None:
        for to, content in ((json_to, dumps(report) + "\n"), (markdown_to, markdown(report))):
            if to:
                Path(to).write_text(content, encoding="utf-8")

    report = bench(settings, _say, write)
    print(f"\n{markdown(report)}", end="", flush=True)
    return report.verdicts.accepted == report.verdicts.runs


def _say(line: str) -> None:
    print(line, flush=True)
