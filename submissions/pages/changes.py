"""What a submission changed of the earlier one that it was made from, and which later ones were made from it."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.access import Reader, may_read_source, visible_submissions
from submissions.line_diff import Diff, kept_diff
from submissions.models import Submission
from submissions.pages.attempts import Attempt, attempts, earlier_attempts

MOST_LATER = 10


@dataclass(frozen=True, slots=True)
class Changes:
    """`diff` is None where the reader may not read both sources, or there is no earlier one. `attempts`: this and all before it."""

    earlier: Submission | None
    diff: Diff | None
    later: tuple[Submission, ...]
    attempts: tuple[Attempt, ...] = ()


def changes(reader: Reader, shown: Submission, device: str) -> Changes | None:
    """None when there is nothing to tell. How attempts ended is told of `device`."""
    before = earlier_attempts(reader, shown)
    earlier = before[0] if before else None
    later = visible_submissions(reader).filter(parent=shown.pk).select_related("author").defer("source").order_by("created_at")
    found = tuple(later[:MOST_LATER])
    if earlier is None and not found:
        return None
    readable = earlier is not None and may_read_source(reader, earlier) and may_read_source(reader, shown)
    compared = kept_diff(earlier.source, shown.source) if earlier is not None and readable else None
    return Changes(earlier, compared, found, attempts(reader, shown, before, device))
