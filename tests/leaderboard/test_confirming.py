"""The site confirms who leads a board: when, how often, and what stops it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from evaluator.contract import EPOCH, Mode, State, Verdict
from leaderboard import challengers
from leaderboard.housekeeping import House, keep_house
from leaderboard.models import Entry, Op, Record
from leaderboard.ranking import board
from submissions.confirming import Confirmation
from submissions.events import FEED, board_stream, read
from submissions.models import Evaluation, Purpose
from submissions.request import request_of
from tests.leaderboard.conftest import Finish, confirm, confirmation, open_confirming_runs


def test_a_lead_is_run_again_as_it_was_by_the_stricter_rule(finish: Finish, alice: User) -> None:
    evaluation = finish(alice, 1.5)

    (run,) = open_confirming_runs()

    assert (run.submission_id, run.device, run.mode, run.seed) == (evaluation.submission_id, "cpu", Mode.RANKED, None)
    assert (run.author, run.state, run.is_house) == (alice, State.QUEUED, True)
    request, ordinary = request_of(run), request_of(evaluation)
    assert (request.confirming, ordinary.confirming) == (True, False)
    assert request.limits == ordinary.limits.for_confirming()
    assert confirmation() == Confirmation.CONFIRMING


def test_three_accepted_runs_one_after_the_other_confirm_it_and_no_more_are_made(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)

    confirm(1.5, 1.5, 1.5)
    keep_house(None)

    assert confirmation() == Confirmation.CONFIRMED
    assert Evaluation.objects.filter(purpose=Purpose.CONFIRMING).count() == 3
    assert open_confirming_runs() == []


def test_the_board_hears_of_each_and_the_feed_of_the_confirmation(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.6, 1.4)

    changes = [event.data["change"] for event in read(board_stream("softmax", "cpu"), 0)]
    assert changes == ["new", "changed", "changed", "confirmed"]
    assert [event.data["change"] for event in read(FEED, 0) if event.kind == "entry"] == ["new", "confirmed"]
    assert [event.kind for event in read(FEED, 0)].count("submitted") == 0


def test_a_tie_with_the_record_is_not_confirmed(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)

    finish(bob, 1.505)

    assert open_confirming_runs() == []


@pytest.mark.parametrize(
    ("leader", "error", "others", "worth"),
    [
        (1.0, 0.01, (), False),
        (1.5, 0.05, (), True),
        (0.95, 0.01, (), False),
        (0.95, 0.01, (0.8,), True),
        (0.95, 0.01, (0.945,), False),
    ],
    ids=["as fast as torch, alone", "beats torch", "alone", "beats another", "ties with another"],
)
def test_a_lead_is_worth_confirming_when_it_beats_something(
    finish: Finish, alice: User, bob: User, leader: float, error: float, others: tuple[float, ...], worth: bool
) -> None:
    for speedup in others:
        finish(bob, speedup)

    finish(alice, leader, error=error)

    assert [run.author for run in open_confirming_runs()] == [alice] * worth


@pytest.mark.parametrize(("error", "worth"), [(0.08, False), (0.05, True)], ids=["ties with the record", "beats the record"])
def test_where_a_record_stands_it_is_what_must_be_beaten(finish: Finish, alice: User, bob: User, error: float, worth: bool) -> None:
    finish(alice, 1.4)
    confirm(1.4, 1.4, 1.4)

    finish(bob, 1.5, error=error)

    assert [run.author for run in open_confirming_runs()] == [bob] * worth


def test_a_noisy_leader_who_ties_does_not_hold_up_the_next_who_does_not(finish: Finish, alice: User, bob: User, charlie: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 1.6, error=0.09)
    finish(charlie, 1.58, error=0.005)

    assert [run.author for run in open_confirming_runs()] == [charlie]
    confirm(1.58, 1.58, 1.58, error=0.005)

    assert [row.author for row in board("softmax", "cpu").rows] == ["bob", "charlie", "alice"]
    assert Record.objects.current().get().author == charlie


def test_who_leads_nobody_is_confirmed_as_soon_as_another_is_slower(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.0)
    assert open_confirming_runs() == []

    finish(bob, 0.9)

    assert [run.author for run in open_confirming_runs()] == [alice]


def test_what_a_lost_message_left_undone_the_sweeper_does(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    for _ in range(3):
        (run,) = open_confirming_runs()
        Evaluation.objects.filter(pk=run.pk).update(  # as if the receiver had failed
            state=State.DONE, verdict=Verdict.ACCEPTED, epoch=EPOCH, speedup=1.5, speedup_low=1.49, speedup_high=1.51, time_us=1.0,
            finished_at=run.queued_at,
        )  # fmt: skip
        keep_house(None)

    assert open_confirming_runs() == []
    assert confirmation() == Confirmation.CONFIRMED


def test_the_sweeper_asks_four_questions_where_nothing_is_due(finish: Finish, alice: User, django_assert_num_queries: Any) -> None:
    for op in ("softmax", "relu"):
        finish(alice, 1.0, op=op)

    with django_assert_num_queries(4):
        assert challengers.due() == []


def test_an_op_that_is_offered_no_more_is_not_confirmed(finish: Finish, alice: User) -> None:
    Op.objects.filter(pk="softmax").update(active=False)

    finish(alice, 1.5)

    assert open_confirming_runs() == []


def test_an_author_has_one_run_open_on_a_board_and_what_became_useless_is_taken_back(finish: Finish, alice: User) -> None:
    slower = finish(alice, 1.5)
    faster = finish(alice, 1.8)
    assert [run.submission_id for run in open_confirming_runs()] == [slower.submission_id]

    keep_house(None)

    assert [run.submission_id for run in open_confirming_runs()] == [faster.submission_id]
    assert Evaluation.objects.get(purpose=Purpose.CONFIRMING, state=State.DONE).verdict == Verdict.CANCELLED
    assert (Entry.objects.get().evaluation, Entry.objects.get().confirming_runs) == (faster, 0)


def test_what_an_author_left_behind_is_brought_to_its_end_while_it_can_take_the_record(finish: Finish, alice: User) -> None:
    """The second source is better by its median, but so wide that it would take nothing."""
    first = finish(alice, 1.5)
    confirm(1.5, 1.5)
    finish(alice, 1.6, error=0.4)
    assert Entry.objects.get().speedup == 1.6

    keep_house(None)
    (run,) = open_confirming_runs()
    assert run.submission_id == first.submission_id
    confirm(1.5)

    assert Record.objects.get().speedup == 1.5
    assert (Entry.objects.get().speedup, Entry.objects.get().confirmed) == (1.5, True)


def test_what_lost_its_run_after_its_author_left_it_behind_gets_it_from_the_sweeper(finish: Finish, alice: User) -> None:
    first = finish(alice, 1.5)
    confirm(1.5, 1.5)
    Evaluation.objects.filter(pk=open_confirming_runs()[0].pk).delete()
    unheard = finish(alice, 1.6, error=0.4, op="unknown_op")
    Evaluation.objects.filter(pk=unheard.pk).update(op="softmax")
    Entry.objects.update(evaluation=unheard, normalised_sha256=unheard.submission.normalised_sha256, confirming_runs=0)
    Entry.objects.update(confirmation=Confirmation.PROVISIONAL, speedup=1.6, speedup_low=0.96, speedup_high=2.24)

    assert challengers.due() == [("softmax", "cpu", alice.pk)]
    keep_house(None)

    assert [run.submission_id for run in open_confirming_runs()] == [first.submission_id]


def test_a_confirmed_source_is_displaced_only_by_one_that_is_clearly_faster(finish: Finish, alice: User) -> None:
    finish(alice, 1.5, source="confirmed")
    confirm(1.5, 1.5, 1.5)

    finish(alice, 1.51)
    assert (Entry.objects.get().speedup, Entry.objects.get().confirmed) == (1.5, True)

    finish(alice, 1.6)
    assert (Entry.objects.get().speedup, Entry.objects.get().confirmed) == (1.6, False)


def test_what_cannot_be_judged_any_more_is_not_run_again(finish: Finish, alice: User, bob: User) -> None:
    Op.objects.create(slug="mine/gone", title="Gone", signature="f(x)", precision="ieee_fp32")

    finish(alice, 1.5, op="mine/gone")
    keep_house(None)

    assert open_confirming_runs() == []
    assert confirmation() == Confirmation.PROVISIONAL


def test_a_board_that_fails_keeps_no_other_from_its_turn(finish: Finish, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for op in ("relu", "softmax"):
        finish(alice, 1.5, op=op)
    open_confirming_runs()[0].delete()
    open_confirming_runs()[0].delete()
    Evaluation.objects.filter(op="relu").update(outcome={"cases": [{"timing": {"clock": 7}}]}, speedup=1.6)

    keep_house(None)

    assert [run.op for run in open_confirming_runs()] == ["softmax"]


def test_a_round_that_takes_too_long_goes_on_in_the_next(finish: Finish, alice: User) -> None:
    for op in ("relu", "softmax"):
        finish(alice, 1.5, op=op)
    Evaluation.objects.filter(purpose=Purpose.CONFIRMING).delete()
    house = House(round_s=0.0)

    house.keep()
    assert open_confirming_runs() == []
    house.round_s = 60.0
    house.keep()

    assert sorted(run.op for run in open_confirming_runs()) == ["relu", "softmax"]


def test_a_board_hears_when_the_confirmation_of_another_begins(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 1.4)
    confirm(1.5, verdict=Verdict.WRONG_RESULT)

    told = [(event.data["author"], event.data["change"], event.data["confirmation"]) for event in read(board_stream("softmax", "cpu"), 0)]
    assert told[-2:] == [("bob", "confirming", "confirming"), ("alice", "changed", "not_confirmed")]
