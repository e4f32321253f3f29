"""Confirming runs: the site's own runs of a source that leads a board, one after the other, each in a fresh process with fresh inputs.

Three that are accepted confirm the source. What each run says is `ending`: one that fails refuses the source, one that the device or we
spoiled is replaced, but not for ever: after six of these the source could not be confirmed. Staff let the site try such a source again by
an evaluation of their own (purpose `house`) that is accepted.
"""

from __future__ import annotations

import enum
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import models
from django.db.models import F, Max, Q

from evaluator.contract import EPOCH, SPOILING, Flag, Mode, State, Verdict
from submissions.models import Evaluation, Purpose, Submission

CONFIRMING_RUNS = 3
MOST_UNCOUNTED = 6
"""So many runs of one source on one board in an epoch may be replaced."""
MOST_DOUBTS = 2
"""So many runs that end as `suspect`, with nothing else to blame, refuse a source."""
SPOILT = (Verdict.SUSPECT, Verdict.TIMEOUT)
"""Verdicts that heat or a neighbour can be the cause of."""
NO_VERDICT_ON_IT = (Verdict.ACCEPTED, Verdict.CANCELLED, Verdict.INFRA_ERROR)
_SHOWN = (
    "pk", "submission_id", "op", "device", "author_id", "state", "verdict", "flags", "queued_at", "epoch",
    "speedup", "speedup_low", "speedup_high",
)  # fmt: skip


class Confirmation(models.TextChoices):
    """Where a source stands on a board."""

    PROVISIONAL = "provisional", "provisional"
    CONFIRMING = "confirming", "confirming"
    CONFIRMED = "confirmed", "confirmed"
    NOT_CONFIRMED = "not_confirmed", "not confirmed"


class Ending(enum.Enum):
    """What a confirming run says of its source."""

    OPEN = "not ended"
    COUNTED = "accepted"
    REFUSED = "it is not what it seemed"
    DOUBTED = "replaced once"
    UNCOUNTED = "replaced"
    VOID = "nothing: somebody took it back"


def ending(evaluation: Evaluation) -> Ending:
    """A short case that cannot be captured is refused, because the run that took the lead could be."""
    if evaluation.state != State.DONE:
        return Ending.OPEN
    spoilt = any(flag in evaluation.flags for flag in SPOILING)
    verdict = Verdict(evaluation.verdict)
    if verdict is Verdict.ACCEPTED:
        if Flag.NOT_CAPTURED in evaluation.flags:
            return Ending.REFUSED
        return Ending.UNCOUNTED if spoilt else Ending.COUNTED
    if verdict is Verdict.CANCELLED:
        return Ending.VOID
    if verdict is Verdict.INFRA_ERROR or (spoilt and verdict in SPOILT):
        return Ending.UNCOUNTED
    return Ending.DOUBTED if verdict is Verdict.SUSPECT else Ending.REFUSED


def counts() -> Q:
    """Condition on an evaluation: `Ending.COUNTED`."""
    return _ended() & Q(verdict=Verdict.ACCEPTED) & ~_flagged(*SPOILING, Flag.NOT_CAPTURED)


def refuses() -> Q:
    """Condition on an evaluation: `Ending.REFUSED`, by a verdict on the kernel."""
    spoilt = Q(verdict=Verdict.TIMEOUT) & _flagged(*SPOILING)
    return _ended() & ~Q(verdict__in=[*NO_VERDICT_ON_IT, Verdict.SUSPECT]) & ~spoilt


def doubts() -> Q:
    """Condition on an evaluation: `Ending.DOUBTED`."""
    return _ended() & Q(verdict=Verdict.SUSPECT) & ~_flagged(*SPOILING)


def _ended() -> Q:
    return Q(purpose=Purpose.CONFIRMING, state=State.DONE, submission__hidden_at__isnull=True)


def _flagged(*flags: Flag) -> Q:
    found = Q()
    for flag in flags:
        found |= Q(flags__contains=[flag.value])
    return found


@dataclass(frozen=True, slots=True)
class ConfirmingRun:
    """`number` counts from 1 and is None for a run that did not count and was or will be replaced."""

    evaluation: Evaluation
    ending: Ending
    number: int | None

    @property
    def name(self) -> str:
        if self.number is None:
            return "confirming run that did not count"
        return f"confirming run {self.number}" + (f" of {CONFIRMING_RUNS}" if self.number <= CONFIRMING_RUNS else "")


@dataclass(frozen=True, slots=True)
class ConfirmingRuns:
    """The confirming runs of one source on one board in an epoch, oldest first. `anew_at`: since when staff have the site try again."""

    runs: tuple[ConfirmingRun, ...] = ()
    failed: ConfirmingRun | None = None
    anew_at: datetime | None = None

    @property
    def counted_runs(self) -> tuple[ConfirmingRun, ...]:
        return tuple(run for run in self.runs if run.ending is Ending.COUNTED)

    @property
    def counted(self) -> int:
        return len(self.counted_runs)

    @property
    def open(self) -> int:
        return sum(run.ending is Ending.OPEN for run in self.runs)

    @property
    def uncounted(self) -> int:
        """Those that were or will be replaced."""
        replaced = (run for run in self.runs if run.ending in (Ending.UNCOUNTED, Ending.DOUBTED) and run is not self.failed)
        return sum(self.anew_at is None or run.evaluation.queued_at > self.anew_at for run in replaced)

    @property
    def exhausted(self) -> bool:
        """Whether no more are made although none failed."""
        return self.failed is None and self.counted < CONFIRMING_RUNS and self.uncounted >= MOST_UNCOUNTED

    @property
    def confirmation(self) -> Confirmation:
        if self.failed is not None or self.exhausted:
            return Confirmation.NOT_CONFIRMED
        if self.counted >= CONFIRMING_RUNS:
            return Confirmation.CONFIRMED
        return Confirmation.CONFIRMING if self.open else Confirmation.PROVISIONAL

    @property
    def why_not(self) -> str:
        """Why it is not confirmed, "" where it is or may be yet."""
        if self.confirmation is not Confirmation.NOT_CONFIRMED:
            return ""
        return why_not_confirmed(self.failed.evaluation if self.failed else None)

    def low(self) -> float | None:
        """The median of the counted runs' lower ends; None without any."""
        lows = [low for run in self.counted_runs if (low := run.evaluation.speedup_low) is not None]
        return statistics.median(lows) if lows else None

    def run_of(self, evaluation_id: str) -> ConfirmingRun | None:
        return next((run for run in self.runs if run.evaluation.pk == evaluation_id), None)


def why_not_confirmed(stopped_by: Evaluation | None) -> str:
    """In words, why a source is not confirmed: by the run that failed, or by too many that did not count."""
    if stopped_by is None:
        return f"could not be confirmed: {MOST_UNCOUNTED} runs did not count"
    ended = Flag.NOT_CAPTURED if stopped_by.verdict == Verdict.ACCEPTED else stopped_by.verdict
    return f"a confirming run ended as {ended}"


Source = tuple[int, str]
"""Author and normalised source: what is confirmed on a board."""
OnBoard = tuple[str, str, int, str]
"""The same with op and device."""


def on_boards(wanted: Q, epoch: int = EPOCH, competition_id: int | None = None, *, hidden: bool = False) -> dict[OnBoard, ConfirmingRuns]:
    """The confirming runs among the evaluations that are wanted, by source. One query, without the large columns.

    A second one where too many did not count. Of the open boards, or of one competition's: what confirms there says nothing here. Nor do
    the runs of a submission that staff have hidden, of which nobody else may hear; `hidden` asks for these alone.
    """
    wanted &= Q(submission__competition=competition_id, submission__hidden_at__isnull=not hidden)
    of_epoch = Q(epoch=epoch, state=State.DONE)
    found = Evaluation.objects.filter(wanted, of_epoch | ~Q(state=State.DONE) if epoch == EPOCH else of_epoch, purpose=Purpose.CONFIRMING)
    by_source: dict[OnBoard, list[Evaluation]] = defaultdict(list)
    for run in found.annotate(sha=F("submission__normalised_sha256")).only(*_SHOWN).order_by("queued_at", "pk"):
        by_source[run.op, run.device, run.author_id, getattr(run, "sha")].append(run)  # noqa: B009 (annotated)
    grouped = {source: numbered(runs) for source, runs in by_source.items()}
    if exhausted := {source for source, runs in grouped.items() if runs.exhausted}:
        house = Evaluation.objects.filter(wanted, epoch=epoch, purpose=Purpose.HOUSE, verdict=Verdict.ACCEPTED).order_by()
        rows = house.values_list("op", "device", "author_id", "submission__normalised_sha256").annotate(at=Max("queued_at"))
        for *key, at in rows.filter(author_id__in={author for _, _, author, _ in exhausted}):
            if (source := (key[0], key[1], key[2], key[3])) in exhausted:
                grouped[source] = replace(grouped[source], anew_at=at)
    return grouped


def on_board(
    op: str, device: str, *, author_id: int | None = None, epoch: int = EPOCH, competition_id: int | None = None
) -> dict[Source, ConfirmingRuns]:
    """The confirming runs of a board, of one author alone where it is given."""
    wanted = Q(op=op, device=device) if author_id is None else Q(op=op, device=device, author_id=author_id)
    return {(author, sha): found for (_, _, author, sha), found in on_boards(wanted, epoch, competition_id).items()}


def confirming_runs(
    op: str, device: str, author_id: int, normalised_sha256: str, *, epoch: int = EPOCH, competition_id: int | None = None
) -> ConfirmingRuns:
    """Those of one source."""
    wanted = Q(op=op, device=device, author_id=author_id, submission__normalised_sha256=normalised_sha256)
    return on_boards(wanted, epoch, competition_id).get((op, device, author_id, normalised_sha256), ConfirmingRuns())


def of_evaluation(evaluation: Evaluation, submission: Submission) -> ConfirmingRuns | None:
    """The confirming runs of the source of an evaluation that may stand on a board, or is one of them; None where there are none."""
    return of_submission(submission, [evaluation]).get(evaluation.pk)


def of_submission(submission: Submission, evaluations: Iterable[Evaluation]) -> dict[str, ConfirmingRuns]:
    """`of_evaluation` for many evaluations of one submission, by their ids: a query for each epoch that they are of."""
    by_epoch: dict[int, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        if evaluation.mode == Mode.RANKED:
            by_epoch[evaluation.epoch if evaluation.state == State.DONE else EPOCH].append(evaluation)
    sha, hidden, found = submission.normalised_sha256, submission.hidden_at is not None, {}
    for epoch, runs in by_epoch.items():
        source = Q(op=submission.op, author_id=submission.author_id, submission__normalised_sha256=sha)
        boards = on_boards(source & Q(device__in={run.device for run in runs}), epoch, submission.competition_id, hidden=hidden)
        for run in runs:
            if (there := boards.get((run.op, run.device, run.author_id, sha))) is not None:
                found[run.pk] = there
    return found


def numbered(evaluations: Iterable[Evaluation]) -> ConfirmingRuns:
    """The runs of one source, oldest first, each with what it says; the first that refuses the source is what stopped it."""
    runs: list[ConfirmingRun] = []
    failed: ConfirmingRun | None = None
    number, doubted = 1, 0
    for evaluation in evaluations:
        says = ending(evaluation)
        doubted += says is Ending.DOUBTED
        refuses_it = says is Ending.REFUSED or (says is Ending.DOUBTED and doubted == MOST_DOUBTS)
        has_number = refuses_it or says in (Ending.OPEN, Ending.COUNTED)
        run = ConfirmingRun(evaluation, says, number if has_number else None)
        runs.append(run)
        number += says is Ending.COUNTED
        failed = failed or (run if refuses_it else None)
    return ConfirmingRuns(tuple(runs), failed)
