"""What a confirming run says: it counts, refuses the source, or is made again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from evaluator.contract import Flag, Verdict
from leaderboard import challengers
from leaderboard.housekeeping import keep_house
from leaderboard.models import Record
from leaderboard.overview import ops, recent_entries, summaries
from leaderboard.ranking import board
from leaderboard.reruns import rerun_top
from submissions.confirming import MOST_UNCOUNTED, Confirmation, of_evaluation
from submissions.models import Evaluation
from tests.leaderboard.conftest import Finish, complete, confirm, confirmation, open_confirming_runs


@pytest.mark.parametrize(
    ("verdict", "flags"),
    [
        (Verdict.WRONG_RESULT, ()),
        (Verdict.TIMEOUT, ()),
        (Verdict.WRONG_RESULT, (Flag.DISTURBED,)),
        (Verdict.ACCEPTED, (Flag.NOT_CAPTURED,)),
    ],
    ids=str,
)
def test_a_run_that_refuses_a_source_takes_its_rank_and_the_row_says_which(
    finish: Finish, alice: User, bob: User, verdict: Verdict, flags: tuple[Flag, ...]
) -> None:
    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)
    finish(alice, 1.5, source="same")
    confirm(1.5)
    (stopper,) = confirm(1.5, verdict=verdict, flags=flags)

    finish(alice, 1.6, source="same")
    keep_house(None)

    assert open_confirming_runs() == []
    shown = board("softmax", "cpu")
    assert [(row.author, row.rank) for row in shown.rows] == [("bob", 1)]
    (row,) = shown.not_confirmed
    assert (row.author, row.rank, row.confirmed, row.confirmation) == ("alice", None, False, Confirmation.NOT_CONFIRMED)
    assert row.stopped_by == stopper
    assert row.why == f"a confirming run ended as {flags[0] if verdict is Verdict.ACCEPTED else verdict}"
    assert Record.objects.current().get().author == bob
    assert [one.author for one in recent_entries()] == ["bob"]
    best = next(summary for summary in summaries(list(ops())) if summary.op.slug == "softmax").boards[0]
    assert (best.entries, best.best.author if best.best else "") == (1, "bob")


def test_the_next_is_confirmed_when_the_first_is_not(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 1.4)
    confirm(1.5, verdict=Verdict.WRONG_RESULT)

    assert [run.author for run in open_confirming_runs()] == [bob]


def test_a_refused_source_makes_way_for_its_authors_next_best(finish: Finish, alice: User, bob: User) -> None:
    finish(bob, 1.1)
    confirm(1.1, 1.1, 1.1)
    honest = finish(alice, 1.3)
    confirm(1.3)
    finish(alice, 9.0)
    confirm(1.3)
    confirm(9.0, verdict=Verdict.WRONG_RESULT)

    assert [row.evaluation for row in board("softmax", "cpu").rows if row.author == "alice"] == [honest.pk]
    confirm(1.3)
    assert [record.author for record in Record.objects.current()] == [alice]


def test_the_lead_passes_on_when_a_run_shows_that_it_was_luck(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.3)
    confirm(1.3)
    finish(bob, 1.5)
    assert {run.author for run in open_confirming_runs()} == {alice, bob}

    for _ in range(3):
        (run,) = [run for run in open_confirming_runs() if run.author == bob]
        complete(run, 1.1)

    assert [record.author for record in Record.objects.all()] == [bob], "who is confirmed waits for nobody"
    confirm(1.3, 1.3)
    assert [record.author for record in Record.objects.all()] == [bob, alice]


SPOILT = [
    (Verdict.INFRA_ERROR, ()),
    (Verdict.ACCEPTED, (Flag.DISTURBED,)),
    (Verdict.ACCEPTED, (Flag.THROTTLED,)),
    (Verdict.SUSPECT, (Flag.DISTURBED,)),
    (Verdict.TIMEOUT, (Flag.THROTTLED,)),
]


@pytest.mark.parametrize(("verdict", "flags"), SPOILT, ids=str)
def test_what_was_no_fault_of_the_kernel_is_made_again_six_times(
    finish: Finish, alice: User, bob: User, verdict: Verdict, flags: tuple[Flag, ...]
) -> None:
    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)
    finish(alice, 1.5)
    confirm(1.5)

    confirm(*[1.5] * MOST_UNCOUNTED, verdict=verdict, flags=flags)
    keep_house(None)

    assert open_confirming_runs() == []
    (row,) = board("softmax", "cpu").not_confirmed
    assert (row.author, row.stopped_by, row.why) == ("alice", None, "could not be confirmed: 6 runs did not count")


def test_an_accepted_run_of_the_house_lets_the_site_try_again(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(1.5)
    confirm(*[1.5] * MOST_UNCOUNTED, flags=(Flag.DISTURBED,))

    (again,) = rerun_top(1)
    complete(Evaluation.objects.get(pk=again.evaluation), 1.5)

    assert confirmation() == Confirmation.CONFIRMING
    confirm(1.5, flags=(Flag.DISTURBED,))
    confirm(1.5, 1.5)
    assert confirmation() == Confirmation.CONFIRMED


def test_one_suspect_run_is_made_again_and_two_are_final(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, verdict=Verdict.SUSPECT)
    confirm(1.5)
    assert confirmation() == Confirmation.CONFIRMING

    (second,) = confirm(1.5, verdict=Verdict.SUSPECT)

    assert open_confirming_runs() == []
    (row,) = board("softmax", "cpu").not_confirmed
    assert (row.stopped_by, row.why) == (second, "a confirming run ended as suspect")


def test_a_cancelled_run_says_nothing_and_is_made_again_but_not_for_ever(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(*[1.5] * challengers.MOST_AN_HOUR, verdict=Verdict.CANCELLED)
    assert open_confirming_runs() == []
    assert confirmation() == Confirmation.PROVISIONAL

    Evaluation.objects.update(queued_at=Evaluation.objects.earliest("queued_at").queued_at - timedelta(hours=1))
    keep_house(None)

    confirm(1.5, 1.5, 1.5)
    assert confirmation() == Confirmation.CONFIRMED


def test_a_run_that_did_not_count_has_no_number(finish: Finish, alice: User) -> None:
    evaluation = finish(alice, 1.5)
    confirm(1.5, verdict=Verdict.INFRA_ERROR)
    confirm(1.5)

    found = of_evaluation(evaluation, evaluation.submission)

    assert found is not None
    assert [run.name for run in found.runs] == ["confirming run that did not count", "confirming run 1 of 3", "confirming run 2 of 3"]
