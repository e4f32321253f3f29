"""Which evaluations may stand on a board: one rule, used for entries, ranks, records, exports and pages alike."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from evaluator.contract import EPOCH, Flag, Mode, Policy, State, Timer, Verdict
from submissions.models import Evaluation, Purpose, Visibility

OPEN_TO_ALL = (Visibility.PUBLIC, Visibility.RESULT)
"""What a submission's author lets everybody see the result of."""
EACH = F("competition")
"""In place of a competition's number, in conditions on entries: each its own, those of the open boards left out."""


def eligible(prefix: str = "", epoch: int | None = EPOCH, competition_id: int | F | None = None) -> Q:
    """Condition on an evaluation; `prefix` is the path to it (`"evaluation__"` from an entry).

    Ranked and accepted, with a measured speedup and its interval; its author lets the result be seen; the inputs were drawn afresh
    (a run with a seed of the author's choice shows its inputs beforehand and leaves hidden cases out), and outputs were held to the
    policy that all are held to; timed by the method that is everybody's for that case, on a device that nobody else used. A board ranks
    one epoch of the evaluator: the present one unless an earlier is asked for; None gives those of every epoch, each of which stands on
    the board of its own.

    What was handed in to a competition stands on the boards of that one alone; nothing else does.
    """
    ended = Q(
        **{
            f"{prefix}mode": Mode.RANKED,
            f"{prefix}state": State.DONE,
            f"{prefix}verdict": Verdict.ACCEPTED,
            f"{prefix}speedup__gt": 0,
            f"{prefix}speedup_low__isnull": False,
            f"{prefix}speedup_high__isnull": False,
            f"{prefix}time_us__gt": 0,
            f"{prefix}seed__isnull": True,
            f"{prefix}policy": Policy.SCALED,
            f"{prefix}timer": Timer.ABBA,
        }
    )
    ended &= _on_the_open_board(prefix) if competition_id is None else _in_competition(prefix, competition_id)
    for flag in (Flag.NOT_CAPTURED, Flag.DISTURBED):
        ended &= ~Q(**{f"{prefix}flags__contains": [str(flag)]})
    return ended if epoch is None else ended & Q(**{f"{prefix}epoch": epoch})


def _on_the_open_board(prefix: str) -> Q:
    return Q(**{f"{prefix}submission__visibility__in": OPEN_TO_ALL})


def _in_competition(prefix: str, competition_id: int | F) -> Q:
    """Handed in to it, so while it was open, and not hidden by staff.

    What its author had run again after it closed does not count; the site's own runs do.
    """
    late = Q(**{f"{prefix}purpose": Purpose.RERUN, f"{prefix}queued_at__gte": F(f"{prefix}submission__competition__closes_at")})
    return Q(**{f"{prefix}submission__competition": competition_id, f"{prefix}submission__hidden_at__isnull": True}) & ~late


def interpreted(prefix: str = "") -> Q:
    """Condition: the kernel ran in Triton's interpreter. Such results are ranked apart and hold no record."""
    return Q(**{f"{prefix}flags__contains": [str(Flag.INTERPRETED)]})


def eligible_evaluations(epoch: int | None = EPOCH, competition_id: int | None = None) -> QuerySet[Evaluation]:
    """Every evaluation that may stand on some board of the epoch: some open board, or some board of one competition."""
    return Evaluation.objects.filter(eligible(epoch=epoch, competition_id=competition_id))


def why_ineligible(evaluation: Evaluation) -> str:
    """The same rule in words, for one that was accepted: what keeps it off every board, "" where nothing does.

    Needs the evaluation's submission, and the competition of that.
    """
    submission = evaluation.submission
    contest = submission.competition
    measured = (evaluation.speedup or 0) > 0 and (evaluation.time_us or 0) > 0
    late = contest is not None and evaluation.purpose == Purpose.RERUN and evaluation.queued_at >= contest.closes_at
    reasons = (
        (evaluation.mode != Mode.RANKED, f"what runs in mode {evaluation.mode} never is"),
        (contest is None and submission.visibility == Visibility.PRIVATE, "it is private"),
        (late, "it was run again after its competition had closed"),
        (evaluation.seed is not None, "it ran with a seed of its author's choice, which shows the inputs beforehand"),
        (evaluation.policy != Policy.SCALED, f"its outputs were held to the policy {evaluation.policy}, and not to that of all others"),
        (evaluation.timer != Timer.ABBA, f"it was timed by {evaluation.timer}, and not as all others"),
        (Flag.NOT_CAPTURED in evaluation.flags, "a case that is timed as a CUDA graph could not be captured in one"),
        (Flag.DISTURBED in evaluation.flags, "the device was disturbed while it was timed"),
        (not measured or None in (evaluation.speedup_low, evaluation.speedup_high), "it has no time"),
    )
    return next((why for keeps, why in reasons if keeps), "")
