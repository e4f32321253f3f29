"""What the submit form is filled with when it opens: by a link, or from an earlier submission."""

from __future__ import annotations

from django.http import QueryDict

from evaluator.build import available_kernel_types
from evaluator.ops.definition import Op
from evaluator.ops.registry import UnknownOp
from submissions.access import Reader
from submissions.competitions.entering import open_to_enter
from submissions.known_ops import find
from submissions.models import Purpose, Submission, Visibility
from submissions.pages.devices import Offer


def op_of(slug: str) -> Op | None:
    try:
        return find(slug) if slug else None
    except UnknownOp:
        return None


def from_link(asked: QueryDict, devices: list[Offer]) -> dict[str, object]:
    """`?op=`, `?starter=torch|triton`, `?device=`, `?competition=`. Nonsense is left out; intake judges the competition."""
    op, competition = op_of(asked.get("op", "")), asked.get("competition", "")
    wanted = asked.get("device") or next((offer.slug for offer in devices if offer.workers), devices[0].slug)
    return {
        "op": op.slug if op else "",
        "source": op.starters.get(asked.get("starter", ""), "") if op else "",
        "device": [wanted],
        "competition": competition,
        "visibility": Visibility.PRIVATE if competition else Visibility.PUBLIC,
    }


def from_earlier(reader: Reader, earlier: Submission) -> dict[str, object]:
    """All that was handed in then. What an author says of themselves (visibility, agent) is taken from their own alone.

    What was handed in to a competition goes there again while it is open. Later the copy is private unless its author chooses otherwise.
    """
    runs = list(earlier.evaluations.filter(purpose=Purpose.HAND_IN).only("device", "mode", "seed", "policy", "timer").order_by("pk"))
    built = {str(kind) for kind in available_kernel_types()}
    filled: dict[str, object] = {
        "op": earlier.op if op_of(earlier.op) else "",
        "source": earlier.source,
        "kernel_type": earlier.kernel_type if earlier.kernel_type in built else "",
        "filename": earlier.filename,
        "device": [run.device for run in runs],
        "parent": earlier.pk,
    }
    if runs:
        terms = runs[0].terms
        filled |= {"mode": terms.mode.value, "seed": terms.seed, "policy": terms.policy.value, "timer": terms.timer.value}
    if reader.pk == earlier.author_id:
        filled |= {"visibility": earlier.visibility, "agent": earlier.agent}
    if earlier.competition is not None:
        filled["visibility"] = Visibility.PRIVATE
        filled["competition"] = earlier.competition.slug if earlier.competition in open_to_enter(reader) else ""
    return filled
