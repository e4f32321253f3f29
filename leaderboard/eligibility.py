"""Which evaluations may stand on a board: one rule, used for entries, ranks, records, exports and pages alike."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from evaluator.contract import Flag, Mode, Policy, State, Verdict
from submissions.models import Evaluation, Visibility


def eligible(prefix: str = "") -> Q:
    """Condition on an evaluation; `prefix` is the path to it (`"evaluation__"` from an entry).

    Ranked and accepted, with a measured speedup and its interval; its author lets the result be seen; the inputs were drawn afresh
    (a run with a seed of the author's choice shows its inputs beforehand and leaves hidden cases out), and outputs were held to the
    policy that all are held to.
    """
    return Q(
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
            f"{prefix}submission__visibility__in": [Visibility.PUBLIC, Visibility.RESULT],
        }
    )


def interpreted(prefix: str = "") -> Q:
    """Condition: the kernel ran in Triton's interpreter. Such results are ranked apart and hold no record."""
    return Q(**{f"{prefix}flags__contains": [str(Flag.INTERPRETED)]})


def eligible_evaluations() -> QuerySet[Evaluation]:
    """Every evaluation that may stand on some board."""
    return Evaluation.objects.filter(eligible())
