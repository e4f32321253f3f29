"""Webhooks over REST."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from submissions.webhooks.delivering import deliver_next
from submissions.webhooks.models import Webhook
from tests.submissions.conftest import client_of
from tests.submissions.webhooks.receiver import Receiver

URL = "/api/v1/webhooks"


@pytest.fixture
def bot(alice: User) -> APIClient:
    return client_of(alice, "read", "manage")


def test_made_tried_read_and_deleted(bot: APIClient, bob: User, receiver: Receiver) -> None:
    made = bot.post(URL, {"url": receiver.url, "topics": ["done"]}, format="json")
    assert made.status_code == 201
    one = f"{URL}/{made.json()['id']}"

    tried = bot.post(f"{one}/test")
    deliver_next()

    assert (tried.status_code, tried.json()["standing"]) == (202, "waiting")
    assert [(d["topic"], d["standing"], d["status"]) for d in bot.get(f"{one}/deliveries").json()] == [("test", "delivered", 204)]
    assert made.json()["secret"] == Webhook.objects.get().secret
    assert "secret" not in bot.get(one).json() and "secret" not in bot.get(URL).json()[0]
    stranger = client_of(bob, "read", "manage")
    assert [stranger.get(one).status_code, stranger.post(f"{one}/test").status_code, stranger.delete(one).status_code] == [404] * 3
    assert bot.delete(one).status_code == 204
    assert not Webhook.objects.exists()


def test_changed_and_switched(bot: APIClient, alice: User, bob: User, receiver: Receiver) -> None:
    one = f"{URL}/{bot.post(URL, {'url': receiver.url, 'topics': ['done']}).json()['id']}"

    off = bot.patch(one, {"active": False}).json()
    changed = bot.patch(one, {"topics": ["suspect", "done"]}).json()
    wrong = bot.patch(one, {"topics": ["everything"], "active": True})
    on = bot.patch(one, {"active": True}).json()

    assert (off["active"], off["url"], off["topics"]) == (False, receiver.url, ["done"])
    assert (changed["active"], changed["url"], set(changed["topics"])) == (False, receiver.url, {"done", "suspect"})
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["topics"])
    assert (on["active"], bot.get(one).json()) == (True, on)
    assert client_of(bob, "read", "manage").patch(one, {"active": False}).status_code == 404
    assert client_of(alice, "read", "submit").patch(one, {"active": False}).status_code == 403


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "http://10.0.0.1/", "topics": ["done"]}, "url"),
        ({"url": "https://example.org/", "topics": []}, "topics"),
        ({"url": "https://example.org/", "topics": ["everything"]}, "topics"),
        ({"topics": ["done"]}, "url"),
    ],
)
def test_what_is_wrong_is_named(bot: APIClient, body: dict[str, object], field: str) -> None:
    answer = bot.post(URL, body, format="json")

    assert answer.status_code == 400
    assert field in answer.json()["errors"]
