"""Server-sent events end for whoever may not hear them any more."""

from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from knox.models import get_token_model

from submissions.api import sse
from submissions.live import hearing
from submissions.live.hearing import Hearing
from submissions.models import Evaluation, Submission
from tests.submissions.conftest import HandIn, committed


def hide(run: Evaluation) -> None:
    Submission.objects.filter(pk=run.submission_id).update(visibility="private", hidden_at=timezone.now())


def test_a_revoked_token_is_noticed_at_once_where_not_everybody_may_hear(alice: User, hand_in: HandIn) -> None:
    token, _ = get_token_model().objects.create(user=alice, name="test")
    allowed = Hearing(alice, token, hand_in(alice, visibility="private"))
    assert allowed()

    token.delete()

    assert not allowed()


def test_what_all_may_hear_is_asked_for_now_and_then(alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    run = hand_in(alice)
    allowed = Hearing(AnonymousUser(), None, run)
    hide(run)

    with CaptureQueriesContext(connection) as seen:
        assert allowed()
    assert not seen.captured_queries
    monkeypatch.setattr(hearing, "ASK_AGAIN_S", 0.0)
    assert not allowed()


@committed
def test_the_stream_ends(alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    run = hand_in(alice)
    monkeypatch.setattr(sse, "KEEP_ALIVE_S", 0.05)
    answers = iter([True, False])

    async def collect() -> list[bytes]:
        return [part async for part in sse.stream_events(run.pk, 0, source_readable=True, allowed=lambda: next(answers))]

    told = async_to_sync(collect)()

    assert told[0] == b"retry: 1000\n\n"
    assert list(answers) == []
