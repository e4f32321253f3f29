"""API tokens: shown once, listed, revoked."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from kbweb.models import Token
from tests.pages.conftest import signed_in

PAGE = "/me/tokens/"
NEW = {"name": "laptop", "may": ["submit"], "agent": "", "days": "30"}


def test_a_token_is_shown_once_and_works(as_alice: Client, client: Client) -> None:
    answer = as_alice.post(PAGE, NEW).content.decode()

    found = re.search(r'id="new-token">(kb_\w+)<', answer)
    assert found
    assert found[1] not in as_alice.get(PAGE).content.decode()
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {found[1]}"}).json()["username"] == "alice"


def test_scopes_label_and_expiry_are_kept_and_shown(as_alice: Client) -> None:
    as_alice.post(PAGE, NEW | {"may": [], "agent": "my-agent/2"})

    token = Token.objects.get()
    assert (token.scopes, token.agent) == (["read"], "my-agent/2")
    assert (token.expiry - token.created).days in (29, 30)
    page = as_alice.get(PAGE).content.decode()
    assert "my-agent/2" in page
    assert ">never</span>" in page


def test_the_page_says_when_it_was_used_last(as_alice: Client, client: Client) -> None:
    secret = re.findall(r'id="new-token">(kb_\w+)<', as_alice.post(PAGE, NEW).content.decode())[0]
    client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})

    assert "just now" in as_alice.get(PAGE).content.decode().partition("<tbody>")[2]


def test_a_token_is_revoked_by_its_owner_alone(as_alice: Client, bob: User) -> None:
    as_alice.post(PAGE, NEW)
    path = f"{PAGE}{Token.objects.get().token_key}/revoke/"

    assert signed_in(bob).post(path).status_code == 404
    assert as_alice.post(path, follow=True).status_code == 200
    assert not Token.objects.exists()


@pytest.mark.parametrize("wrong", [{"name": ""}, {"days": "100000"}, {"may": "root"}, {"agent": "a\tb"}, {"name": "x\x00"}])
def test_a_wrong_form_makes_no_token(as_alice: Client, wrong: dict[str, str]) -> None:
    assert as_alice.post(PAGE, NEW | wrong).status_code == 422
    assert not Token.objects.exists()


@pytest.mark.parametrize("path", ["/me/", PAGE, "/me/webhooks/", "/me/account/", "/me/account/delete/"])
def test_mine_needs_an_account(client: Client, path: str) -> None:
    assert client.get(path).headers["Location"] == f"/accounts/login/?next={path}"
