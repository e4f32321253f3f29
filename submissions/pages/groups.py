"""`/groups/`, `/groups/<slug>/`, `/join/<key>/`: my groups, one of them with its people and links, and following a link."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from submissions.competitions import groups as acts
from submissions.competitions.access import access_group, may_manage, visible_groups
from submissions.competitions.invitations import DAYS, DeadInvitation, invite, live_invitation, revoke
from submissions.competitions.invitations import join as follow
from submissions.competitions.models import MAX_ABOUT, Group, Invitation
from submissions.pages.way_back import login_required
from submissions.readers import is_staff


class GroupForm(forms.Form):
    name = forms.CharField(label="Name", max_length=80)
    about = forms.CharField(label="What it is for", required=False, max_length=MAX_ABOUT, widget=forms.Textarea(attrs={"rows": 3}))


class InviteForm(forms.Form):
    """The group's competitions that are not closed come from the caller."""

    days = forms.TypedChoiceField(
        label="Works for", coerce=int, initial=7, choices=[(days, f"{days} day{'s' if days > 1 else ''}") for days in DAYS]
    )
    competition = forms.ChoiceField(label="Leads to", required=False)

    def __init__(self, *args: object, group: Group, **kwargs: object) -> None:
        super().__init__(*args, **kwargs, label_suffix="")  # type: ignore[arg-type, misc]
        field = self.fields["competition"]
        assert isinstance(field, forms.ChoiceField)
        running = group.competitions.filter(closes_at__gt=timezone.now())
        field.choices = [("", "the group's page"), *running.values_list("slug", "title")]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def groups(request: HttpRequest) -> HttpResponse:
    """My groups, and a form that makes one."""
    form = GroupForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            made = acts.make_group(_signed_in(request), **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("group", made.pk)
    mine = visible_groups(request.user).annotate(members=Count("memberships", distinct=True), held=Count("competitions", distinct=True))
    context = {"section": "competitions", "groups": mine, "form": form}
    return render(request, "submissions/groups.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_safe
def group(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, access_group(request.user, slug))


@login_required
@require_POST
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """A new name or description."""
    form = GroupForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, access_group(request.user, slug), form=form, status=422)
    with refusals_told(request):
        acts.change_group(_signed_in(request), slug, **form.cleaned_data)
        messages.success(request, "Changed.")
    return redirect("group", slug)


@login_required
@require_POST
def make_link(request: HttpRequest, slug: str) -> HttpResponse:
    """A new invitation link."""
    found = access_group(request.user, slug)
    form = InviteForm(request.POST, group=found)
    if not form.is_valid():
        return _page(request, found, invite_form=form, status=422)
    with refusals_told(request):
        invite(_signed_in(request), slug, **form.cleaned_data)
        messages.success(request, "The new link stands below. Send it to whom you invite.")
    return redirect("group", slug)


@login_required
@require_POST
def revoke_link(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    with refusals_told(request):
        revoke(_signed_in(request), slug, key)
        messages.success(request, "The link works no more. Who came by it stays.")
    return redirect("group", slug)


@login_required
@require_POST
def remove(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    with refusals_told(request):
        removed = acts.remove(_signed_in(request), slug, member_id)
        messages.success(request, f"{removed.user} does not belong to the group any more.")
    return redirect("group", slug)


@login_required
@require_POST
def make_owner(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    with refusals_told(request):
        owner = acts.make_owner(_signed_in(request), slug, member_id)
        messages.success(request, f"{owner.user} owns the group, too.")
    return redirect("group", slug)


@login_required
@require_POST
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    with refusals_told(request):
        left = acts.leave(_signed_in(request), slug)
        messages.success(request, f"You have left {left.name}.")
        return redirect("groups")
    return redirect("group", slug)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """What a link invites to; with POST, go in. Looking changes nothing."""
    try:
        invitation = live_invitation(key)
        if request.method == "POST" and request.user.is_authenticated:
            follow(request.user, key)
            messages.success(request, f"You belong to {invitation.group.name} now.")
            return redirect(_leads_to(invitation))
    except DeadInvitation as error:
        return render(request, "submissions/invitation_over.html", {"said": str(error), "section": "competitions"}, status=410)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    member = visible_groups(request.user).filter(pk=invitation.group_id).exists()
    if member and request.method != "POST" and not is_staff(request.user):
        return redirect(_leads_to(invitation))
    people = invitation.group.memberships.count()
    return render(request, "submissions/join.html", {"invitation": invitation, "people": people, "section": "competitions"})


def _leads_to(invitation: Invitation) -> str:
    if invitation.competition is not None:
        return reverse("competition", args=[invitation.competition.slug])
    return reverse("group", args=[invitation.group_id])


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """What is refused inside is said on the page that is shown next."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except PermissionDenied as error:
        messages.error(request, str(error))


def _page(
    request: HttpRequest, found: Group, *, form: GroupForm | None = None, invite_form: InviteForm | None = None, status: int = 200
) -> HttpResponse:
    manages = may_manage(request.user, found)
    context: dict[str, object] = {
        "section": "competitions",
        "group": found,
        "members": list(found.memberships.select_related("user")),
        "competitions": found.competitions.all(),
        "manages": manages,
    }
    if manages:
        context |= {
            "form": form or GroupForm(initial={"name": found.name, "about": found.about}, label_suffix=""),
            "invite_form": invite_form or InviteForm(group=found),
            "links": [
                (link, request.build_absolute_uri(reverse("join", args=[link.pk])))
                for link in found.invitations.filter(revoked_at=None, expires_at__gt=timezone.now()).select_related("competition")
            ],
        }
    return render(request, "submissions/group.html", context, status=status)


def _signed_in(request: HttpRequest) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)  # login_required saw to it
    return request.user
