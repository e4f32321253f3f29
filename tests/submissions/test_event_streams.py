"""Server-sent events end when there is nothing more to tell, and nobody holds more of them open than a few."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from evaluator.contract import Outcome
from submissions import events
from submissions.api import sse
from submissions.models import Evaluation
from tests.submissions.conftest import HandIn, client_of, committed, finished

STREAM = {"Accept": "text/event-stream"}


def told(evaluation: Evaluation, after: int = 0) -> list[str]:
    """Kinds of the events until the stream ends."""

    async def collect() -> list[bytes]:
        return [part async for part in sse.stream_events(evaluation.pk, after, source_readable=True, allowed=lambda: True)]

    lines = b"".join(async_to_sync(collect)()).decode().splitlines()
    return [json.loads(line.removeprefix("data:"))["kind"] for line in lines if line.startswith("data:")]


@pytest.fixture
def done(alice: User, hand_in: HandIn, accepted: Outcome) -> Evaluation:
    return finished(hand_in(alice), accepted)


@committed
def test_a_stream_of_what_is_done_ends_by_itself(done: Evaluation) -> None:
    last = events.last_seq(events.evaluation_stream(done.pk))

    assert told(done)[-1] == "verdict"
    assert told(done, after=last) == []


@committed
def test_what_a_moderator_decides_later_is_told_to_who_comes_back(done: Evaluation) -> None:
    stream = events.evaluation_stream(done.pk)
    last = events.last_seq(stream)
    events.append(stream, "decision", {"decision": "refuse", "withdrawn": False, "verdict": "rejected"})

    assert told(done)[-2:] == ["verdict", "decision"]
    assert told(done, after=last) == ["decision"]


def test_who_has_heard_all_is_told_to_stop(done: Evaluation) -> None:
    """An EventSource reconnects by itself when a stream ends, and stops at 204."""
    url, last = f"/api/v1/evaluations/{done.pk}/events", events.last_seq(events.evaluation_stream(done.pk))
    client = APIClient()

    again = client.get(url, headers={**STREAM, "Last-Event-ID": str(last)})

    assert (again.status_code, again.content) == (204, b"")
    assert client.get(f"{url}?after={last}", headers=STREAM).status_code == 204
    assert client.get(url, headers={**STREAM, "Last-Event-ID": str(last - 1)}).status_code == 200


def test_what_goes_on_is_not_stopped(alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)

    answer = APIClient().get(f"/api/v1/evaluations/{run.pk}/events", headers={**STREAM, "Last-Event-ID": "1"})

    assert answer.status_code == 200


@committed
def test_a_client_has_a_few_streams_open_at_most(alice: User, bob: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MOST_OPEN", 2)
    url = f"/api/v1/evaluations/{hand_in(alice).pk}/events"
    hers, his, nobodys = client_of(alice), client_of(bob), APIClient()
    first, second = hers.get(url, headers=STREAM), hers.get(url, headers=STREAM)

    refused = hers.get(url, headers=STREAM)
    others = [client.get(url, headers=STREAM) for client in (his, nobodys)]

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "10")
    assert refused.headers["Content-Type"].startswith("application/problem+json")
    assert [answer.status_code for answer in (first, second, *others)] == [200] * 4
    assert hers.get(url).status_code == 200, "as JSON they are always there"
    first.close()
    third = hers.get(url, headers=STREAM)
    assert third.status_code == 200
    for answer in (second, third, *others):
        answer.close()
