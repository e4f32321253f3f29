"""Where one stands, and what the sweeper rings."""

from __future__ import annotations

from datetime import timedelta

import dramatiq
import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.utils import timezone

from evaluator.contract import State
from kbweb.broker import make_broker
from submissions.claim import claim
from submissions.jobs import actor_of, ring_now
from submissions.limits import WORKER_GONE_S
from submissions.models import Evaluation, Worker
from submissions.queue_position import Position, position
from submissions.signals import housekeeping
from submissions.sweeper import Sweeper, queues_to_ring, sweep
from tests.submissions.conftest import HandIn, committed


def worker(queue: str, name: str = "w1", *, silent: timedelta = timedelta(0), in_service: bool = True) -> Worker:
    return Worker.objects.create(
        name=name, queue=queue, device=queue.removeprefix("device."), in_service=in_service, seen_at=timezone.now() - silent
    )


def bells() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name FROM dramatiq.queue WHERE state = 'queued' ORDER BY 1")
        return [name for (name,) in cursor.fetchall()]


def test_position_counts_what_fair_share_puts_ahead(alice: User, bob: User, hand_in: HandIn) -> None:
    for _ in range(10):
        hand_in(bob, state=State.WAITING)
    mine = [hand_in(alice, state=state) for state in (State.WAITING, State.QUEUED)]

    places = [position(run) for run in mine]

    assert [place.ahead for place in places if place] == [1, 3]
    assert [place.estimate_s for place in places if place] == [None, None]


def test_an_estimate_needs_a_worker(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    run = hand_in(alice, state=State.WAITING)
    worker("device.cpu")

    place = position(run)

    assert place is not None
    assert place.estimate_s == 5.0
    assert position(hand_in(alice, state=State.CHECKING)) is None


def test_what_is_not_built_needs_a_build_worker_too(alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)
    lacks = [place.lacks for place in (position(run),) if place]
    worker("build", "builder")
    lacks += [place.lacks for place in (position(run),) if place]
    worker("device.cpu", "cpu")

    assert lacks == ["build", "device"]
    assert position(run) == Position(0, 0.0, "")
    Worker.objects.filter(name="builder").update(seen_at=timezone.now() - timedelta(seconds=WORKER_GONE_S + 5))
    assert position(run) == Position(0, None, "build")


def test_the_position_is_the_order_of_claims(alice: User, bob: User, charlie: User, hand_in: HandIn) -> None:
    runs = [hand_in(author, state=State.WAITING) for author in (bob, bob, bob, alice, charlie, alice)]
    told = {run.pk: getattr(position(run), "ahead", None) for run in runs}

    order = [getattr(claim("device.cpu", f"w{n}"), "pk", "") for n in range(6)]

    assert abs(order.index(runs[3].pk) - (told[runs[3].pk] or 0)) <= 1


def test_the_sweeper_rings_where_an_idle_worker_is(alice: User, hand_in: HandIn) -> None:
    hand_in(alice)
    hand_in(alice, state=State.WAITING)
    hand_in(alice, state=State.WAITING, device="h100")
    worker("device.cpu", "cpu")
    worker("build", "gone", silent=timedelta(minutes=1))

    assert queues_to_ring() == ["device.cpu"]

    claim("device.cpu", "cpu")
    hand_in(alice, state=State.WAITING)
    assert queues_to_ring() == []


def test_a_worker_out_of_service_is_not_rung_for(alice: User, hand_in: HandIn) -> None:
    hand_in(alice, state=State.WAITING)
    worker("device.cpu", in_service=False)

    assert queues_to_ring() == []


@pytest.mark.django_db
def test_workers_that_are_long_gone_are_forgotten() -> None:
    worker("device.cpu", "old", silent=timedelta(hours=1))
    worker("device.cpu", "new")

    sweep()

    assert list(Worker.objects.values_list("name", flat=True)) == ["new"]


@pytest.mark.django_db
def test_the_sweeper_has_the_house_kept_once_a_minute() -> None:
    heard: list[object] = []

    def hear(sender: object, **kwargs: object) -> None:
        heard.append(sender)

    housekeeping.connect(hear)
    sweeper = Sweeper()

    sweeper.keep_house()
    sweeper.keep_house()

    assert heard == [Sweeper]
    housekeeping.disconnect(hear)


@committed
def test_at_most_one_bell_hangs_at_a_queue(alice: User, hand_in: HandIn) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue")
    for _ in range(5):
        hand_in(alice)
        ring_now("device.cpu")

    assert bells() == ["build", "device.cpu"]
    assert Evaluation.objects.count() == 5


def test_a_name_that_is_no_queue_is_refused() -> None:
    for name in ("", "device", "device.", "web"):
        with pytest.raises(ValueError, match="is no queue"):
            actor_of(name)


def test_actors_try_once_under_a_limit_above_all_stages() -> None:
    for queue in ("build", "device.cpu"):
        options = actor_of(queue).options
        assert options["max_retries"] == 0
        assert options["time_limit"] >= 900_000


def test_brokers_by_url() -> None:
    with pytest.raises(ImproperlyConfigured, match="http://"):
        make_broker("http://example.org")
    assert isinstance(make_broker(""), dramatiq.Broker)
