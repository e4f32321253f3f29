"""The account page, change of mail and password, and the page that deletes the account."""

from __future__ import annotations

import re
import time

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client

from kbweb.accounts.recent import KEY
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.conftest import signed_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted

PASSWORD = "a long enough password"
DELETE = "/me/account/delete/"


@pytest.fixture(autouse=True)
def _no_tries_before() -> None:
    cache.clear()


def test_a_new_mail_address_counts_when_its_link_was_opened(as_alice: Client, alice: User) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    as_alice.post("/accounts/reauthenticate/", {"password": PASSWORD})
    as_alice.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    page = as_alice.get("/accounts/email/").content.decode()
    assert not faults(page)
    assert "new@example.org" in page
    assert User.objects.get().email == "alice@example.org"

    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
    assert link
    confirm = as_alice.get(link[1])
    assert not faults(confirm.content.decode())
    as_alice.post(link[1])

    assert User.objects.get().email == "new@example.org"
    assert "new@example.org" in as_alice.get("/me/account/").content.decode()


def test_a_stolen_session_cannot_change_the_mail_address(as_alice: Client) -> None:
    answer = as_alice.post("/accounts/email/", {"email": "thief@example.org", "action_add": ""}, follow=True)

    assert answer.redirect_chain[0][0].startswith("/accounts/reauthenticate/")
    assert not faults(answer.content.decode())
    assert not EmailAddress.objects.filter(email="thief@example.org").exists()


def test_the_password_is_changed_with_the_old_one_and_the_owner_told(as_alice: Client, alice: User) -> None:
    new = {"password1": "another long password", "password2": "another long password"}

    wrong = as_alice.post("/accounts/password/change/", {"oldpassword": "guess", **new})
    as_alice.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new})

    assert not faults(wrong.content.decode())
    assert User.objects.get().check_password("another long password")
    assert mail.outbox[-1].to == ["alice@example.org"]


def test_who_has_no_password_may_set_one(alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    client = signed_in(alice)

    page = client.get("/accounts/password/change/", follow=True).content.decode()
    client.post("/accounts/password/set/", {"password1": "another long password", "password2": "another long password"})

    assert not faults(page)
    assert User.objects.get().has_usable_password()


@pytest.mark.parametrize("name", ["deleted-abc", "Deleted-x", "examples", "torch_eager"])
def test_names_that_mean_something_else_cannot_be_taken(client: Client, name: str) -> None:
    page = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD, "password2": PASSWORD})

    assert not faults(page.content.decode())
    assert not User.objects.exists()


def test_deleting_says_what_goes_and_asks_for_name_and_password(as_alice: Client, alice: User) -> None:
    finish(evaluation_of(hand_in(alice)), accepted(1.3))
    hand_in(alice, visibility="private")
    page = as_alice.get(DELETE).content.decode()
    assert not faults(page)
    assert "1 submission: the private ones" in page
    assert "1 public submission on which" in page

    for given in ({"name": "alice", "password": "guess"}, {"name": "bob", "password": PASSWORD}, {}):
        assert as_alice.post(DELETE, given).status_code == 422
    assert User.objects.filter(username="alice").exists()
    done = as_alice.post(DELETE, {"name": "alice", "password": PASSWORD})

    assert not faults(done.content.decode())
    assert "The account is deleted" in done.content.decode()
    assert not User.objects.filter(username="alice").exists()
    assert as_alice.get("/me/").status_code == 302
    assert "deleted-" in Client().get("/ops/softmax/cpu/").content.decode()


def test_another_session_of_the_account_ends_with_it(as_alice: Client, alice: User) -> None:
    elsewhere = signed_in(alice)

    as_alice.post(DELETE, {"name": "alice", "password": PASSWORD})

    assert elsewhere.get("/me/").status_code == 302


def test_without_a_password_a_fresh_sign_in_is_asked_for(alice: User) -> None:
    alice.set_unusable_password()
    alice.save()
    client = signed_in(alice)
    session = client.session
    session[KEY] = int(time.time()) - 3600
    session.save()

    page = client.get(DELETE).content.decode()
    refused = client.post(DELETE, {"name": "alice"})
    assert not faults(page)
    assert "Sign out and in again" in page
    assert (refused.status_code, User.objects.count()) == (422, 1)

    assert "Delete my account for good" in signed_in(alice).get(DELETE).content.decode()
    signed_in(alice).post(DELETE, {"name": "alice"})
    assert not User.objects.exists()


def test_passwords_cannot_be_guessed_there(as_alice: Client) -> None:
    statuses = [as_alice.post(DELETE, {"name": "alice", "password": str(n)}).status_code for n in range(11)]

    assert statuses[-1] == 429
    assert as_alice.post(DELETE, {"name": "alice", "password": PASSWORD}).status_code == 429


def test_the_last_administrator_is_told(alice: User) -> None:
    User.objects.update(is_superuser=True)
    client = signed_in(User.objects.get())

    assert "only administrator" in client.get(DELETE).content.decode()
    assert client.post(DELETE, {"name": "alice", "password": PASSWORD}).status_code == 422
    assert User.objects.exists()
