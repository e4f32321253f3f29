"""The commands that repeat an evaluation on a reader's own machine."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from evaluator.contract import Mode, Outcome, Policy, Timer
from evaluator.ops import registry
from submissions.models import Evaluation, Submission, Visibility
from submissions.pages.command_line import file_argument, with_own_file
from submissions.pages.sheet import Sheet

OPS_FILE = "OPS.json"


@dataclass(frozen=True, slots=True)
class Command:
    """`name` is an id on the page."""

    name: str
    title: str
    text: str


def commands(evaluation: Evaluation, submission: Submission, sheet: Sheet) -> list[Command]:
    """First how to get the files, where a command can; then the case that failed, then the whole."""
    file = file_argument(submission.filename)
    found = []
    if fetch := _fetch(submission, file):
        found.append(Command("fetch", "Get the files", "\n".join(fetch)))
    case = next((case for case in (*(each.case for each in sheet.failed), *sheet.cases) if case.reproduce), None)
    if case is not None:
        title = f"Check case {case.name}{'' if case.passed else ', which failed,'} with the same inputs"
        found.append(Command("case", title, with_own_file(case.reproduce, submission.filename)))
    found.append(Command("whole", "Run all public cases with the same seed", _whole(evaluation, submission, sheet.outcome, file)))
    return found


def _fetch(submission: Submission, file: str) -> list[str]:
    lines = []
    if submission.visibility == Visibility.PUBLIC:
        lines.append(f"curl -fsS -o {file} {settings.SITE_URL}{reverse('source', args=[submission.pk])}")
    if submission.op not in registry.OPS:
        lines.append(f"curl -fsS -o {OPS_FILE} {settings.SITE_URL}{reverse('api-op', args=[submission.op])}")
    return lines


def _whole(evaluation: Evaluation, submission: Submission, outcome: Outcome, file: str) -> str:
    mode = Mode.BENCHMARK if evaluation.mode == Mode.RANKED else evaluation.mode
    device = "cpu" if evaluation.device == "cpu" else "cuda"
    words = ["python -m evaluator run", file, f"--op {shlex.quote(submission.op)}", f"--type {submission.kernel_type}"]
    words += [f"--device {device}", f"--mode {mode}"]
    if outcome.seed is not None:
        words.append(f"--seed {outcome.seed}")
    if evaluation.policy != Policy.SCALED:
        words.append(f"--policy {evaluation.policy}")
    if evaluation.timer != Timer.ABBA:
        words.append(f"--timer {evaluation.timer}")
    if submission.op not in registry.OPS:
        words.append(f"--ops-file {OPS_FILE}")
    return " ".join(words)
