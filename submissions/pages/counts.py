"""Whether what was accepted counts, in one sentence: where it stands on its board, or why it stands on none."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.contract import EPOCH, Flag, State, Verdict
from submissions.confirming import CONFIRMING_RUNS, Confirmation, ConfirmingRuns
from submissions.models import Evaluation
from submissions.pages.beside import Beside, Place, why_unranked

CONFIRMED: Mapping[str, str] = {
    Confirmation.CONFIRMED: f", confirmed by {CONFIRMING_RUNS} fresh runs of the site",
    Confirmation.CONFIRMING: f", provisional until {CONFIRMING_RUNS} fresh runs of the site confirm it",
    Confirmation.PROVISIONAL: ", provisional",
}


def counts(evaluation: Evaluation, found: Beside | None, confirming: ConfirmingRuns | None) -> str:
    """ "" for what was not accepted. `found` as `beside` gave it, of whose board the reader may see nothing perhaps."""
    if evaluation.state != State.DONE or evaluation.verdict != Verdict.ACCEPTED:
        return ""
    if why := why_unranked(evaluation):
        return f"Not ranked: {why}."
    if confirming is not None and confirming.why_not:
        return f"Not ranked: {confirming.why_not}."
    if found is None:
        return ""
    if found.place is not None:
        return f"It stands at {_rank(found.place)} on {_board(evaluation)}{CONFIRMED.get(found.place.confirmation, '')}."
    author = evaluation.author.get_username()
    if any(other.author == author and other.kind != "previous" for other in found.others):
        return f"It has no row of its own: a better source of the same author stands on {_board(evaluation)}."
    return ""


def _rank(place: Place) -> str:
    tied = f", tied with {place.tied}" if place.tied else ""
    return f"rank {place.rank} of {place.of}{tied}"


def _board(evaluation: Evaluation) -> str:
    board = f"the board of {evaluation.op} on {evaluation.device}"
    if evaluation.submission.competition_id is not None:
        board += " in its competition"
    if Flag.INTERPRETED in evaluation.flags:
        board += ", among what was interpreted"
    return board if evaluation.epoch == EPOCH else f"{board}, in the earlier epoch {evaluation.epoch}"
