"""A one-time sign-in link works once, for a while, for an active account."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from kbweb.models import SignInKey
from kbweb.signin import issue

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def path(link: str) -> str:
    return urlsplit(link).path


def test_it_signs_in_once(alice: User, client: Client) -> None:
    link = path(issue(alice))

    first = client.get(link)
    again = Client().get(link)

    assert (first.status_code, first.headers["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(alice.pk)
    assert again.status_code == 410
    assert b"does not work any more" in again.content


def test_only_a_hash_of_the_key_is_stored(alice: User) -> None:
    link = issue(alice)

    assert SignInKey.objects.get().sha256 not in link
    assert path(link).strip("/").split("/")[-1] not in str(SignInKey.objects.values_list())


def test_an_expired_one_does_not_work(alice: User, client: Client) -> None:
    link = path(issue(alice, timedelta(seconds=-1)))

    assert client.get(link).status_code == 410


def test_a_disabled_account_does_not_get_in(alice: User, client: Client) -> None:
    link = path(issue(alice))
    User.objects.update(is_active=False)

    assert client.get(link).status_code == 410


def test_a_head_request_does_not_use_it_up(alice: User, client: Client) -> None:
    link = path(issue(alice))

    assert client.head(link).status_code == 405
    assert client.get(link).status_code == 302


@pytest.mark.parametrize(("target", "goes_to"), [("/ops/", "/ops/"), ("https://evil.example/", "/"), ("//evil.example", "/")])
def test_it_goes_on_only_within_the_site(alice: User, client: Client, target: str, goes_to: str) -> None:
    response = client.get(path(issue(alice)), {"next": target})

    assert response.headers["Location"] == goes_to
