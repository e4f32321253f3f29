"""Feedback on a stored outcome, without what its reader may not see."""

from __future__ import annotations

from evaluator.contract import Outcome, State, from_json
from evaluator.feedback import feedback
from submissions.access import Reader, may_read_source
from submissions.models import Evaluation
from submissions.redact import redact_outcome


def feedback_text(user: Reader, evaluation: Evaluation) -> str | None:
    """Markdown; None until there is an outcome.

    An evaluation that ended without one (cancelled while it waited, or our fault) has its verdict alone.
    """
    if evaluation.state != State.DONE:
        return None
    if not evaluation.outcome:
        return f"# {evaluation.op} on {evaluation.device}: {evaluation.verdict}\n\nIt ended before a device had it.\n"
    stored = evaluation.outcome if may_read_source(user, evaluation.submission) else redact_outcome(evaluation.outcome)
    return feedback(from_json(Outcome, stored))
