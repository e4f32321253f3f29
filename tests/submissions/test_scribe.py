"""The evaluator's events become rows: at once or gathered, bounded, fenced."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from evaluator.contract import Event, State
from submissions import events, scribe
from submissions.claim import claim
from submissions.holding import Holding
from submissions.models import Evaluation
from submissions.scribe import Scribe
from tests.submissions.conftest import HandIn, committed

pytestmark = committed


@pytest.fixture
def writer() -> Iterator[Scribe]:
    thread = Scribe()
    thread.start()
    yield thread
    thread.end()
    thread.join(10)


@pytest.fixture
def holding(alice: User, hand_in: HandIn) -> Holding:
    hand_in(alice, state=State.WAITING)
    run = claim("device.cpu", "w1")
    assert run is not None
    return Holding(run)


def written(holding: Holding) -> list[tuple[str, dict[str, object]]]:
    return [(event.kind, event.data) for event in events.read(events.evaluation_stream(holding.evaluation_id), 2)]


def test_stages_move_and_order_is_kept(writer: Scribe, holding: Holding) -> None:
    for kind, data in [
        ("stage", {"stage": "checking"}),
        ("case", {"name": "a"}),
        ("stage", {"stage": "timing", "limit_s": 120}),
        ("stage", {"stage": "warming"}),
        ("case", {"name": "b"}),
    ]:
        writer.note(holding, Event(kind, data))
    assert writer.flush(10)

    assert [kind for kind, _ in written(holding)] == ["case", "state", "note", "case"]
    assert Evaluation.objects.get(pk=holding.evaluation_id).state == "timing"


def test_logs_are_joined_and_of_timings_the_newest_stays(writer: Scribe, holding: Holding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scribe, "GATHER_S", 5.0)
    for text in ("one ", "two\x00 ", "three"):
        writer.note(holding, Event("log", {"text": text}))
    for quads in (5, 10, 20):
        writer.note(holding, Event("timing", {"case": "a", "quads": quads}))
    writer.note(holding, Event("timing", {"case": "b", "quads": 5}))
    assert writer.flush(10)

    assert written(holding) == [
        ("log", {"text": "one two\ufffd three"}),
        ("timing", {"case": "a", "quads": 20}),
        ("timing", {"case": "b", "quads": 5}),
    ]


def test_a_flood_of_log_is_cut_and_said_so(writer: Scribe, holding: Holding) -> None:
    for _ in range(1000):
        writer.note(holding, Event("log", {"text": "x" * 10_000}))
    assert writer.flush(30)

    texts = [str(data["text"]) for kind, data in written(holding) if kind == "log"]
    assert sum(map(len, texts)) < 300 * 1024
    assert "the live log ends here" in texts[-1]


def test_who_lost_the_lease_writes_nothing_and_learns_it(writer: Scribe, holding: Holding) -> None:
    Evaluation.objects.filter(pk=holding.evaluation_id).update(attempt=2)

    writer.note(holding, Event("case", {"name": "a"}))
    assert writer.flush(10)

    assert written(holding) == []
    assert holding.lost.is_set()
    assert holding.stop()
