"""Which evaluation becomes an author's entry, and with which figures."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluator.contract import Flag, Mode, Policy, Verdict
from leaderboard import entries
from leaderboard.eligibility import why_ineligible
from leaderboard.models import Device, Entry
from leaderboard.news import Change
from submissions.models import Evaluation, Visibility
from tests.leaderboard.conftest import Finish, confirm

BOARD = ("softmax", "cpu")


def test_an_accepted_ranked_evaluation_becomes_an_entry(finish: Finish, alice: User) -> None:
    evaluation = finish(alice, 1.5)

    entry = Entry.objects.eligible().get()
    assert (entry.author, entry.evaluation, entry.speedup, entry.runs) == (alice, evaluation, 1.5, 1)
    assert (entry.cases, entry.cases_won, entry.baseline_us) == (1, 1, pytest.approx(1000))
    assert entry.time_error_us == pytest.approx(entry.time_us * 1.96 * 1.4826 * 1.2533 * 0.01 / 10, rel=1e-3)
    assert not entry.confirmed
    assert why_ineligible(evaluation) == ""


@pytest.mark.parametrize(
    "options",
    [
        {"verdict": Verdict.WRONG_RESULT},
        {"verdict": Verdict.SUSPECT},
        {"mode": Mode.BENCHMARK},
        {"mode": Mode.TEST},
        {"visibility": Visibility.PRIVATE},
        {"seed": 7},
        {"policy": Policy.BACKENDBENCH},
        {"flags": (Flag.NOT_CAPTURED,)},
        {"flags": (Flag.DISTURBED,)},
        {"op": "unknown_op"},
    ],
    ids=str,
)
def test_what_is_not_eligible_makes_no_entry(finish: Finish, alice: User, options: dict[str, object]) -> None:
    evaluation = finish(alice, 9.0, **options)

    assert not Entry.objects.exists()
    if evaluation.verdict == Verdict.ACCEPTED and evaluation.op != "unknown_op":
        assert why_ineligible(evaluation)


def test_a_result_whose_source_is_hidden_stands_on_the_board(finish: Finish, alice: User) -> None:
    finish(alice, visibility=Visibility.RESULT)

    assert Entry.objects.eligible().count() == 1


def test_the_figure_is_the_median_over_all_runs_of_a_source(finish: Finish, alice: User) -> None:
    runs = {speedup: finish(alice, speedup, source="same") for speedup in (1.0, 9.0, 1.2, 1.1, 1.3)}

    entry = Entry.objects.get()
    assert (entry.speedup, entry.runs) == (1.2, 5)
    assert entry.evaluation == runs[1.2]
    assert entry.speedup_low < entry.speedup < entry.speedup_high


def test_the_best_source_is_the_entry(finish: Finish, alice: User) -> None:
    finish(alice, 2.0, source="lucky once")
    finish(alice, 1.0, source="lucky once")
    better = finish(alice, 1.8, source="steady")
    finish(alice, 1.1, source="slow")

    entry = Entry.objects.get()
    assert (entry.speedup, entry.evaluation) == (1.8, better)


def test_each_author_has_one_entry_a_board(finish: Finish, alice: User, bob: User) -> None:
    for author in (alice, bob):
        finish(author, 1.1)
        finish(author, 1.2, device="h100")
        finish(author, 1.3, op="relu")
        finish(author, 1.4, flags=(Flag.INTERPRETED,))

    assert Entry.objects.count() == 8


def test_runs_of_the_author_confirm_nothing(finish: Finish, alice: User) -> None:
    for _ in range(6):
        finish(alice, source="same")

    entry = Entry.objects.get()
    assert (entry.runs, entry.confirming_runs, entry.confirmed) == (6, 0, False)


def test_once_confirmed_an_entry_shows_the_median_of_its_confirming_runs_alone(finish: Finish, alice: User) -> None:
    finish(alice, 1.9, source="same")
    confirming = confirm(1.5, 1.7)
    assert Entry.objects.get().speedup == 1.7

    confirming += confirm(1.6)
    finish(alice, 9.0, source="same")

    entry = Entry.objects.get()
    assert (entry.speedup, entry.runs, entry.confirming_runs, entry.confirmed) == (1.6, 5, 3, True)
    assert entry.evaluation == confirming[2]


def test_a_withdrawn_evaluation_leaves_the_board_at_once_and_the_next_best_follows(finish: Finish, alice: User) -> None:
    second = finish(alice, 1.5)
    first = finish(alice, 2.0)

    Evaluation.objects.filter(pk=first.pk).update(verdict=Verdict.REJECTED.value)
    assert not Entry.objects.eligible().exists()
    call_command("rebuild_entries")

    assert Entry.objects.eligible().get().evaluation == second


def test_an_entry_without_any_run_left_is_removed(finish: Finish, alice: User) -> None:
    evaluation = finish(alice)
    Evaluation.objects.filter(pk=evaluation.pk).update(verdict=Verdict.SUSPECT.value)

    assert entries.refresh(*BOARD, alice.pk, in_interpreter=False) == (None, Change.REMOVED)
    assert not Entry.objects.exists()


def test_refreshing_twice_changes_nothing(finish: Finish, alice: User) -> None:
    finish(alice)
    before = Entry.objects.values().get()

    _, change = entries.refresh(*BOARD, alice.pk, in_interpreter=False)

    assert change is Change.NONE
    assert Entry.objects.values().get() == before


def test_a_gpu_of_no_known_class_gets_its_own_board(finish: Finish, alice: User) -> None:
    finish(alice, device="rtx-9000")

    assert Device.objects.get(pk="rtx-9000").active
    assert Entry.objects.get().device_id == "rtx-9000"


def test_an_outcome_that_cannot_be_read_whole_still_ranks(finish: Finish, alice: User) -> None:
    evaluation = finish(alice)
    Evaluation.objects.filter(pk=evaluation.pk).update(outcome=None)
    Entry.objects.all().delete()

    entry, _ = entries.refresh(*BOARD, alice.pk, in_interpreter=False)

    assert entry is not None
    assert (entry.baseline_us, entry.cases) == (None, 0)
