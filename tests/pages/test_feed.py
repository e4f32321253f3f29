"""`/feed/`: what is shown to whom, filters, pages by cursor."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboard import feed as feeds
from leaderboard.feed import cursor
from submissions.models import HOUSE, Evaluation
from tests.leaderboard.conftest import finish_evaluation
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.markup import faults
from tests.pages.outcomes import accepted, wrong_result


def shown(client: Client, address: str = "/feed/") -> list[str]:
    """Ids of the evaluations, in order."""
    answer = client.get(address)
    assert answer.status_code == 200
    assert not faults(answer.content.decode())
    return re.findall(r'id="evaluation-(\w+)"', answer.content.decode())


def test_the_newest_come_first_and_the_house_is_left_out(client: Client, alice: User, bob: User) -> None:
    old = finish_evaluation(alice)
    new = evaluation_of(hand_in(bob))
    assert Evaluation.objects.filter(purpose__in=HOUSE).exists()

    assert shown(client) == [new.pk, old.pk]


def test_what_is_private_shows_to_its_author_alone(client: Client, as_alice: Client, as_bob: Client, alice: User) -> None:
    private = evaluation_of(hand_in(alice, visibility="private"))

    assert (shown(client), shown(as_bob), shown(as_alice)) == ([], [], [private.pk])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("op=softmax", "abc"),
        ("op=SoftMax&device=CPU", "abc"),
        ("author=BOB", "bc"),
        ("op=relu", ""),
        ("device=cpu", "abc"),
        ("device=h100", ""),
        ("verdict=accepted", "a"),
        ("verdict=wrong_result", "b"),
        ("verdict=running", "c"),
        ("kernel_type=triton", "b"),
        ("author=bob", "bc"),
        ("by=bot", "c"),
        ("agent=a+bot", "c"),
        ("agent=a+bot&author=alice", ""),
        ("by=human&author=bob", "b"),
        ("mode=ranked", "abc"),
        ("verdict=nonsense", "abc"),
        ("op=%00softmax&before=%00", "abc"),
    ],
)
def test_filters_narrow_and_nonsense_does_not(client: Client, alice: User, bob: User, query: str, expected: str) -> None:
    made = {
        "a": finish(evaluation_of(hand_in(alice)), accepted()).pk,
        "b": finish(evaluation_of(hand_in(bob, kernel_type="triton")), wrong_result()).pk,
        "c": evaluation_of(hand_in(bob, agent="a bot")).pk,
    }

    assert set(shown(client, f"/feed/?{query}")) == {made[name] for name in expected}


def test_an_op_that_is_none_is_answered_with_those_that_look_like_it(client: Client) -> None:
    page = client.get("/feed/?op=sofmax").content.decode()

    assert 'href="?op=softmax"' in page
    assert '<option value="softmax"></option>' in page
    assert "Did you mean" not in client.get("/feed/?op=softmax").content.decode()


def test_pages_by_cursor_miss_nothing_while_more_comes(client: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds.feed, "__defaults__", ("", 2))
    ids = [evaluation_of(hand_in(alice, source=f"n = {n}\n".encode())).pk for n in range(5)]
    seen, address = [], "/feed/?author=alice"
    while address:
        seen += shown(client, address)
        page = client.get(address).content.decode()
        found = re.search(r'rel="next" href="([^"]+)"', page)
        address = "/feed/" + found.group(1).replace("&amp;", "&") if found else ""
        hand_in(alice, source=f"late = {len(seen)}\n".encode())

    assert [pk for pk in seen if pk in ids] == ids[::-1]
    assert len(seen) == len(set(seen))
    assert "author=alice" in page


def test_only_the_first_page_is_live(client: Client, alice: User) -> None:
    made = hand_in(alice)

    assert "data-live=" in client.get("/feed/?op=softmax").content.decode()
    older = client.get("/feed/?before=1-a").content.decode()
    assert "data-live=" not in older
    assert "Nothing is older." in older
    fragment = client.get("/feed/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert made.pk in fragment


@pytest.mark.parametrize("text", ["", "1", "x-y", "-a", "1-", "1-a b", "9" * 30 + "-a"])
def test_what_is_no_cursor_means_the_first_page(text: str) -> None:
    assert cursor(text) is None
