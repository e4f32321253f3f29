"""`python -m evaluator prove`: right kernels accepted, wrong ones refused, op by op."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import multiprocessing.util
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.judge import environment
from evaluator.ops.definition import Op
from evaluator.ops.registry import all_ops, get
from evaluator.proving import table
from evaluator.proving.finding import Finding, Status

if TYPE_CHECKING:
    from evaluator.proving.prove import Prover


@dataclass(frozen=True, slots=True)
class Settings:
    """`device` is the board's hardware class; `gpu_index` None on a CPU."""

    device: str
    gpu_index: int | None = None
    starters: bool = True
    mutants: bool = True
    performance: bool = True
    jobs: int = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ops", nargs="*", metavar="OP", help="slugs; all ops of the suite when none is named")
    parser.add_argument("--suite", default="core")
    parser.add_argument("--device", default="", help="cpu, cuda or cuda:N; the first GPU when there is one, else cpu")
    parser.add_argument("--jobs", type=int, default=1, help="ops looked at at once, each in processes of its own")
    parser.add_argument("--no-starters", dest="starters", action="store_false")
    parser.add_argument("--no-mutants", dest="mutants", action="store_false")
    parser.add_argument("--no-performance", dest="performance", action="store_false", help="leave the performance cases out")
    parser.add_argument("--json", metavar="OUT", help="every finding, with the environment")
    parser.add_argument("--markdown", metavar="OUT", help="the table of ops and mutants")


def run(settings: Settings, slugs: Sequence[str], suite: str, to_json: str | None, to_markdown: str | None) -> bool:
    """Print the table, write what was asked for; whether everything is as it must be. Raises `UnknownOp`."""
    ops = [get(slug) for slug in slugs] or list(all_ops(suite))
    findings: list[Finding] = []
    for op, found in prove(settings, ops):
        findings += found
        print(table.line(op.slug, found), flush=True)
    facts = environment.snapshot("cpu" if settings.gpu_index is None else "cuda", settings.gpu_index)
    text = table.markdown(findings)
    print(f"\n{text}")
    if to_json:
        Path(to_json).write_text(json.dumps({"environment": facts, "findings": [asdict(f) for f in findings]}, indent=1) + "\n")
    if to_markdown:
        Path(to_markdown).write_text(text)
    return all(finding.right for finding in findings)


def prove(settings: Settings, ops: Sequence[Op]) -> Iterator[tuple[Op, list[Finding]]]:
    """What was found of each op, as it is done."""
    context = multiprocessing.get_context("spawn")
    jobs = max(1, min(settings.jobs, len(ops)))
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(settings,)) as pool:
        waiting = {pool.submit(_prove, op.slug, settings): op for op in ops}
        for done in concurrent.futures.as_completed(waiting):
            yield waiting[done], done.result()


_prover: Prover | None = None


def _start(settings: Settings) -> None:
    """In each process of the pool: one prover for all ops that it gets."""
    global _prover
    if settings.gpu_index is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(settings.gpu_index)
    import torch

    from evaluator.proving.prove import Prover

    torch.set_num_threads(1)
    _prover = Prover(settings.device)
    multiprocessing.util.Finalize(_prover, _prover.close, exitpriority=10)


def _prove(slug: str, settings: Settings) -> list[Finding]:
    assert _prover is not None
    op = get(slug)
    found: list[Finding] = []
    try:
        found.extend(_prover.right_kernels(op, starters=settings.starters, performance=settings.performance))
        if settings.mutants:
            found.extend(_prover.wrong_kernels(op, performance=settings.performance))
    except Exception as error:  # one op's trouble must not cost the table of all others
        _prover.close()
        reason = f"{type(error).__name__}: {error}"
        found.append(Finding(slug, "the proof itself", "the proof itself", Status.REFUSED, verdict="infra_error", reason=reason))
    return found
