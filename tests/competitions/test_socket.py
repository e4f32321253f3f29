"""The socket of a competition: for whoever may see it, and only as long as they may."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from submissions.competitions.models import Competition, Group
from submissions.events import append, last_seq
from submissions.models import Evaluation
from submissions.redact import WITHHELD
from submissions.streams import competition_stream, evaluation_stream
from tests.competitions.conftest import closed as close
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted
from tests.submissions.conftest import committed
from tests.submissions.test_sockets import closed, communicator, hear, socket

pytestmark = committed


def cookie(user: User | AnonymousUser) -> tuple[tuple[bytes, bytes], ...]:
    client = Client()
    if not isinstance(user, User):
        return ()
    client.force_login(user)
    return ((b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode()),)


@pytest.mark.parametrize(("reader", "sees"), [("bob", True), ("charlie", True), ("dana", False), ("nobody", False)])
async def test_it_is_there_for_who_may_see_the_competition(
    people: dict[str, User | AnonymousUser], private: Competition, reader: str, sees: bool
) -> None:
    headers = await sync_to_async(cookie)(people[reader])
    path = f"/ws/competitions/{private.slug}/"

    if sees:
        async with socket(path, *headers) as line:
            assert (await hear(line))["kind"] == "hello"
    else:
        assert await closed(path, *headers) == 4404


async def test_a_public_one_is_there_for_everybody(public: Competition) -> None:
    async with socket(f"/ws/competitions/{public.slug}/?after=0") as line:
        await sync_to_async(append)(competition_stream(public.pk), "entry", {"op": "softmax"})
        assert (await hear(line))["data"] == {"op": "softmax"}


@pytest.mark.parametrize(("reader", "code"), [("dana", 4404), ("nobody", 4404)])
async def test_an_evaluation_in_it_is_not_there_for_others(
    people: dict[str, User | AnonymousUser], private: Competition, bob: User, reader: str, code: int
) -> None:
    run = await sync_to_async(entered)(bob, private)
    headers = await sync_to_async(cookie)(people[reader])

    assert await closed(f"/ws/evaluations/{run.pk}/", *headers) == code


@pytest.mark.parametrize(("over", "text"), [(False, WITHHELD), (True, "a line of the source")])
async def test_members_follow_an_evaluation_and_read_its_log_once_it_has_closed(
    private: Competition, alice: User, bob: User, over: bool, text: str
) -> None:
    run = await sync_to_async(entered)(bob, private)
    if over:
        await sync_to_async(close)(private)
    headers = await sync_to_async(cookie)(alice)

    async with socket(f"/ws/evaluations/{run.pk}/?after=0", *headers) as line:
        while (heard := await hear(line))["kind"] != "log":
            pass

    assert heard["data"] == {"text": text}


def entered(author: User, to: Competition) -> Evaluation:
    """Accepted, with a line in its log."""
    run = evaluation_of(hand_in(author, competition=to.slug))
    append(evaluation_stream(run.pk), "log", {"text": "a line of the source"})
    return finish(run, accepted(1.4))


async def test_who_is_removed_hears_no_more(lab: Group, private: Competition, bob: User) -> None:
    headers = await sync_to_async(cookie)(bob)
    await sync_to_async(append)(competition_stream(private.pk), "entry", {"op": "softmax"})
    line = communicator(f"/ws/competitions/{private.slug}/?after=0", headers)
    await line.send_input({"type": "websocket.connect"})
    assert (await line.receive_output(timeout=10))["type"] == "websocket.accept"
    assert json.loads((await line.receive_output(timeout=10))["text"])["data"] == {"op": "softmax"}

    await sync_to_async(lab.memberships.filter(user=bob).delete)()
    await sync_to_async(append)(competition_stream(private.pk), "entry", {"op": "relu"})
    await line.send_input({"type": "look"})

    message = await line.receive_output(timeout=30)
    assert (message["type"], message["code"]) == ("websocket.close", 4404)
    await line.send_input({"type": "websocket.disconnect", "code": 4404})
    await line.wait(timeout=10)


async def test_who_is_removed_hears_no_more_of_an_evaluation_in_it(lab: Group, private: Competition, alice: User, bob: User) -> None:
    run = await sync_to_async(entered)(alice, private)
    headers = await sync_to_async(cookie)(bob)
    last = await sync_to_async(last_seq)(evaluation_stream(run.pk))
    async with socket(f"/ws/evaluations/{run.pk}/?after={last}", *headers) as line:
        await sync_to_async(append)(evaluation_stream(run.pk), "note", {"text": "one"})
        await line.send_input({"type": "look"})
        assert (await hear(line))["kind"] == "note"
        await sync_to_async(lab.memberships.filter(user=bob).delete)()
        await sync_to_async(append)(evaluation_stream(run.pk), "note", {"text": "two"})
        await line.send_input({"type": "look"})

        message = await line.receive_output(timeout=30)

    assert (message["type"], message.get("code")) == ("websocket.close", 4404)
