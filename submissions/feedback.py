"""Feedback on a stored outcome, without what its reader may not see."""

from __future__ import annotations

import dataclasses

from evaluator.contract import Outcome, Reason, State, Verdict, from_json
from evaluator.feedback import feedback
from submissions.access import Reader, may_read_source
from submissions.decisions.reading import decisions_of
from submissions.models import Evaluation
from submissions.redact import redact_outcome


def feedback_text(user: Reader, evaluation: Evaluation) -> str | None:
    """Markdown; None until there is an outcome.

    The verdict is the one that stands now; its author and staff read what a moderator decided. An evaluation that ended without an outcome
    (cancelled while it waited, or our fault), or with one of another evaluator's, has its verdict alone.
    """
    if evaluation.state != State.DONE:
        return None
    head = f"# {evaluation.op} on {evaluation.device}: {evaluation.verdict}\n\n"
    if not evaluation.outcome:
        return f"{head}It ended before a device had it.\n"
    stored = evaluation.outcome if may_read_source(user, evaluation.submission) else redact_outcome(evaluation.outcome)
    try:
        outcome = from_json(Outcome, stored)
    except (TypeError, ValueError):
        return f"{head}Another version of the evaluator wrote what it found, and this site cannot read that.\n"
    decided = next((decision for decision in decisions_of(user, evaluation) if decision.stands), None)
    told = (Reason("moderator", f"A moderator has decided: {decided.get_kind_display()}.", detail=decided.reason),) if decided else ()
    return feedback(dataclasses.replace(outcome, verdict=Verdict(evaluation.verdict), reasons=(*told, *outcome.reasons)))
