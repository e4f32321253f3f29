"""The chain of attempts that led to a submission: what it was made from, what that was made from, and how each of them ended."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from submissions.access import Reader, visible_evaluations, visible_submissions
from submissions.models import HOUSE, Evaluation, Submission

MOST = 20
"""Earlier attempts that are shown."""
CHAIN = """
WITH RECURSIVE chain (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM submissions_submission WHERE id = %s
    UNION ALL
    SELECT earlier.id, earlier.parent_id, depth + 1
    FROM submissions_submission AS earlier JOIN chain ON earlier.id = chain.parent_id WHERE depth < %s
)
SELECT id FROM chain WHERE depth > 0 ORDER BY depth
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """`evaluation` is its last one on the device that is looked at, else its last; None where the reader sees none."""

    submission: Submission
    evaluation: Evaluation | None


def earlier_attempts(reader: Reader, shown: Submission) -> list[Submission]:
    """Newest first, without sources, in two queries; it ends where the reader may not see what comes before."""
    if shown.parent_id is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(CHAIN, [shown.pk, MOST])
        ids = [pk for (pk,) in cursor.fetchall()]
    seen = visible_submissions(reader).select_related("author").defer("source").in_bulk(ids)
    until = next((number for number, pk in enumerate(ids) if pk not in seen), len(ids))
    return [seen[pk] for pk in ids[:until]]


def attempts(reader: Reader, shown: Submission, earlier: list[Submission], device: str) -> tuple[Attempt, ...]:
    """This one and those before it, newest first, each with how it ended. One query; none without earlier ones."""
    if not earlier:
        return ()
    rows = visible_evaluations(reader).filter(submission__in=[shown.pk, *(one.pk for one in earlier)]).exclude(purpose__in=HOUSE)
    last: dict[str, Evaluation] = {}
    for row in rows.defer("outcome", "log", "build", "submission__source").order_by("queued_at", "pk"):
        before = last.get(row.submission_id)
        if before is None or row.device == device or before.device != device:
            last[row.submission_id] = row
    return tuple(Attempt(one, last.get(one.pk)) for one in (shown, *earlier))
