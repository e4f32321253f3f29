"""Make and change groups, and who belongs to them. Each function is one act of one person, in one transaction.

Raises `Http404` for a group that the person may not see, `PermissionDenied` for what is the owners' alone, `ValidationError` for what
cannot be.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection, transaction

from submissions.competitions.access import access_group, may_manage
from submissions.competitions.models import Group, Membership
from submissions.readers import is_staff

MAX_OWNED = 20
"""Groups that one person may own."""


@transaction.atomic
def make_group(owner: AbstractBaseUser, name: str, about: str = "") -> Group:
    """A new group that `owner` owns and alone belongs to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('kb.groups'), %s)", [owner.pk])
    if Membership.objects.filter(user_id=owner.pk, is_owner=True).count() >= MAX_OWNED:
        raise ValidationError(f"You own {MAX_OWNED} groups; more are not taken.")
    group = Group(name=name.strip(), about=about.strip())
    group.full_clean()
    group.save()
    Membership.objects.create(group=group, user_id=owner.pk, is_owner=True)
    return group


@transaction.atomic
def change_group(user: AbstractBaseUser, slug: str, name: str, about: str) -> Group:
    group = manageable(user, slug)
    group.name, group.about = name.strip(), about.strip()
    group.full_clean()
    group.save(update_fields=["name", "about"])
    return group


@transaction.atomic
def leave(user: AbstractBaseUser, slug: str) -> Group:
    """What they handed in to its competitions stays there. The last owner cannot leave."""
    group = _locked(access_group(user, slug))
    membership = _membership(group, user.pk)
    if membership.is_owner and not group.memberships.filter(is_owner=True).exclude(pk=membership.pk).exists():
        raise ValidationError("A group needs an owner. Make somebody else one first, then leave.")
    membership.delete()
    return group


@transaction.atomic
def remove(user: AbstractBaseUser, slug: str, member_id: int) -> Membership:
    """Take somebody out of the group. Owners are taken out by staff alone; they leave by themselves."""
    group = _locked(manageable(user, slug))
    membership = _membership(group, member_id)
    if membership.is_owner and not is_staff(user):
        raise PermissionDenied("An owner leaves by themselves, or is removed by staff.")
    membership.delete()
    return membership


@transaction.atomic
def make_owner(user: AbstractBaseUser, slug: str, member_id: int) -> Membership:
    """Let a member own the group, too."""
    group = _locked(manageable(user, slug))
    membership = _membership(group, member_id)
    membership.is_owner = True
    membership.save(update_fields=["is_owner"])
    return membership


def manageable(user: AbstractBaseUser, slug: str) -> Group:
    """The group, for who manages it."""
    group = access_group(user, slug)
    if not may_manage(user, group):
        raise PermissionDenied("Only an owner of the group may do this.")
    return group


def _locked(group: Group) -> Group:
    """Changes of one group's people happen one after the other."""
    return Group.objects.select_for_update().get(pk=group.pk)


def _membership(group: Group, user_id: int) -> Membership:
    found = group.memberships.select_related("user").filter(user_id=user_id).first()
    if found is None:
        raise ValidationError("This person does not belong to the group any more.")
    return found
