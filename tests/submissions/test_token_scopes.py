"""What a token may do is what its scopes say, and the answer names the one that is missing."""

from __future__ import annotations

import importlib
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from kbweb.api.authentication import note_use
from kbweb.models import Scope, Token, every_scope
from submissions.models import Submission
from tests.submissions.conftest import SUBMISSION, HandIn, client_of

NEW_TOKEN = {"name": "another", "scopes": ["read"]}
NEW_WEBHOOK = {"url": "https://example.org/hook", "topics": ["done"]}


@pytest.mark.parametrize(
    ("scopes", "method", "path", "body", "missing"),
    [
        (["read"], "get", "me", None, ""),
        (["read"], "get", "tokens", None, ""),
        (["read"], "post", "submissions", SUBMISSION, "submit"),
        (["read"], "post", "tokens", NEW_TOKEN, "manage"),
        (["read", "submit"], "post", "submissions", SUBMISSION, ""),
        (["read", "submit"], "post", "tokens", NEW_TOKEN, "manage"),
        (["read", "submit"], "delete", "tokens/kb_xyz", None, "manage"),
        (["read", "submit"], "get", "webhooks", None, "manage"),
        (["read", "submit"], "post", "webhooks", NEW_WEBHOOK, "manage"),
        (["read", "submit"], "post", "invitations/nothing/accept", None, "manage"),
        (["read", "manage"], "post", "submissions", SUBMISSION, "submit"),
        (["read", "manage"], "post", "tokens", NEW_TOKEN, ""),
        (["read", "manage"], "post", "webhooks", NEW_WEBHOOK, ""),
        (["manage"], "get", "me", None, "read"),
    ],
)
def test_each_scope_allows_its_own_and_nothing_else(
    alice: User, scopes: list[str], method: str, path: str, body: object, missing: str
) -> None:
    answer = getattr(client_of(alice, *scopes), method)(f"/api/v1/{path}", body, format="json")

    if not missing:
        assert answer.status_code in (200, 201), answer.content
        return
    problem = answer.json()
    assert (answer.status_code, problem["type"], problem["scope"], problem["scopes"]) == (403, "urn:kbweb:scope", missing, scopes)
    assert f"lacks the scope {missing}" in problem["detail"]
    assert answer.headers["WWW-Authenticate"] == f'Bearer error="insufficient_scope", scope="{missing}"'


def test_a_session_has_every_right_of_its_user(alice: User) -> None:
    client = Client()
    client.force_login(alice)

    assert client.get("/api/v1/me").json()["scopes"] == every_scope()
    assert client.get("/api/v1/webhooks").status_code == 200


def test_a_token_makes_none_that_can_do_more(alice: User) -> None:
    bot = client_of(alice, "read", "manage")

    answer = bot.post("/api/v1/tokens", {"name": "more", "scopes": ["submit"]}, format="json")

    assert answer.status_code == 403
    assert Token.objects.count() == 1


@pytest.mark.parametrize("path, field", [("tokens", "scopes"), ("webhooks", "topics")])
def test_a_list_without_end_is_refused_before_it_is_read(alice: User, path: str, field: str) -> None:
    wish = {"tokens": NEW_TOKEN, "webhooks": NEW_WEBHOOK}[path] | {field: ["nonsense"] * 17}

    answer = client_of(alice, "read", "manage").post(f"/api/v1/{path}", wish, format="json")

    assert answer.status_code == 400
    assert answer.json()["errors"] == {field: ["Ensure this field has no more than 16 elements."]}


def test_every_token_may_read(alice: User) -> None:
    made = client_of(alice, *every_scope()).post("/api/v1/tokens", {"name": "x", "scopes": ["submit"]}, format="json").json()

    assert made["scopes"] == ["read", "submit"]


def test_what_is_handed_in_carries_the_label_of_the_token(alice: User) -> None:
    bot = client_of(alice)
    Token.objects.update(agent="my-agent")

    bot.post("/api/v1/submissions", SUBMISSION, format="json")
    bot.post("/api/v1/submissions", {**SUBMISSION, "source": "# other\n" + str(SUBMISSION["source"]), "agent": "named"}, format="json")

    assert set(Submission.objects.values_list("agent", flat=True)) == {"my-agent", "named"}


def test_the_last_use_is_written_at_most_once_a_minute(alice: User, hand_in: HandIn) -> None:
    bot = client_of(alice)
    bot.get("/api/v1/me")
    first = Token.objects.get()
    bot.get("/api/v1/me")
    second = Token.objects.get()
    Token.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    note_use(Token.objects.get())

    assert first.last_used_at == second.last_used_at is not None
    assert timezone.now() - Token.objects.get().last_used_at < timedelta(minutes=1)


def test_tokens_from_before_the_scope_manage_keep_all_their_rights(alice: User) -> None:
    for scopes in (["read", "submit"], ["read"], ["submit"]):
        Token.objects.create(user=alice, scopes=scopes, name=",".join(scopes))
    migration = importlib.import_module("kbweb.migrations.0002_manage_scope_labels_and_use_of_tokens")

    migration.widen(apps, None)

    found = {token.name: token.scopes for token in Token.objects.all()}
    assert found == {"read,submit": ["read", "submit", "manage"], "read": ["read"], "submit": ["read", "submit", "manage"]}


@pytest.mark.django_db
def test_the_description_says_which_scope_an_operation_needs() -> None:
    paths = APIClient().get("/api/schema/?format=json").json()

    said = {
        name: paths["paths"][path][name]["description"]
        for path, name in [("/api/v1/submissions/", "post"), ("/api/v1/submissions/", "get")]
    }
    assert said["post"].endswith(f"Scope of a token: `{Scope.SUBMIT}`.")
    assert said["get"].endswith(f"Scope of a token: `{Scope.READ}`.")
    assert paths["paths"]["/api/v1/tokens/"]["post"]["description"].endswith("`manage`.")
    assert "`manage`: make and end tokens" in paths["components"]["securitySchemes"]["token"]["description"]
