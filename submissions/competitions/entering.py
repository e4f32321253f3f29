"""Hand in to a competition: whether it takes something now, from this person, for this op on these devices."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.utils import timezone

from evaluator.contract import Mode
from submissions.competitions.access import competitions_to_enter, visible_competitions
from submissions.competitions.models import Competition, Phase
from submissions.intake_errors import IntakeError
from submissions.readers import Reader

Errors = dict[str, list[str]]


def wanted_competition(author: Reader, slug: str, *, op: str, devices: Iterable[str], mode: str) -> tuple[Competition | None, Errors]:
    """The competition that a hand-in names, and what is wrong with handing this in to it whatever the time."""
    found = visible_competitions(author).filter(slug=slug).first() if "\0" not in slug else None
    if found is None:
        return None, {"competition": [f"There is no competition {slug[:80]!r}, or it is by invitation and you are not invited."]}
    if not competitions_to_enter(author).filter(pk=found.pk).exists():
        return found, {"competition": [f"{found.title} is by invitation: only members of its group hand in. Ask an owner for a link."]}
    wrong = []
    if op not in found.ops:
        wrong.append(f"{found.title} does not cover op {op[:80]!r}. It covers {', '.join(found.ops)}.")
    if left := [device for device in devices if device not in found.devices]:
        wrong.append(f"{found.title} is not held on {', '.join(left)[:120]}. It is held on {', '.join(found.devices)}.")
    if mode != Mode.RANKED:
        wrong.append("Only mode ranked counts in a competition. To try something, hand it in as private without the competition.")
    return found, {"competition": wrong} if wrong else {}


def check_open(competition: Competition, now: dt.datetime) -> None:
    """Raises `IntakeError` unless the competition is open at `now`."""
    phase = competition.phase_at(now)
    if phase is Phase.COMING:
        said = f"{competition.title} is not open yet: it opens at {_utc(competition.opens_at)}. Hand it in then."
    elif phase is Phase.CLOSED:
        said = f"{competition.title} closed at {_utc(competition.closes_at)}. Hand it in without it: the op's own board is always open."
    else:
        return
    raise IntakeError({"competition": [said]})


def open_to_enter(author: Reader) -> list[Competition]:
    """The competitions that `author` may hand in to now, the one that closes first at the front."""
    return list(competitions_to_enter(author).in_phase(Phase.OPEN, timezone.now()).order_by("closes_at", "pk"))


def _utc(moment: dt.datetime) -> str:
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S} UTC"
