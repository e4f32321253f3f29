"""Groups and their links: made, followed, revoked, left."""

from __future__ import annotations

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from submissions.competitions.groups import MAX_OWNED, make_group
from submissions.competitions.invitations import MAX_LIVE, invite
from submissions.competitions.models import Competition, Group, Invitation, Membership
from tests.competitions.conftest import client_of


@pytest.fixture
def link(lab: Group, alice: User, private: Competition) -> Invitation:
    """To the competition."""
    return invite(alice, lab.pk, days=7, competition=private.slug)


def members(group: Group) -> set[str]:
    return set(group.memberships.values_list("user__username", flat=True))


def test_whoever_is_signed_in_makes_a_group_and_owns_it(dana: User) -> None:
    answer = client_of(dana).post("/groups/", {"name": "Night shift", "about": ""})

    group = Group.objects.get()
    assert answer.headers["Location"] == f"/groups/{group.pk}/"
    assert group.slug.startswith("night-shift-")
    assert Membership.objects.get().is_owner


def test_names_tell_nothing_of_others_groups(lab: Group, dana: User) -> None:
    again = make_group(dana, lab.name)

    assert again.slug != lab.slug


@pytest.mark.parametrize("sent", [{"name": " "}, {"name": "x" * 81}, {"name": "x", "about": "y" * 2001}])
def test_a_wrong_name_is_said_and_nothing_made(dana: User, sent: dict[str, str]) -> None:
    assert client_of(dana).post("/groups/", sent).status_code == 422
    assert not Group.objects.exists()


def test_nobody_owns_groups_without_end(dana: User) -> None:
    for number in range(MAX_OWNED):
        make_group(dana, f"group {number}")

    answer = client_of(dana).post("/groups/", {"name": "one more"})

    assert "more are not taken" in answer.content.decode()
    assert Group.objects.count() == MAX_OWNED


def test_following_a_link_leads_to_the_competition(lab: Group, link: Invitation, private: Competition, dana: User) -> None:
    client = client_of(dana)
    page = client.get(f"/join/{link.pk}/")
    before = members(lab)

    answer = client.post(f"/join/{link.pk}/")

    assert private.title in page.content.decode()
    assert "dana" not in before  # looking changes nothing
    assert answer.headers["Location"] == f"/competitions/{private.slug}/"
    assert members(lab) == {"alice", "bob", "dana"}
    link.refresh_from_db()
    assert link.used == 1


def test_following_it_twice_changes_nothing(lab: Group, link: Invitation, alice: User) -> None:
    client_of(alice).post(f"/join/{link.pk}/")

    assert Membership.objects.get(user=alice).is_owner
    link.refresh_from_db()
    assert link.used == 0


def test_a_visitor_is_sent_to_sign_in_and_back(client: Client, link: Invitation) -> None:
    page = client.get(f"/join/{link.pk}/").content.decode()

    assert f"/accounts/login/?next=/join/{link.pk}/" in page
    assert client.post(f"/join/{link.pk}/").status_code == 200
    assert link.group.memberships.count() == 2


@pytest.mark.parametrize("how", ["expired", "revoked"])
def test_a_link_that_is_over_lets_nobody_in_and_tells_nothing(link: Invitation, alice: User, dana: User, how: str) -> None:
    if how == "revoked":
        client_of(alice).post(f"/groups/{link.group_id}/links/{link.pk}/revoke/")
    else:
        Invitation.objects.update(expires_at=timezone.now())
    client = client_of(dana)

    for answer in (client.get(f"/join/{link.pk}/"), client.post(f"/join/{link.pk}/")):
        assert answer.status_code == 410
        assert link.group.name not in answer.content.decode()
    over = client.post(f"/api/v1/invitations/{link.pk}/accept")
    assert (over.status_code, over.headers["Content-Type"]) == (410, "application/problem+json")
    assert "Ask whoever sent it" in over.json()["detail"]
    assert not link.group.memberships.filter(user=dana).exists()


def test_a_key_that_never_was_is_not_found(dana: User) -> None:
    assert client_of(dana).get("/join/nothing/").status_code == 404
    assert client_of(dana).post("/api/v1/invitations/nothing/accept").status_code == 404


def test_joining_over_rest(link: Invitation, private: Competition, dana: User, client: Client) -> None:
    refused = client.post(f"/api/v1/invitations/{link.pk}/accept")
    made = client_of(dana).post(f"/api/v1/invitations/{link.pk}/accept")

    assert refused.status_code == 401
    assert made.json()["competition"] == private.slug
    assert made.json()["url"].endswith(f"/competitions/{private.slug}/")
    shown = client_of(dana).get(f"/api/v1/groups/{link.group_id}").json()
    assert [member["username"] for member in shown["members"]] == ["alice", "bob", "dana"]
    assert shown["competitions"] == [private.slug]


def test_a_link_of_another_groups_competition_is_refused(lab: Group, alice: User, dana: User, private: Competition) -> None:
    other = make_group(dana, "Another")

    answer = client_of(dana).post(f"/groups/{other.pk}/links/", {"days": "7", "competition": private.slug})

    assert answer.status_code == 422
    assert not Invitation.objects.exists()


def test_links_do_not_pile_up(lab: Group, alice: User) -> None:
    for _ in range(MAX_LIVE):
        invite(alice, lab.pk, days=1)

    answer = client_of(alice).post(f"/groups/{lab.pk}/links/", {"days": "1", "competition": ""}, follow=True)

    assert "Revoke one first" in answer.content.decode()
    assert lab.invitations.count() == MAX_LIVE


def test_the_last_owner_stays_until_somebody_else_owns_it(lab: Group, alice: User, bob: User) -> None:
    client = client_of(alice)

    refused = client.post(f"/groups/{lab.pk}/leave/", follow=True)
    client.post(f"/groups/{lab.pk}/members/{bob.pk}/owner/")
    client.post(f"/groups/{lab.pk}/leave/")

    assert "Make somebody else one first" in refused.content.decode()
    assert members(lab) == {"bob"}


def test_an_owner_is_not_removed_by_another(lab: Group, alice: User, bob: User) -> None:
    client_of(alice).post(f"/groups/{lab.pk}/members/{bob.pk}/owner/")

    answer = client_of(bob).post(f"/groups/{lab.pk}/members/{alice.pk}/remove/", follow=True)

    assert "An owner leaves by themselves" in answer.content.decode()
    assert members(lab) == {"alice", "bob"}


def test_who_was_removed_comes_back_by_a_link_alone(lab: Group, link: Invitation, alice: User, bob: User, private: Competition) -> None:
    client_of(alice).post(f"/groups/{lab.pk}/members/{bob.pk}/remove/")
    gone = client_of(bob).get(f"/competitions/{private.slug}/")

    client_of(bob).post(f"/join/{link.pk}/")

    assert gone.status_code == 404
    assert client_of(bob).get(f"/competitions/{private.slug}/").status_code == 200


def test_a_group_outlives_the_account_of_its_owner(lab: Group, alice: User, bob: User, private: Competition) -> None:
    alice.delete()

    assert members(lab) == {"bob"}
    assert client_of(bob).get(f"/competitions/{private.slug}/").status_code == 200


def test_days_of_a_link(lab: Group, alice: User) -> None:
    found = invite(alice, lab.pk, days=1)

    assert abs(found.expires_at - timezone.now() - dt.timedelta(days=1)) < dt.timedelta(minutes=1)
    assert client_of(alice).post(f"/groups/{lab.pk}/links/", {"days": "1000", "competition": ""}).status_code == 422
