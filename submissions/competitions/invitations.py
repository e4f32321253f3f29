"""Links that let people into a group: made, revoked, followed."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.utils import timezone

from submissions.competitions.groups import manageable
from submissions.competitions.models import Group, Invitation, Membership

MAX_LIVE = 20
"""Links of one group that work at the same time."""
MAX_MEMBERS = 500
DAYS = (1, 7, 30, 90)


class DeadInvitation(Exception):
    """The link has expired or was revoked. It tells nothing of the group."""


@transaction.atomic
def invite(user: AbstractBaseUser, slug: str, *, days: int, competition: str = "") -> Invitation:
    """A new link to the group; with the slug of one of its competitions it leads there."""
    group = manageable(user, slug)
    if days not in DAYS:
        raise ValidationError({"days": f"A link works for {', '.join(map(str, DAYS))} days."})
    target = group.competitions.filter(slug=competition).first() if competition else None
    if competition and target is None:
        raise ValidationError({"competition": "The group has no such competition."})
    Group.objects.select_for_update().get(pk=group.pk)
    now = timezone.now()
    if group.invitations.filter(revoked_at=None, expires_at__gt=now).count() >= MAX_LIVE:
        raise ValidationError(f"{MAX_LIVE} links work at the moment. Revoke one first.")
    return Invitation.objects.create(group=group, competition=target, expires_at=now + dt.timedelta(days=days))


def revoke(user: AbstractBaseUser, slug: str, key: str) -> None:
    """The link works no more; who came by it stays."""
    group = manageable(user, slug)
    group.invitations.filter(pk=key, revoked_at=None).update(revoked_at=timezone.now())


def live_invitation(key: str) -> Invitation:
    """The invitation behind a link. Raises `Http404` for a key that never was one, `DeadInvitation` for one that is over."""
    found = Invitation.objects.select_related("group", "competition").filter(pk=key).first() if "\0" not in key else None
    if found is None:
        raise Http404("There is no such invitation. Was the link copied whole?")
    if not found.is_live(timezone.now()):
        raise DeadInvitation("This invitation has expired or was revoked. Ask whoever sent it for a new one.")
    return found


@transaction.atomic
def join(user: AbstractBaseUser, key: str) -> Invitation:
    """Make `user` a member of the group; who is one already stays what they are. Raises as `live_invitation`, and `ValidationError`."""
    invitation = live_invitation(key)
    group = Group.objects.select_for_update().get(pk=invitation.group_id)
    if group.memberships.filter(user_id=user.pk).exists():
        return invitation
    if group.memberships.count() >= MAX_MEMBERS:
        raise ValidationError(f"The group has {MAX_MEMBERS} members, which is as many as a group takes.")
    Membership.objects.create(group=group, user_id=user.pk)
    Invitation.objects.filter(pk=invitation.pk).update(used=F("used") + 1)
    return invitation
