"""Who reads decisions, and what a decision means for the next run of the same source."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from evaluator.contract import Mode, Outcome, Reason, Verdict
from submissions.access import Reader, may_read_decisions
from submissions.decisions.models import Decision, Kind
from submissions.models import Evaluation

REFUSED_BEFORE = Reason(
    code="refused_before",
    message="A moderator has refused this source before, so a person looks at it again.",
    hint="Nothing to do: wait for the decision. Ask whoever runs this site if you think that the earlier one was wrong.",
)


def decisions_of(user: Reader, evaluation: Evaluation) -> list[Decision]:
    """All decisions on an evaluation, newest first, for its author and for staff; none for anybody else."""
    if not may_read_decisions(user, evaluation):
        return []
    return list(evaluation.decisions.select_related("actor", "withdrawn_by"))


def standing_decisions(user: Reader, evaluations: Sequence[Evaluation]) -> dict[str, Decision]:
    """The decision that stands on each of the evaluations, by their ids, where `user` may read it. One query."""
    own = [evaluation.pk for evaluation in evaluations if may_read_decisions(user, evaluation)]
    if not own:
        return {}
    found = Decision.objects.standing().filter(evaluation__in=own).select_related("actor")
    return {decision.evaluation_id: decision for decision in found}


def held_if_refused(evaluation: Evaluation, outcome: Outcome) -> Outcome:
    """The outcome of a run that is about to end; `suspect` where it would stand although its source was refused, and not accepted since."""
    if outcome.verdict is not Verdict.ACCEPTED or evaluation.mode != Mode.RANKED:
        return outcome
    last = Decision.objects.last_on_source(evaluation.op, evaluation.submission.normalised_sha256)
    if last is None or last.kind != Kind.REFUSE:
        return outcome
    return dataclasses.replace(outcome, verdict=Verdict.SUSPECT, reasons=(REFUSED_BEFORE, *outcome.reasons))
