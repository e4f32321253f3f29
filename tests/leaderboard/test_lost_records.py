"""The holder of a record is told when it stands no more, in the transaction that ends it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from leaderboard.models import Record
from leaderboard.moderation import decide
from submissions.decisions.models import Kind
from submissions.webhooks import owning
from submissions.webhooks.models import Delivery
from tests.leaderboard.conftest import Finish, confirm


@pytest.fixture
def told(alice: User) -> Callable[[], list[dict[str, object]]]:
    owning.make_webhook(alice, "https://example.org/", ["record_lost"])
    return lambda: [json.loads(delivery.body)["data"] for delivery in Delivery.objects.order_by("created_at")]


def record(finish: Finish, author: User, speedup: float, source: str | None = None) -> None:
    finish(author, speedup, source=source)
    confirm(speedup, speedup, speedup)
    assert Record.objects.current().get().author == author


def test_who_is_beaten_hears_by_whom(finish: Finish, alice: User, bob: User, told: Callable[[], list[dict[str, object]]]) -> None:
    record(finish, alice, 1.5)
    record(finish, bob, 2.0)

    (data,) = told()
    assert (data["op"], data["device"], data["why"]) == ("softmax", "cpu", "beaten")
    assert data["record"]["speedup"] == 1.5  # type: ignore[index]
    assert (data["taken_by"]["author"], data["taken_by"]["speedup"]) == ("bob", 2.0)  # type: ignore[index]
    assert str(data["url"]).endswith("/ops/softmax/cpu/")


def test_who_beats_himself_has_lost_nothing(finish: Finish, alice: User, told: Callable[[], list[dict[str, object]]]) -> None:
    record(finish, alice, 1.5)
    record(finish, alice, 2.0)

    assert told() == []


def test_a_record_that_is_withdrawn_is_told_without_a_successor(
    finish: Finish, alice: User, told: Callable[[], list[dict[str, object]]]
) -> None:
    staff = User.objects.create_user("moderator", is_staff=True)
    record(finish, alice, 1.5)

    decide(staff, Record.objects.get().evaluation_id, Kind.REFUSE, "cheats", every_run=True)

    (data,) = told()
    assert (data["why"], data["taken_by"]) == ("withdrawn", None)


def test_others_hear_nothing(finish: Finish, alice: User, bob: User) -> None:
    owning.make_webhook(bob, "https://example.org/", ["record_lost"])
    record(finish, alice, 1.5)
    record(finish, bob, 2.0)

    assert not Delivery.objects.exists()
