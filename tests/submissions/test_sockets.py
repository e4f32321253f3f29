"""Sockets of the whole ASGI application: replay, live, access, origin, reconnects."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from knox.models import get_token_model

from evaluator.contract import JSON, Outcome
from kbweb.asgi import application
from submissions import events
from submissions.claim import claim
from submissions.finish import finish
from submissions.live import consumers
from submissions.models import Evaluation, Submission
from tests.submissions.conftest import HandIn, committed

pytestmark = committed
Header = tuple[bytes, bytes]


@pytest.fixture
async def lifespan() -> AsyncIterator[None]:
    """The application's own start and end, as uvicorn does them."""
    inbox: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    outbox: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    task = asyncio.create_task(application({"type": "lifespan"}, inbox.get, outbox.put))  # type: ignore[arg-type]
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    yield
    await inbox.put({"type": "lifespan.shutdown"})
    assert (await outbox.get())["type"] == "lifespan.shutdown.complete"
    await task


def communicator(path: str, headers: tuple[Header, ...]) -> ApplicationCommunicator:
    address, _, query = path.partition("?")
    scope = {"type": "websocket", "path": address, "query_string": query.encode(), "headers": list(headers), "subprotocols": []}
    return ApplicationCommunicator(application, scope)  # type: ignore[arg-type]


@asynccontextmanager
async def socket(path: str, *headers: Header) -> AsyncIterator[ApplicationCommunicator]:
    """An accepted socket."""
    line = communicator(path, headers)
    await line.send_input({"type": "websocket.connect"})
    assert (await line.receive_output(timeout=10))["type"] == "websocket.accept"
    try:
        yield line
    finally:
        await line.send_input({"type": "websocket.disconnect", "code": 1000})
        await line.wait(timeout=10)


async def hear(line: ApplicationCommunicator) -> dict[str, JSON]:
    """The next message."""
    message = await line.receive_output(timeout=10)
    assert message["type"] == "websocket.send", message
    heard: dict[str, JSON] = json.loads(message["text"])
    return heard


async def closed(path: str, *headers: Header) -> int:
    """The code with which a socket is closed instead of served."""
    line = communicator(path, headers)
    await line.send_input({"type": "websocket.connect"})
    assert (await line.receive_output(timeout=10))["type"] == "websocket.accept"
    message = await line.receive_output(timeout=10)
    assert message["type"] == "websocket.close", message
    await line.send_input({"type": "websocket.disconnect", "code": message["code"]})
    await line.wait(timeout=10)
    return int(message["code"])


@sync_to_async
def bearer(user: User) -> Header:
    _, secret = get_token_model().objects.create(user=user, name="test")
    return (b"authorization", f"Bearer {secret}".encode())


@sync_to_async
def session(user: User) -> Header:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return (b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode())


def path_of(run: Evaluation, after: int | None = None) -> str:
    return f"/ws/evaluations/{run.pk}/" + ("" if after is None else f"?after={after}")


async def test_replay_then_live(lifespan: None, alice: User, hand_in: HandIn, accepted: Outcome) -> None:
    run = await sync_to_async(hand_in)(alice)

    async with socket(path_of(run, 0)) as line:
        first = await hear(line)
        assert (first["seq"], first["kind"], first["data"]) == (1, "state", {"state": "queued", "attempt": 1, "worker": ""})
        await sync_to_async(claim)("build", "w1")
        assert (await hear(line))["data"] == {"state": "building", "attempt": 1, "worker": "w1"}
        await sync_to_async(finish)(run.pk, accepted, attempt=1, worker="w1", worker_s=1.0)
        assert [(await hear(line))["kind"] for _ in range(2)] == ["state", "verdict"]


async def test_a_reconnect_goes_on_after_the_last_seq(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice)
    stream = events.evaluation_stream(run.pk)
    async with socket(path_of(run, 0)) as line:
        assert (await hear(line))["seq"] == 1
    await sync_to_async(events.append)(stream, "note", {"text": "while away"})

    async with socket(path_of(run, 1)) as line:
        assert (await hear(line))["seq"] == 2
        await sync_to_async(events.append)(stream, "note", {})
        assert (await hear(line))["seq"] == 3


async def test_a_storm_of_events_arrives_whole_and_in_order(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice)
    stream = events.evaluation_stream(run.pk)

    @sync_to_async(thread_sensitive=False)
    def write() -> None:
        for number in range(150):
            events.append(stream, "note", {"n": number})
        connection.close()

    async with socket(path_of(run, 0)) as line:
        writers = asyncio.gather(write(), write(), write())
        seen = [(await hear(line))["seq"] for _ in range(451)]
        await writers

    assert seen == list(range(1, 452))


async def test_a_database_that_drops_everyone_loses_nothing(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice)
    stream = events.evaluation_stream(run.pk)

    @sync_to_async(thread_sensitive=False)
    def drop_everyone_and_append() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kb-listener'")
        events.append(stream, "note", {"text": "nobody listens"})
        connection.close()

    async with socket(path_of(run, 0)) as line:
        await hear(line)
        await drop_everyone_and_append()
        assert (await hear(line))["seq"] == 2


async def test_who_is_far_behind_is_told_to_read_elsewhere(
    lifespan: None, alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "BEHIND", 5)
    run = await sync_to_async(hand_in)(alice)
    stream = events.evaluation_stream(run.pk)
    await sync_to_async(events.append_all)(stream, [("note", {})] * 10)

    async with socket(path_of(run, 1)) as line:
        assert await hear(line) == {"kind": "resync", "seq": 11, "after": 1}
        await sync_to_async(events.append)(stream, "note", {})
        assert (await hear(line))["seq"] == 12


async def test_a_number_from_another_life_is_told_to_resync(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice)

    async with socket(path_of(run, 99)) as line:
        assert (await hear(line))["kind"] == "resync"


async def test_boards_and_feed_start_from_now(lifespan: None, alice: User, hand_in: HandIn) -> None:
    await sync_to_async(hand_in)(alice)
    await sync_to_async(events.append)(events.board_stream("softmax", "cpu"), "entry", {"old": True})

    async with socket("/ws/boards/softmax/cpu/") as board, socket("/ws/feed/") as feed:
        assert await hear(board) == {"kind": "hello", "seq": 1}
        assert await hear(feed) == {"kind": "hello", "seq": 1}
        await sync_to_async(events.append)(events.board_stream("softmax", "cpu"), "entry", {"old": False})
        assert (await hear(board))["data"] == {"old": False}
        await sync_to_async(hand_in)(alice)
        assert (await hear(feed))["kind"] == "submitted"


async def test_a_private_evaluation_is_for_its_author(lifespan: None, alice: User, bob: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice, visibility="private")

    assert await closed(path_of(run)) == 4404
    assert await closed(path_of(run), await bearer(bob)) == 4404
    assert await closed(path_of(run), await session(bob)) == 4404
    for who in (await bearer(alice), await session(alice)):
        async with socket(path_of(run, 0), who) as line:
            assert (await hear(line))["seq"] == 1


async def ended_with(line: ApplicationCommunicator, *, not_after: str) -> int:
    """The code with which a served socket is closed. What it must not say before is named."""
    while (message := await line.receive_output(timeout=30))["type"] == "websocket.send":
        assert not_after not in message["text"]
    return int(message["code"])


@pytest.mark.parametrize("visibility", ["private", "public"])
async def test_who_loses_the_token_hears_no_more(
    lifespan: None, alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, visibility: str
) -> None:
    monkeypatch.setattr(consumers, "LOOK_ANYWAY_S", 0.05)
    run = await sync_to_async(hand_in)(alice, visibility=visibility)
    token = await bearer(alice)

    async with socket(path_of(run, 0), token) as line:
        assert (await hear(line))["seq"] == 1
        await sync_to_async(get_token_model().objects.all().delete)()
        assert await ended_with(line, not_after="secret") == 4401


async def test_what_is_hidden_is_heard_by_nobody_else_any_more(
    lifespan: None, alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "LOOK_ANYWAY_S", 0.05)
    run = await sync_to_async(hand_in)(alice)

    async with socket(path_of(run, 0)) as line:
        assert (await hear(line))["seq"] == 1
        await sync_to_async(Submission.objects.filter(pk=run.submission_id).update)(visibility="private", hidden_at=timezone.now())
        assert await ended_with(line, not_after="secret") == 4404


async def test_logs_follow_the_source(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice, visibility="result")
    await sync_to_async(events.append)(events.evaluation_stream(run.pk), "log", {"text": "secret"})

    async with socket(path_of(run, 1)) as line:
        assert "secret" not in str(await hear(line))
    async with socket(path_of(run, 1), await bearer(alice)) as line:
        assert (await hear(line))["data"] == {"text": "secret"}


@pytest.mark.parametrize("token", [b"Bearer kb_wrong", b"Bearer", b"Basic YTpi", b"Bearer \xff\xfe"])
async def test_a_wrong_token_is_4401(lifespan: None, alice: User, hand_in: HandIn, token: bytes) -> None:
    run = await sync_to_async(hand_in)(alice)

    assert await closed(path_of(run), (b"authorization", token)) == 4401


async def test_pages_of_other_sites_are_4403(lifespan: None, alice: User, hand_in: HandIn) -> None:
    run = await sync_to_async(hand_in)(alice, visibility="private")
    cookie = await session(alice)

    for origin in (b"https://evil.example", b"null", b"http://localhost.evil.example", b""):
        assert await closed(path_of(run), cookie, (b"origin", origin)) == 4403
    async with socket(path_of(run, 0), cookie, (b"origin", b"http://localhost:8000")) as line:
        assert (await hear(line))["seq"] == 1


@pytest.mark.parametrize(
    "path",
    [
        "/ws/evaluations/nothing/",
        "/ws/evaluations/\0/",
        "/ws/boards/\0/cpu/",
        "/ws/boards/nothing/cpu/",
        "/ws/boards/softmax/toaster/",
        "/ws/nothing/",
        "/elsewhere",
    ],
)
async def test_what_does_not_exist_is_4404(lifespan: None, path: str) -> None:
    assert await closed(path) == 4404


@pytest.mark.parametrize("after", ["x", "-1", "1" * 30, "1.5"])
async def test_a_wrong_after_is_4400(lifespan: None, after: str) -> None:
    assert await closed(f"/ws/feed/?after={after}") == 4400


async def test_a_silent_line_says_that_it_holds(lifespan: None, alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    run = await sync_to_async(hand_in)(alice)
    monkeypatch.setattr(consumers, "LOOK_ANYWAY_S", 0.05)

    async with socket(path_of(run, 1)) as line:
        assert await hear(line) == {"kind": "beat", "seq": 1}
        await sync_to_async(events.append)(events.evaluation_stream(run.pk), "note", {})
        heard = [await hear(line) for _ in range(3)]

    assert [message["seq"] for message in heard if message["kind"] == "note"] == [2]
