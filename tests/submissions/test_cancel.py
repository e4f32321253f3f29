"""Cancel in every state."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404

from evaluator.contract import State
from submissions import events
from submissions.build_job import _pass_on
from submissions.cancel import cancel
from submissions.claim import claim
from submissions.holding import Holding
from submissions.models import Evaluation
from submissions.states import Fenced
from tests.submissions.conftest import HandIn


@pytest.mark.parametrize("state", [State.QUEUED, State.WAITING])
def test_what_waits_ends_at_once(alice: User, hand_in: HandIn, state: State) -> None:
    run = hand_in(alice, state=state)

    cancel(alice, run.pk)

    run.refresh_from_db()
    assert (run.state, run.verdict) == ("done", "cancelled")
    assert events.read(events.evaluation_stream(run.pk), 0)[-1].data["verdict"] == "cancelled"
    assert claim("build", "w1") is None
    assert claim("device.cpu", "w1") is None


def test_what_is_being_built_ends_at_once_and_the_builder_is_fenced(alice: User, hand_in: HandIn) -> None:
    hand_in(alice)
    run = claim("build", "w1")
    assert run is not None

    cancel(alice, run.pk)

    assert Evaluation.objects.get(pk=run.pk).verdict == "cancelled"
    from evaluator.build import build
    from submissions.request import request_of

    report = build(request_of(run))
    with pytest.raises(Fenced):
        _pass_on(Holding(run), report)


@pytest.mark.parametrize("state", [State.CHECKING, State.TIMING, State.PROFILING])
def test_what_runs_gets_a_flag(alice: User, hand_in: HandIn, state: State) -> None:
    run = hand_in(alice, state=state)

    cancel(alice, run.pk)
    cancel(alice, run.pk)

    run.refresh_from_db()
    assert (run.state, run.cancel_requested) == (state, True)
    assert [event.kind for event in events.read(events.evaluation_stream(run.pk), 0)].count("note") == 1


def test_what_is_done_stays(alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)
    cancel(alice, run.pk)
    before = events.last_seq(events.evaluation_stream(run.pk))

    assert cancel(alice, run.pk).verdict == "cancelled"
    assert events.last_seq(events.evaluation_stream(run.pk)) == before


def test_others_may_not(alice: User, bob: User, charlie: User, hand_in: HandIn) -> None:
    run, private = hand_in(alice), hand_in(alice, visibility="private")

    for reader in (bob, AnonymousUser()):
        with pytest.raises(PermissionDenied):
            cancel(reader, run.pk)
        with pytest.raises(Http404):
            cancel(reader, private.pk)
    assert cancel(charlie, run.pk).verdict == "cancelled"
