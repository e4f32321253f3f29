"""Who may see and do what with groups and competitions: the only door to them, as `submissions/access.py` is to submissions.

What a reader may not see does not exist for them. Staff see and manage all; to take part by invitation they must be members like others.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import Http404

from submissions.competitions.models import Admission, Competition, CompetitionQuerySet, Group, Membership
from submissions.readers import Reader, is_staff


def visible_groups(user: Reader) -> QuerySet[Group]:
    """Groups that `user` belongs to; for staff all."""
    return Group.objects.all() if is_staff(user) else Group.objects.filter(pk__in=_groups_of(user))


def visible_competitions(user: Reader) -> CompetitionQuerySet:
    """Public competitions, and those of the groups that `user` belongs to. Usable as a subquery: no joins."""
    if is_staff(user):
        return Competition.objects.all()
    return Competition.objects.filter(Q(admission=Admission.PUBLIC) | Q(group_id__in=_groups_of(user)))


def groups_to_manage(user: Reader) -> QuerySet[Group]:
    """Groups in which `user` may make competitions."""
    return Group.objects.all() if is_staff(user) else Group.objects.filter(pk__in=_groups_of(user).filter(is_owner=True))


def access_group(user: Reader, slug: str) -> Group:
    """The group, if `user` may see it. Raises `Http404`."""
    found = visible_groups(user).filter(pk=slug).first() if "\0" not in slug else None
    if found is None:
        raise Http404(f"There is no group {slug[:80]!r}, or you do not belong to it.")
    return found


def access_competition(user: Reader, slug: str) -> Competition:
    """The competition, if `user` may see it. Raises `Http404`."""
    found = visible_competitions(user).select_related("group").filter(slug=slug).first() if "\0" not in slug else None
    if found is None:
        raise Http404(f"There is no competition {slug[:80]!r}, or it is by invitation and you are not invited.")
    return found


def competition_of(user: Reader, competition_id: int | None) -> Competition | None:
    """The competition of a submission, if `user` may see it. Its author may have left the group since."""
    return visible_competitions(user).filter(pk=competition_id).first() if competition_id is not None else None


def may_take_part(user: Reader, competition: Competition) -> bool:
    """Whether `user` may hand in to it while it is open."""
    return user.is_authenticated and (competition.is_public or _groups_of(user).filter(group_id=competition.group_id).exists())


def may_manage(user: Reader, group: Group) -> bool:
    """Whether `user` may invite and remove people and make competitions of the group."""
    return is_staff(user) or _groups_of(user).filter(group=group, is_owner=True).exists()


def may_change(user: Reader, competition: Competition) -> bool:
    """Whoever manages its group; one without a group is staff's."""
    return is_staff(user) or (competition.group is not None and may_manage(user, competition.group))


def competitions_to_enter(user: Reader) -> CompetitionQuerySet:
    """Those that `user` may take part in, in whatever phase."""
    if not user.is_authenticated:
        return Competition.objects.none()
    return Competition.objects.filter(Q(admission=Admission.PUBLIC) | Q(group_id__in=_groups_of(user)))


def member_ids(group: Group) -> frozenset[int]:
    """Whose entries a board filtered by the group shows."""
    return frozenset(Membership.objects.filter(group=group).values_list("user_id", flat=True))


def _groups_of(user: Reader) -> QuerySet[Membership, str]:
    """Slugs of the groups that `user` belongs to."""
    mine = Membership.objects.filter(user_id=user.pk) if user.is_authenticated else Membership.objects.none()
    return mine.order_by().values_list("group_id", flat=True)
