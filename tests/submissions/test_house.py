"""The site's own evaluations cost their author nothing and wait behind everybody's work."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from evaluator.contract import Reason, State, Verdict
from submissions.cancel import cancel, take_back
from submissions.claim import claim
from submissions.events import FEED, read
from submissions.finish import conclude, ended_without_judge
from submissions.limits import house_patience_s
from submissions.models import HOUSE, Evaluation, Purpose
from submissions.queue_position import position
from submissions.quota import used
from submissions.rerun import again
from tests.submissions.conftest import HandIn

QUEUE = "device.cpu"


def house(run: Evaluation, purpose: Purpose = Purpose.CONFIRMING, state: State = State.WAITING) -> Evaluation:
    with transaction.atomic():
        made = again(run, purpose)
    Evaluation.objects.filter(pk=made.pk).update(state=state)
    made.refresh_from_db()
    return made


def done(run: Evaluation) -> Evaluation:
    Evaluation.objects.filter(pk=run.pk).update(state=State.DONE, verdict=Verdict.ACCEPTED)
    run.refresh_from_db()
    return run


def test_they_are_claimed_after_everybodys_own_and_confirming_ones_first(alice: User, bob: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    runs = {
        "site": house(old, Purpose.HOUSE),
        "confirming": house(old),
        "bob": hand_in(bob, state=State.WAITING),
        "alice": hand_in(alice, state=State.WAITING),
    }
    names = {run.pk: name for name, run in runs.items()}

    order = [names[taken.pk] for n in range(4) if (taken := claim(QUEUE, f"w{n}"))]

    assert set(order[:2]) == {"alice", "bob"}
    assert order[2:] == ["confirming", "site"]


def aged(run: Evaluation) -> Evaluation:
    Evaluation.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(seconds=house_patience_s() + 1))
    return run


def order_of(names: dict[str, str], count: int) -> list[str]:
    return [names[taken.pk] for n in range(count) if (taken := claim(QUEUE, f"w{n}"))]


def test_after_a_quarter_of_an_hour_the_site_takes_its_turn_as_one_author(alice: User, bob: User, hand_in: HandIn) -> None:
    """Three old ones of the site's do not go before everybody: the site, too, pays for what runs."""
    old = done(hand_in(alice))
    names = {aged(house(old, Purpose.HOUSE)).pk: "site" for _ in range(2)}
    names[aged(house(old)).pk] = "confirming"
    names[house(old).pk] = "young"
    for author in (alice, alice, bob, bob):
        names[hand_in(author, state=State.WAITING).pk] = author.username
    told = [getattr(position(Evaluation.objects.get(pk=pk)), "ahead", None) for pk, name in names.items() if name == "young"]

    order = order_of(names, 8)

    assert order[0] == "confirming"
    assert [set(order[start : start + 3]) for start in (0, 3)] == [{"confirming", "alice", "bob"}, {"site", "alice", "bob"}]
    assert order[6:] == ["site", "young"]
    assert told == [7]


def test_the_site_pays_for_what_it_ran(alice: User, bob: User, hand_in: HandIn) -> None:
    ran = done(house(done(hand_in(alice))))
    Evaluation.objects.filter(pk=ran.pk).update(worker_seconds=1000.0, finished_at=timezone.now())
    waits = aged(house(ran))
    own = [hand_in(author, state=State.WAITING) for author in (alice, bob)]

    assert getattr(position(waits), "ahead", None) == 2
    assert set(order_of({run.pk: run.pk for run in (waits, *own)}, 2)) == {run.pk for run in own}


def test_among_confirming_runs_the_author_goes_first_for_whom_least_was_spent(alice: User, bob: User, hand_in: HandIn) -> None:
    spent = done(house(done(hand_in(alice))))
    Evaluation.objects.filter(pk=spent.pk).update(worker_seconds=100.0, finished_at=timezone.now())
    hers, his = house(spent), house(done(hand_in(bob)))

    assert [getattr(position(run), "ahead", None) for run in (hers, his)] == [1, 0]
    assert order_of({hers.pk: "alice", his.pk: "bob"}, 2) == ["bob", "alice"]


def test_one_that_waits_can_be_taken_back_and_one_at_work_cannot(alice: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    waits, runs, own = house(old), house(old, state=State.CHECKING), hand_in(alice)

    assert [take_back(run.pk) for run in (waits, waits, runs, own)] == [True, False, False, False]

    assert [Evaluation.objects.get(pk=run.pk).verdict for run in (waits, runs, own)] == ["cancelled", "", ""]


def test_they_are_built_after_everybodys_own(alice: User, bob: User, hand_in: HandIn) -> None:
    house(done(hand_in(alice)), state=State.QUEUED)
    own = hand_in(bob)

    taken = claim("build", "w1")

    assert taken is not None
    assert taken.pk == own.pk


def test_one_alone_is_claimed_though_its_author_has_nothing_else(alice: User, hand_in: HandIn) -> None:
    run = house(done(hand_in(alice)))

    taken = claim(QUEUE, "w1")

    assert taken is not None
    assert taken.pk == run.pk


def test_what_they_cost_is_not_their_authors(alice: User, bob: User, hand_in: HandIn) -> None:
    Evaluation.objects.filter(pk=house(done(hand_in(alice))).pk).update(worker_seconds=1000.0)
    first = hand_in(alice, state=State.WAITING)
    hand_in(bob, state=State.WAITING)

    taken = claim(QUEUE, "w1")

    assert taken is not None
    assert taken.pk == first.pk


def test_they_use_up_no_quota(alice: User, hand_in: HandIn, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS = 1
    old = done(hand_in(alice))
    house(old)

    assert used(alice).open_evaluations == 0
    assert hand_in(alice).verdict == ""


def test_they_stand_behind_all_and_delay_nobody(alice: User, bob: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    first, second = house(old), house(old)
    own = [hand_in(author, state=State.WAITING) for author in (alice, bob)]

    assert [getattr(position(run), "ahead", None) for run in (first, second)] == [2, 3]
    assert max(getattr(position(run), "ahead", 9) for run in own) == 1


def test_the_feed_does_not_hear_of_them(alice: User, hand_in: HandIn) -> None:
    old = done(hand_in(alice))
    before = len(read(FEED, 0))

    for purpose in HOUSE:
        run = house(old, purpose, State.TIMING)
        with transaction.atomic():
            conclude(run, ended_without_judge(run, Verdict.INFRA_ERROR, Reason("lost", "The device is gone.")))

    assert len(read(FEED, 0)) == before


def test_only_staff_may_stop_them(alice: User, charlie: User, hand_in: HandIn) -> None:
    run = house(done(hand_in(alice)))

    with pytest.raises(PermissionDenied, match="site's own"):
        cancel(alice, run.pk)
    assert cancel(charlie, run.pk).verdict == "cancelled"
