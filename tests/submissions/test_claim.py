"""Who is next, and that nothing is taken twice."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

import submissions.claim
from evaluator.contract import State
from submissions.cancel import cancel
from submissions.claim import claim
from submissions.models import Evaluation
from tests.submissions.conftest import HandIn, committed

QUEUE = "device.cpu"


def spend(author: User, hand_in: HandIn, seconds: float, *, ago: timedelta = timedelta(minutes=5)) -> None:
    run = hand_in(author)
    Evaluation.objects.filter(pk=run.pk).update(
        state=State.DONE, verdict="accepted", worker_seconds=seconds, finished_at=timezone.now() - ago
    )


def test_a_claim_stamps_worker_and_lease(alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)

    taken = claim("build", "w1")

    assert taken is not None
    assert (taken.pk, taken.state, taken.worker, taken.attempt) == (run.pk, "building", "w1", 1)
    stored = Evaluation.objects.get(pk=run.pk)
    assert stored.lease_expires_at is not None
    assert stored.lease_expires_at > timezone.now()
    assert claim("build", "w2") is None


def test_a_queue_holds_only_its_own(alice: User, hand_in: HandIn) -> None:
    hand_in(alice)
    other = hand_in(alice, state=State.WAITING, device="h100")

    assert claim(QUEUE, "w1") is None
    taken = claim("device.h100", "w1")
    assert taken is not None
    assert (taken.pk, taken.state) == (other.pk, "checking")


def test_one_author_is_served_in_order_of_age(alice: User, hand_in: HandIn) -> None:
    runs = [hand_in(alice, state=State.WAITING) for _ in range(3)]

    assert [getattr(claim(QUEUE, "w1"), "pk", None) for _ in range(4)] == [*(run.pk for run in runs), None]


def test_a_thousand_of_a_bot_do_not_hold_a_person_up(alice: User, bob: User, hand_in: HandIn) -> None:
    for _ in range(20):
        hand_in(bob, state=State.WAITING)
    claim(QUEUE, "w1")
    person = hand_in(alice, state=State.WAITING)

    taken = claim(QUEUE, "w2")

    assert taken is not None
    assert taken.pk == person.pk


def test_two_authors_take_turns(alice: User, bob: User, hand_in: HandIn) -> None:
    for author in (alice, alice, alice, bob, bob, bob):
        hand_in(author, state=State.WAITING)

    authors = [getattr(claim(QUEUE, f"w{n}"), "author_id", None) for n in range(6)]

    assert [set(authors[i : i + 2]) for i in (0, 2, 4)] == [{alice.pk, bob.pk}] * 3


def test_what_an_author_cost_within_the_hour_counts(alice: User, bob: User, hand_in: HandIn) -> None:
    spend(alice, hand_in, 30.0)
    hand_in(alice, state=State.WAITING)
    cheap = hand_in(bob, state=State.WAITING)

    taken = claim(QUEUE, "w1")

    assert taken is not None
    assert taken.pk == cheap.pk


def test_what_is_older_than_an_hour_is_forgiven(alice: User, bob: User, hand_in: HandIn) -> None:
    spend(alice, hand_in, 3000.0, ago=timedelta(minutes=61))
    first = hand_in(alice, state=State.WAITING)
    hand_in(bob, state=State.WAITING)

    taken = claim(QUEUE, "w1")

    assert taken is not None
    assert taken.pk == first.pk


PAUSE = 8_253_617
WAITING_FOR_IT = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE locktype = 'advisory' AND NOT granted AND objid = %s AND datname = current_database()
"""


@committed
def test_what_is_cancelled_while_a_claim_looks_around_is_not_taken(alice: User, hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim's statement pauses between its snapshot and the locking of a row."""
    first, second = (hand_in(alice, state=State.WAITING) for _ in range(2))
    paused = f"FROM (SELECT pg_advisory_xact_lock({PAUSE})) AS pause, submissions_evaluation\n    WHERE state"
    statement = submissions.claim._NEXT.replace("FROM submissions_evaluation\n    WHERE state", paused)
    assert paused in statement
    monkeypatch.setattr(submissions.claim, "_NEXT", statement)

    def take() -> str | None:
        try:
            return getattr(claim(QUEUE, "w1"), "pk", None)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [PAUSE])
            taken = pool.submit(take)
            deadline = time.monotonic() + 30
            waiters = 0
            while not waiters:
                assert time.monotonic() < deadline and not taken.done()
                cursor.execute(WAITING_FOR_IT, [PAUSE])
                waiters = cursor.fetchone()[0]
            cancel(alice, first.pk)
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PAUSE])
        assert taken.result(30) == second.pk


@committed
def test_claimers_at_once_never_get_the_same_and_keep_fair_order(alice: User, bob: User, hand_in: HandIn) -> None:
    for _ in range(10):
        hand_in(alice, state=State.WAITING)
    for _ in range(10):
        hand_in(bob, state=State.WAITING)

    def take(number: int) -> list[str]:
        taken = []
        while (run := claim(QUEUE, f"w{number}")) is not None:
            taken.append(run.pk)
        connection.close()
        return taken

    with ThreadPoolExecutor(8) as pool:
        taken = [pk for pks in pool.map(take, range(8)) for pk in pks]

    assert len(taken) == 20
    assert len(set(taken)) == 20
    order = list(Evaluation.objects.order_by("claimed_at").values_list("author_id", flat=True))
    assert all(set(order[i : i + 2]) == {alice.pk, bob.pk} for i in range(0, 20, 2))
