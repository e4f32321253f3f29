"""Code that looks like a given submission's: other submissions of the same op.

Bounded, because sources are hostile text: the newest submissions of the op, and the beginning of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models.functions import Left

from submissions.models import Submission

RECENT = 200
MAX_CHARS = 20_000
SHINGLE = 5
"""Words in a row that are compared as one."""
LEAST = 0.25
MOST = 8


@dataclass(frozen=True, slots=True)
class Similar:
    """Another submission. `share` is the share of word sequences that both have, 1 for the same normalised text."""

    submission: Submission
    share: float
    same: bool
    copies: int = 1


def similar_to(submission: Submission) -> list[Similar]:
    """The most similar ones, best first; of those that differ in comments alone the newest, with their number. Two queries."""
    others = Submission.objects.filter(op=submission.op).exclude(pk=submission.pk).select_related("author").order_by("-created_at", "pk")
    same = others.filter(normalised_sha256=submission.normalised_sha256)
    found = [Similar(other, 1.0, True) for other in same.defer("source")[:MOST]]
    recent = (
        others.exclude(normalised_sha256=submission.normalised_sha256).defer("source").annotate(text=Left("source", MAX_CHARS))[:RECENT]
    )
    own = shingles(submission.source[:MAX_CHARS])
    by_words: dict[frozenset[int], Similar] = {}
    for other in recent:
        words = shingles(other.text)
        if (known := by_words.get(words)) is not None:
            by_words[words] = Similar(known.submission, known.share, False, known.copies + 1)
        elif (share := overlap(own, words)) >= LEAST:
            by_words[words] = Similar(other, share, False)
    found += sorted(by_words.values(), key=lambda one: -one.share)
    return found[:MOST]


def shingles(source: str) -> frozenset[int]:
    """Every run of five words and signs, without comments and spaces."""
    words = re.findall(r"\w+|[^\w\s]", re.sub(r"#[^\n]*|//[^\n]*", "", source))
    return frozenset(hash(tuple(words[at : at + SHINGLE])) for at in range(max(1, len(words) - SHINGLE + 1)))


def overlap(one: frozenset[int], other: frozenset[int]) -> float:
    """Jaccard's: what both have of what either has."""
    return len(one & other) / len(one | other)
