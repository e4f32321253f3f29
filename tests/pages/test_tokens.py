"""API tokens: shown once, listed, revoked."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from kbweb.models import Token
from tests.pages.conftest import signed_in

NEW = {"name": "laptop", "scope": "submit", "days": "30"}


def test_a_token_is_shown_once_and_works(as_alice: Client, client: Client) -> None:
    answer = as_alice.post("/me/tokens/", NEW).content.decode()

    found = re.search(r'id="new-token">(kb_\w+)<', answer)
    assert found
    assert found[1] not in as_alice.get("/me/").content.decode()
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {found[1]}"}).json()["username"] == "alice"


def test_scopes_and_expiry_are_kept(as_alice: Client) -> None:
    as_alice.post("/me/tokens/", NEW | {"scope": "read"})

    token = Token.objects.get()
    assert token.scopes == ["read"]
    assert (token.expiry - token.created).days in (29, 30)


def test_a_token_is_revoked_by_its_owner_alone(as_alice: Client, bob: User) -> None:
    as_alice.post("/me/tokens/", NEW)
    path = f"/me/tokens/{Token.objects.get().token_key}/revoke/"

    assert signed_in(bob).post(path).status_code == 404
    assert as_alice.post(path, follow=True).status_code == 200
    assert not Token.objects.exists()


@pytest.mark.parametrize("wrong", [{"name": ""}, {"days": "100000"}, {"scope": "root"}])
def test_a_wrong_form_makes_no_token(as_alice: Client, wrong: dict[str, str]) -> None:
    assert as_alice.post("/me/tokens/", NEW | wrong).status_code == 422
    assert not Token.objects.exists()


def test_mine_needs_an_account(client: Client) -> None:
    assert client.get("/me/").headers["Location"] == "/accounts/login/?next=/me/"
