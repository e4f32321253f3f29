"""The verdict, its copies, its event and what others derive from it stand together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.dispatch import Signal

from evaluator.contract import Outcome, State, from_json
from submissions import events
from submissions.claim import claim
from submissions.finish import finish
from submissions.models import Evaluation
from submissions.signals import evaluation_done
from tests.submissions.conftest import HandIn


@pytest.fixture
def running(alice: User, hand_in: HandIn) -> Evaluation:
    hand_in(alice, state=State.WAITING)
    run = claim("device.cpu", "w1")
    assert run is not None
    return run


@pytest.fixture
def receivers() -> Iterator[Signal]:
    before = list(evaluation_done.receivers)
    evaluation_done.receivers = []
    evaluation_done.sender_receivers_cache.clear()
    yield evaluation_done
    evaluation_done.receivers = before
    evaluation_done.sender_receivers_cache.clear()


def test_the_outcome_and_its_copies(running: Evaluation, accepted: Outcome) -> None:
    finish(running.pk, accepted, attempt=1, worker="w1", worker_s=2.5)

    run = Evaluation.objects.get(pk=running.pk)
    assert (run.state, run.verdict, run.speedup, run.speedup_low, run.speedup_high, run.time_us) == (
        "done",
        "accepted",
        1.25,
        1.2,
        1.3,
        80.0,
    )
    assert run.worker_seconds == 2.5
    assert run.log == "hello\ufffd world"
    assert from_json(Outcome, run.outcome).timing == accepted.timing
    newest = events.read(events.evaluation_stream(run.pk), 0)[-1]
    assert (newest.kind, newest.data["verdict"], newest.data["speedup"]) == ("verdict", "accepted", 1.25)
    assert [event.kind for event in events.read(events.FEED, 0)] == ["submitted", "verdict"]


def test_receivers_run_before_anyone_sees_the_verdict(running: Evaluation, accepted: Outcome, receivers: Signal) -> None:
    seen = []
    receivers.connect(lambda evaluation, **_: seen.append((evaluation.pk, evaluation.verdict)), weak=False)

    finish(running.pk, accepted, attempt=1, worker="w1", worker_s=1.0)

    assert seen == [(running.pk, "accepted")]


def test_a_receiver_that_fails_does_not_undo_the_verdict(running: Evaluation, accepted: Outcome, receivers: Signal) -> None:
    def fail(evaluation: Evaluation, **_: object) -> None:
        events.append("half", "done", {})
        raise RuntimeError("a bug elsewhere")

    receivers.connect(fail, weak=False)

    finish(running.pk, accepted, attempt=1, worker="w1", worker_s=1.0)

    assert Evaluation.objects.get(pk=running.pk).verdict == "accepted"
    assert events.last_seq("half") == 0
