"""Whose entries a board shows: everybody's, those of a competition, those of a group's members. A filter like the others, with a door.

`?competition=` chooses other entries, which are ranked among themselves; `?group=` hides rows and leaves ranks as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Max
from django.http import Http404

from evaluator.contract import EPOCH
from leaderboard.models import Entry
from submissions.competitions.access import access_competition, access_group, member_ids
from submissions.competitions.models import Competition, Group, Phase
from submissions.readers import Reader


@dataclass(frozen=True, slots=True)
class Scope:
    """What was asked for and may be seen. `members` None: nobody is hidden."""

    competition: Competition | None = None
    group: Group | None = None
    members: frozenset[int] | None = None

    @property
    def competition_id(self) -> int | None:
        return self.competition.pk if self.competition else None

    @property
    def sources_are_open(self) -> bool:
        """Whether the competition has closed: whoever sees its boards may then read what stands there."""
        return self.competition is not None and self.competition.phase is Phase.CLOSED

    def shows(self, author_id: int) -> bool:
        return self.members is None or author_id in self.members


EVERYBODY = Scope()


def scope_for(reader: Reader, op: str, device: str, *, competition: str = "", group: str = "") -> Scope:
    """The scope that these slugs name (empty: none). Raises `Http404` for what `reader` may not see, or what has no such board."""
    if not competition and not group:
        return EVERYBODY
    held = access_competition(reader, competition) if competition else None
    if held is not None and (op, device) not in held.boards:
        raise Http404(f"{held.title} has no board of {op} on {device}.")
    people = access_group(reader, group) if group else None
    return Scope(held, people, member_ids(people) if people else None)


def epoch_of(competition_id: int) -> int:
    """The epoch that a competition ranks: of its newest entries, so that one that has closed stays to read."""
    newest = Entry.objects.filter(competition=competition_id).aggregate(epoch=Max("epoch"))["epoch"]
    return newest or EPOCH
