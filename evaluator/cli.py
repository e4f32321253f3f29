"""`python -m evaluator run FILE --op SLUG` judges one file on this machine; `python -m evaluator ops` lists the ops;
`python -m evaluator import` makes ops given as data (`evaluator/ops/sources.py`), which `--ops-file` adds to both;
`python -m evaluator bench` measures the evaluator itself (`evaluator/bench/`), `baseline` what kernels are compared with.

Exit codes: 0 accepted, 1 judged and not accepted, 2 usage, 3 ours (infrastructure).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import typing
from collections.abc import Sequence
from pathlib import Path

from evaluator.baselines import command as baseline_command
from evaluator.bench import command as bench_command
from evaluator.calibration import command as calibrate_command
from evaluator.contract import EvaluationRequest, Event, KernelType, Limits, Mode, Outcome, Policy, Timer, Verdict, dumps
from evaluator.feedback import feedback
from evaluator.ops import import_command
from evaluator.ops.definition import Op
from evaluator.ops.recorded import DocumentError, load_file, to_document
from evaluator.ops.registry import UnknownOp, all_ops, get
from evaluator.ops.sources import SourceFault
from evaluator.profiling.folder import kept_in, made
from evaluator.proving import command as prove_command
from evaluator.report import event_line, outcome_lines
from evaluator.samples import write_samples
from evaluator.source_file import SourceFileError, read_source

ACCEPTED, NOT_ACCEPTED, USAGE, OURS = 0, 1, 2, 3


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.do(arguments))
    except _UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (whoever read our output is gone; Python flushes once more)
        return OURS
    except Exception as error:
        traceback.print_exc()
        print(f"infrastructure error: {type(error).__name__}: {error}", file=sys.stderr)
        return OURS


class _UsageError(Exception):
    pass


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluator", description="Judge GPU kernels on this machine, without a database.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="judge one file")
    run.add_argument("file", type=Path)
    run.add_argument("--op", required=True, help="slug of the op, as `ops` lists it")
    run.add_argument(
        "--ops-file", type=Path, metavar="PATH", help="ops given as data, as `import` writes them, or one op as the site's API gives it"
    )
    run.add_argument("--type", choices=[t.value for t in KernelType], help="kernel type; guessed from the source when not given")
    run.add_argument("--device", default="", help="cpu, cuda or cuda:N; the first GPU when there is one, else cpu")
    run.add_argument("--mode", default=Mode.BENCHMARK.value, choices=[m.value for m in Mode])
    run.add_argument("--policy", default=Policy.SCALED.value, choices=[p.value for p in Policy], help="how far an output may be off")
    timers = "abba is the only one that is ranked; the others time as other tools do"
    run.add_argument("--timer", default=Timer.ABBA.value, choices=[t.value for t in Timer], help=timers)
    run.add_argument("--seed", type=int, help="repeat the public cases of an earlier run")
    run.add_argument("--case", help="check this case only")
    run.add_argument("--json", metavar="OUT", help="write the outcome as JSON to this file, `-` for standard output")
    run.add_argument("--samples", metavar="OUT", help="write the raw samples to this file: JSON where it ends in .json, else CSV")
    run.add_argument("--artefacts", type=made, metavar="DIR", help="put what profilers leave (traces, tables, PTX, SASS) into this folder")
    run.add_argument("--feedback", action="store_true", help="print Markdown for a language model instead of the report")
    run.add_argument("--sandbox", default=os.environ.get("KB_SANDBOX", "best-effort"), choices=["best-effort", "strict", "off"])
    run.add_argument("--limit", action="append", default=[], metavar="NAME=VALUE", help="a limit of the contract, such as check_s=10")
    run.set_defaults(do=_run)
    ops = commands.add_parser("ops", help="list the ops")
    ops.add_argument("--suite")
    ops.add_argument("--ops-file", type=Path, metavar="PATH", help="list the ops of this file instead")
    ops.add_argument("--json", action="store_true")
    ops.set_defaults(do=_ops)
    importing = commands.add_parser("import", help="make ops given as data of somebody else's")
    import_command.add_arguments(importing)
    importing.set_defaults(do=_import)
    bench = commands.add_parser("bench", help="measure the evaluator's own speed and repeatability on this machine")
    bench_command.add_arguments(bench)
    bench.set_defaults(do=_bench)
    baseline = commands.add_parser("baseline", help="time torch.compile and external commands as what kernels are compared with")
    baseline_command.add_arguments(baseline)
    baseline.set_defaults(do=_baseline)
    calibrate_command.register(commands)
    prove = commands.add_parser("prove", help="hold right and generated wrong kernels against the cases of ops")
    prove_command.add_arguments(prove)
    prove.set_defaults(do=_prove)
    return parser


def _run(arguments: argparse.Namespace) -> int:
    from evaluator.build import UnsupportedKernelType, detect
    from evaluator.candidate.imports import no_collections
    from evaluator.judge.peer import InfrastructureError
    from evaluator.sandbox import SandboxError

    with no_collections():
        from evaluator.judge.judge import Judge
    source = _read(arguments.file)
    op = _op(arguments.op, arguments.ops_file)
    device, index = resolve_device(arguments.device)
    request = EvaluationRequest(
        op=op.slug,
        source=source,
        kernel_type=KernelType(arguments.type) if arguments.type else detect(source),
        device=device,
        mode=Mode(arguments.mode),
        seed=arguments.seed,
        timer=Timer(arguments.timer),
        policy=Policy(arguments.policy),
        limits=_limits(arguments.limit),
        filename=arguments.file.name,
        definition=to_document(op) if op.document is not None else None,
    )
    _writable(arguments.json)
    _writable(arguments.samples)
    quiet = arguments.json == "-" or arguments.feedback
    try:
        judge = Judge(device, gpu_index=index, sandbox_mode=arguments.sandbox)
        try:
            with kept_in(arguments.artefacts) as folder:
                emit = _ignore if quiet else _print_event
                outcome = judge.evaluate(request, emit=emit, only_case=arguments.case, artefacts=folder)
        finally:
            judge.close()
    except UnsupportedKernelType as error:
        raise _UsageError(str(error)) from error
    except (InfrastructureError, SandboxError) as error:
        print(f"infrastructure error: {error}", file=sys.stderr)
        return OURS
    except KeyboardInterrupt:
        return OURS
    _write(outcome, arguments.json, as_feedback=arguments.feedback)
    write_samples(outcome.cases, arguments.samples)
    return ACCEPTED if outcome.verdict is Verdict.ACCEPTED else NOT_ACCEPTED


def _op(slug: str, ops_file: Path | None) -> Op:
    """The op of this slug, from the file where it has one. Raises `_UsageError`."""
    recorded = _recorded(ops_file) if ops_file else {}
    try:
        return recorded.get(slug) or get(slug)
    except UnknownOp as error:
        there = f" {ops_file} holds {', '.join(sorted(recorded)) or 'no op'}." if ops_file else ""
        raise _UsageError(f"{error}{there[:2000]}") from error


def _recorded(ops_file: Path) -> dict[str, Op]:
    try:
        return load_file(ops_file)
    except DocumentError as error:
        raise _UsageError(str(error)) from error


def _write(outcome: Outcome, to: str | None, *, as_feedback: bool) -> None:
    if to == "-":
        print(dumps(outcome))
        return
    if to:
        Path(to).write_text(dumps(outcome) + "\n")
    if as_feedback:
        print(feedback(outcome), end="")
        return
    for line in outcome_lines(outcome):
        print(line)


def _writable(to: str | None) -> None:
    """Better said now than after the evaluation. Raises `_UsageError`."""
    if to and to != "-":
        try:
            Path(to).touch()
        except OSError as error:
            raise _UsageError(f"{to} cannot be written: {error.strerror}") from error


def _read(path: Path) -> str:
    try:
        return read_source(path)
    except SourceFileError as error:
        raise _UsageError(str(error)) from error


def resolve_device(name: str) -> tuple[str, int | None]:
    """Board device and GPU index of `cpu`, `cuda`, `cuda:N` or "" (the first GPU, else `cpu`)."""
    from evaluator.devices import class_of_gpu
    from evaluator.judge.environment import gpu_name
    from evaluator.sandbox.gpus import gpus

    if name == "cpu" or (name == "" and not gpus()):
        return "cpu", None
    kind, _, number = (name or "cuda").partition(":")
    if kind != "cuda" or (number and not number.isdecimal()):
        raise _UsageError(f"--device is cpu, cuda or cuda:N, not {name!r}")
    index = int(number or 0)
    if not any(g.index == index for g in gpus()):
        raise _UsageError(f"this host has no GPU {index}; it has {len(gpus())}")
    return class_of_gpu(gpu_name(index)), index


def _limits(pairs: Sequence[str]) -> Limits:
    try:
        return Limits.parse(pairs)
    except ValueError as error:
        raise _UsageError(f"--limit: {error}") from error


def _print_event(event: Event) -> None:
    line = event_line(event)
    if line:
        print(line, flush=True)


def _ignore(event: Event) -> None:
    return


def _ops(arguments: argparse.Namespace) -> int:
    ops = all_ops(arguments.suite)
    if arguments.ops_file:
        recorded = _recorded(arguments.ops_file)
        ops = tuple(op for _, op in sorted(recorded.items()) if arguments.suite is None or arguments.suite in op.suites)
    if arguments.json:
        rows: list[dict[str, typing.Any]] = [
            {
                "slug": o.slug,
                "title": o.title,
                "signature": o.signature,
                "entry_point": o.entry_point,
                "suites": o.suites,
                "dtypes": o.dtypes,
            }
            for o in ops
        ]
        print(json.dumps(rows, indent=2))
    else:
        for op in ops:
            print(f"{op.slug:20} {op.signature}")
    return ACCEPTED


def _import(arguments: argparse.Namespace) -> int:
    try:
        return ACCEPTED if import_command.run(arguments) else NOT_ACCEPTED
    except SourceFault as error:
        raise _UsageError(str(error)) from error


def _bench(arguments: argparse.Namespace) -> int:
    from evaluator.judge.peer import InfrastructureError
    from evaluator.runners.local import RunnerError
    from evaluator.sandbox import SandboxError

    device, index = resolve_device(arguments.device)
    for to in (arguments.json, arguments.markdown):
        _writable(to)
    try:
        accepted = bench_command.run(bench_command.settings_of(arguments, device, index), arguments.json, arguments.markdown)
    except (InfrastructureError, RunnerError, SandboxError) as error:
        print(f"infrastructure error: {error}", file=sys.stderr)
        return OURS
    except KeyboardInterrupt:
        return OURS
    return ACCEPTED if accepted else NOT_ACCEPTED


def _baseline(arguments: argparse.Namespace) -> int:
    _writable(arguments.json)
    try:
        return baseline_command.run(arguments)
    except baseline_command.WrongUse as error:
        raise _UsageError(str(error)) from error


def _prove(arguments: argparse.Namespace) -> int:
    device, index = resolve_device(arguments.device)
    for to in (arguments.json, arguments.markdown):
        _writable(to)
    settings = prove_command.Settings(device, index, arguments.starters, arguments.mutants, arguments.performance, arguments.jobs)
    try:
        right = prove_command.run(settings, arguments.ops, arguments.suite, arguments.json, arguments.markdown)
    except UnknownOp as error:
        raise _UsageError(str(error)) from error
    return ACCEPTED if right else NOT_ACCEPTED
