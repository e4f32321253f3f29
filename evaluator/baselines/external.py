"""Baselines by external commands: one process for each performance case, told by environment variables what to time.

`docs/baselines.md` is the contract of these variables.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evaluator.baselines.figures import CaseFigures, Clock, Figures, Status, unavailable
from evaluator.baselines.names import COMMANDS
from evaluator.baselines.place import Place
from evaluator.baselines.report import BadReport, ToolReport, read_report
from evaluator.baselines.source import NotPortable, reference_source
from evaluator.contract import JSON
from evaluator.ops.definition import Case, Op
from evaluator.ops.recorded.arguments import argument_json
from evaluator.ops.untimed import why_untimed
from evaluator.runners.command import CommandEnd, CommandNotStarted, run_command

TIMEOUT_S = 300.0
"""How long one command may take, and at most: it holds the lock of a device for which people wait, and a judge waits twice as long."""
TIMEOUT_VARIABLE = "KB_BENCH_TIMEOUT_S"
WARMUP, ITERATIONS = 25, 100
MAX_TAIL = 800
_OF_THE_SITE = ("DATABASE_URL",)


class WrongVariable(ValueError):
    """An environment variable of ours does not hold what it should."""


def command_of(name: str, environ: Mapping[str, str]) -> str:
    """The command line of a baseline, "" when none is set."""
    return environ.get(COMMANDS[name], "").strip()


def command_sha256(name: str, environ: Mapping[str, str]) -> str:
    """Tells commands apart; "" for what has none. The line itself is stored nowhere: it may hold a key."""
    line = command_of(name, environ) if name in COMMANDS else ""
    return hashlib.sha256(line.encode()).hexdigest() if line else ""


def timeout_of(environ: Mapping[str, str]) -> float:
    """Raises `WrongVariable`."""
    text = environ.get(TIMEOUT_VARIABLE, "").strip()
    try:
        seconds = float(text) if text else TIMEOUT_S
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= TIMEOUT_S:
        raise WrongVariable(f"{TIMEOUT_VARIABLE}={text!r} is not a number of seconds above 0 and up to {TIMEOUT_S:g}")
    return seconds


def measured_by_a_command(
    op: Op, place: Place, name: str, environ: Mapping[str, str], environment: dict[str, JSON], timeout_s: float = TIMEOUT_S
) -> Figures:
    """Run the command that `environ` names for each performance case. Raises `LockBusy` when the device does not become free."""
    sha = command_sha256(name, environ)

    def absent(why: str) -> Figures:
        return unavailable(op.slug, place.device, name, Clock.OWN, why, environment=environment, command_sha256=sha)

    line = command_of(name, environ)
    if not line:
        return absent(f"{COMMANDS[name]} is not set")
    try:
        argv = shlex.split(line)
    except ValueError as error:
        return absent(f"{COMMANDS[name]} is no command line: {error}")
    if "=" in argv[0]:  # perhaps a key, and what is unavailable is told on public pages
        return absent(
            f"{COMMANDS[name]} begins with an assignment, and no shell reads it: write env NAME=VALUE COMMAND, or set NAME outside"
        )
    if why := why_untimed(op, place.device):
        return absent(why)
    try:
        source = reference_source(op)
    except NotPortable as error:
        return absent(f"the reference cannot be written into a file: {error}")
    cases: list[CaseFigures] = []
    with tempfile.TemporaryDirectory(prefix="kbweb-bench-") as folder:
        reference = Path(folder) / "reference.py"
        reference.write_text(source, encoding="utf-8")
        for case in op.performance_cases(place.device):
            told = {**passed_on(environ), **place.environ(), **about(op, case, place), "KB_BENCH_REFERENCE": str(reference)}
            try:
                with place.to_ourselves(f"measuring {name} on {op.slug}"):
                    end = run_command(argv, environ=told, timeout_s=timeout_s)
                cases.append(_figures(case, _report(end, timeout_s)))
            except (CommandNotStarted, BadReport) as error:
                return absent(f"case {case.name}: {error}")
    return Figures(
        op=op.slug,
        device=place.device,
        name=name,
        status=Status.OK,
        clock=Clock.OWN,
        time_us=statistics.geometric_mean(case.time_us for case in cases),
        cases=tuple(cases),
        environment=environment,
        command_sha256=sha,
    )


def passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that a command inherits: all but the site's own."""
    return {name: value for name, value in environ.items() if name not in _OF_THE_SITE and not name.startswith(("KB_", "DJANGO_"))}


def about(op: Op, case: Case, place: Place) -> dict[str, str]:
    """What a command is told of the case that it is to time."""
    described = {
        "name": case.name,
        "args": [argument_json(argument) for argument in case.args],
        "kwargs": {name: argument_json(argument) for name, argument in case.kwargs.items()},
    }
    tensors = case.tensors
    return {
        "KB_BENCH_OP": op.slug,
        "KB_BENCH_CASE": json.dumps(described),
        "KB_BENCH_SHAPES": json.dumps([list(tensor.shape) for tensor in tensors]),
        "KB_BENCH_DTYPES": json.dumps([tensor.dtype for tensor in tensors]),
        "KB_BENCH_DEVICE": place.torch_device,
        "KB_BENCH_HARDWARE": place.device,
        "KB_BENCH_PRECISION": op.precision,
        "KB_BENCH_WARMUP": str(WARMUP),
        "KB_BENCH_ITERATIONS": str(ITERATIONS),
    }


def _report(end: CommandEnd, timeout_s: float) -> ToolReport:
    """Raises `BadReport`: its first line tells what is wrong, what follows is the end of what the command said."""
    tail = end.stderr.strip()[-MAX_TAIL:]
    said = f"\nit said: {tail}" if tail else ""
    if end.status is None:
        raise BadReport(f"the command did not end within {timeout_s:g} s and was killed{said}")
    if end.status != 0:
        how = f"was ended by signal {-end.status}" if end.status < 0 else f"exited with status {end.status}"
        try:
            read_report(end.stdout)
        except BadReport as error:
            said = said or f"\n{error}"
        raise BadReport(f"the command {how}{said}")
    try:
        return read_report(end.stdout)
    except BadReport as error:
        raise BadReport(f"{error}{said}") from None


def _figures(case: Case, report: ToolReport) -> CaseFigures:
    return CaseFigures(
        name=case.name,
        inputs=case.describe(),
        time_us=report.p50_us,
        mean_us=report.mean_us,
        p95_us=report.p95_us,
        min_us=report.min_us,
        max_us=report.max_us,
        tokens_per_s=report.tokens_per_s,
        peak_memory_bytes=report.peak_memory_bytes,
    )
