"""Make and change competitions.

Before it opens everything can be changed. From then on people rely on it: its ops, devices and opening stay, and it may only close later;
staff may end it early.
Once it is closed sources are open to read, so it never opens again; title and rules can be changed at any time.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils import timezone

from submissions.competitions.access import access_competition, may_change
from submissions.competitions.groups import manageable
from submissions.competitions.models import Admission, Competition, Group, Phase
from submissions.readers import is_staff

MAX_COMPETITIONS = 50
"""Competitions of one group that are not closed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser decides."""

    title: str
    admission: str
    ops: tuple[str, ...]
    devices: tuple[str, ...]
    opens_at: dt.datetime
    closes_at: dt.datetime
    rules: str = ""


@transaction.atomic
def make_competition(user: AbstractBaseUser, group_slug: str, plan: Plan) -> Competition:
    """A new competition of a group, by its owners; without a group a public one of the site's, by staff.

    Raises `ValidationError` with the wrong fields, `PermissionDenied`.
    """
    group = None
    if group_slug:
        group = manageable(user, group_slug)
        Group.objects.select_for_update().get(pk=group.pk)
        if group.competitions.filter(closes_at__gt=timezone.now()).count() >= MAX_COMPETITIONS:
            raise ValidationError(f"The group has {MAX_COMPETITIONS} competitions that are coming or open; more are not taken.")
    elif not is_staff(user):
        raise PermissionDenied("Staff alone make competitions without a group.")
    _check_admission(user, plan)
    if plan.closes_at <= timezone.now():
        raise ValidationError({"closes_at": "This moment has passed. Times are in UTC."})
    competition = Competition(group=group)
    _fill(competition, plan)
    competition.full_clean()
    competition.save()
    return competition


@transaction.atomic
def change_competition(user: AbstractBaseUser, slug: str, plan: Plan) -> Competition:
    """Change what may still be changed. Raises as `make_competition`, and `Http404`."""
    seen = access_competition(user, slug)
    if not may_change(user, seen):
        raise PermissionDenied("Only whoever organises a competition may change it.")
    competition = Competition.objects.select_for_update(of=("self",)).select_related("group").get(pk=seen.pk)
    opens_at, closes_at = _stays(plan.opens_at, competition.opens_at), _stays(plan.closes_at, competition.closes_at)
    plan = dataclasses.replace(plan, opens_at=opens_at, closes_at=closes_at)
    if plan.admission != competition.admission:
        _check_admission(user, plan)
    if errors := _too_late(competition, plan, timezone.now(), by_staff=is_staff(user)):
        raise ValidationError(errors)
    _fill(competition, plan)
    competition.full_clean()
    competition.save()
    return competition


def _too_late(competition: Competition, plan: Plan, now: dt.datetime, *, by_staff: bool) -> dict[str, str]:
    """What may not be changed any more, by field."""
    phase = competition.phase_at(now)
    if phase is Phase.COMING:
        return {"closes_at": "This moment has passed. Times are in UTC."} if plan.closes_at <= now else {}
    errors = {}
    if plan.admission != competition.admission:
        errors["admission"] = f"It is {phase}: who may see it stays as it is."
    if list(plan.ops) != competition.ops:
        errors["ops"] = f"It is {phase}: its ops stay as they are."
    if list(plan.devices) != competition.devices:
        errors["devices"] = f"It is {phase}: its devices stay as they are."
    if plan.opens_at != competition.opens_at:
        errors["opens_at"] = f"It is {phase}: its opening stays as it is."
    if phase is Phase.CLOSED:
        if plan.closes_at != competition.closes_at:
            errors["closes_at"] = "It is closed and its sources are open to read: it cannot be opened again."
    elif plan.closes_at <= now:
        errors["closes_at"] = "This moment has passed. Times are in UTC."
    elif plan.closes_at < competition.closes_at and not by_staff:
        errors["closes_at"] = "It is open, and people rely on its time: it may close later, not earlier."
    return errors


def _stays(planned: dt.datetime, held: dt.datetime) -> dt.datetime:
    """The moment that is held, where it was planned to the minute: forms show no seconds, and must not change what they do not show."""
    return held if planned == held.replace(second=0, microsecond=0) else planned


def _check_admission(user: AbstractBaseUser, plan: Plan) -> None:
    if plan.admission == Admission.PUBLIC and not is_staff(user):
        raise ValidationError({"admission": "Staff alone make a competition public. Choose by invitation."})


def _fill(competition: Competition, plan: Plan) -> None:
    competition.title = plan.title.strip()
    competition.admission = plan.admission
    competition.ops, competition.devices = list(plan.ops), list(plan.devices)
    competition.opens_at, competition.closes_at = plan.opens_at, plan.closes_at
    competition.rules = plan.rules.replace("\r\n", "\n").strip()
