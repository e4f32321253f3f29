"""Leases expire, attempts count, and a zombie cannot write."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from evaluator.contract import Outcome, State
from submissions import events, lease
from submissions.claim import claim
from submissions.finish import finish
from submissions.lease import expire, give_back, renew
from submissions.models import Evaluation
from submissions.states import Fenced, advance
from tests.submissions.conftest import HandIn


@pytest.fixture(autouse=True)
def _server_is_no_newcomer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server may have started within a lease's length; then expiry would rightly wait."""
    monkeypatch.setattr(lease, "LEASE_S", 0.0)


def claimed(queue: str = "device.cpu", worker: str = "w1") -> Evaluation:
    run = claim(queue, worker)
    assert run is not None
    return run


def let_expire(run: Evaluation) -> None:
    Evaluation.objects.filter(pk=run.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_an_expired_lease_goes_back_with_its_attempt_raised(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    run = claimed()
    advance(run.pk, State.TIMING, attempt=1, worker="w1")
    let_expire(run)

    assert expire() == 1

    run.refresh_from_db()
    assert (run.state, run.attempt, run.worker, run.lease_expires_at) == ("waiting", 2, "", None)
    kinds = [event.kind for event in events.read(events.evaluation_stream(run.pk), 0)]
    assert kinds[-2:] == ["note", "state"]


def test_a_lost_build_is_queued_again(alice: User, hand_in: HandIn) -> None:
    hand_in(alice)
    run = claimed("build")
    let_expire(run)

    expire()

    run.refresh_from_db()
    assert (run.state, run.attempt) == ("queued", 2)


def test_a_lease_that_holds_is_left_alone(alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "LEASE_S", 60.0)
    hand_in(alice, state=State.WAITING)
    claimed()
    monkeypatch.setattr(lease, "LEASE_S", 0.0)

    assert expire() == 0


def test_renewing_works_only_for_the_holder(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    run = claimed()

    assert renew(run.pk, attempt=1, worker="w1")
    assert not renew(run.pk, attempt=2, worker="w1")
    assert not renew(run.pk, attempt=1, worker="w2")
    let_expire(run)
    expire()
    assert not renew(run.pk, attempt=1, worker="w1")


def test_a_zombie_cannot_write_over_its_successor(alice: User, hand_in: HandIn, accepted: Outcome, wrong: Outcome) -> None:
    hand_in(alice, state=State.WAITING)
    zombie = claimed(worker="zombie")
    let_expire(zombie)
    expire()
    successor = claimed(worker="successor")

    with pytest.raises(Fenced):
        finish(zombie.pk, wrong, attempt=zombie.attempt, worker="zombie", worker_s=1.0)
    with pytest.raises(Fenced):
        advance(zombie.pk, State.TIMING, attempt=zombie.attempt, worker="zombie")
    with pytest.raises(Fenced):
        give_back(zombie.pk, attempt=zombie.attempt, worker="zombie", reason="", burn=True)
    finish(successor.pk, accepted, attempt=successor.attempt, worker="successor", worker_s=1.0)

    done = Evaluation.objects.get(pk=zombie.pk)
    assert (done.verdict, done.attempt) == ("accepted", 2)
    with pytest.raises(Fenced):
        finish(zombie.pk, wrong, attempt=2, worker="successor", worker_s=1.0)


def test_the_third_failure_is_an_infra_error_with_its_reason(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    for attempt in (1, 2, 3):
        run = claimed()
        assert run.attempt == attempt
        give_back(run.pk, attempt=attempt, worker="w1", reason="The judge caught fire.", burn=True)

    run.refresh_from_db()
    assert (run.state, run.verdict) == ("done", "infra_error")
    assert run.outcome is not None
    assert "caught fire" in run.outcome["reasons"][0]["message"]
    assert events.read(events.evaluation_stream(run.pk), 0)[-1].kind == "verdict"


def test_giving_back_at_shutdown_costs_no_attempt(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    for _ in range(5):
        run = claimed()
        give_back(run.pk, attempt=1, worker="w1", reason="Stopping.", burn=False)

    run.refresh_from_db()
    assert (run.state, run.attempt) == ("waiting", 1)


def test_a_cancelled_one_is_not_tried_again(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    run = claimed()
    Evaluation.objects.filter(pk=run.pk).update(cancel_requested=True)
    let_expire(run)

    expire()

    run.refresh_from_db()
    assert (run.state, run.verdict) == ("done", "cancelled")


def test_after_a_database_start_workers_get_time_to_renew(alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(alice, state=State.WAITING)
    let_expire(claimed())
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXTRACT(EPOCH FROM now() - pg_postmaster_start_time())")
        (age_s,) = cursor.fetchone()

    monkeypatch.setattr(lease, "LEASE_S", float(age_s) + 60)
    assert expire() == 0
    monkeypatch.setattr(lease, "LEASE_S", 0.0)
    assert expire() == 1
