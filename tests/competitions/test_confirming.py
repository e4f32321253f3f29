"""Leaders of competitions are confirmed by the rules of open boards, apart from these and from each other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluator.contract import Verdict
from leaderboard import challengers, competition_leaders
from leaderboard.competition_boards import results
from leaderboard.housekeeping import House, keep_house
from leaderboard.models import Entry, Record
from leaderboard.ranking import board
from leaderboard.results import results as of_suite
from leaderboard.scope import Scope
from leaderboard.suites import suites
from submissions.competitions.models import Competition, Group
from submissions.confirming import Confirmation
from submissions.events import read
from submissions.models import Evaluation, Purpose
from submissions.streams import competition_stream
from tests.competitions.conftest import competition
from tests.competitions.test_boards import audited
from tests.leaderboard.conftest import complete, confirm, open_confirming_runs, unfinished


def end(run: Evaluation, speedup: float, **options: object) -> None:
    with transaction.atomic():
        complete(run, speedup, **options)  # type: ignore[arg-type]


def test_who_is_overtaken_before_a_run_counted_waits_for_none(private: Competition, alice: User, bob: User, dana: User) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 1.4)
    (hers,) = open_confirming_runs()
    audited(dana, private, 1.8)

    keep_house(None)

    hers.refresh_from_db()
    assert (hers.author, hers.verdict) == (alice, Verdict.CANCELLED)
    assert [run.author for run in open_confirming_runs()] == [dana]
    assert Entry.objects.get(author=alice).confirmation == Confirmation.PROVISIONAL


def test_what_is_not_confirmed_has_no_rank_and_counts_in_no_score(private: Competition, alice: User, bob: User) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 1.4)
    confirm(1.4, verdict=Verdict.WRONG_RESULT)

    shown = board("softmax", "cpu", viewer=bob, scope=Scope(private))
    found = results(private, bob)

    assert [(row.rank, row.author) for row in (*shown.rows, *shown.not_confirmed)] == [(1, "bob"), (None, "alice")]
    assert [row.author for row in found.standings] == ["bob"]
    leader = found.boards[0].leader
    assert leader is not None
    assert (leader.author, found.boards[0].entries) == ("bob", 2)


def test_a_lost_doorbell_is_found_once_a_minute(private: Competition, alice: User, bob: User) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 1.4)
    Evaluation.objects.filter(purpose=Purpose.CONFIRMING).delete()
    Entry.objects.update(confirmation=Confirmation.PROVISIONAL)

    assert competition_leaders.due() == [("softmax", "cpu", alice.pk, private.pk)]
    assert challengers.due() == []
    House().keep()

    assert [(run.author, run.submission.competition) for run in open_confirming_runs()] == [(alice, private)]
    assert competition_leaders.due() == []


@pytest.mark.parametrize(("ago", "looked_after"), [(timedelta(days=13), True), (timedelta(days=15), False)])
def test_leaders_are_looked_after_for_two_weeks(private: Competition, alice: User, bob: User, ago: timedelta, looked_after: bool) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 1.4)
    Evaluation.objects.filter(purpose=Purpose.CONFIRMING).delete()

    Competition.objects.filter(pk=private.pk).update(closes_at=timezone.now() - ago, opens_at=timezone.now() - ago - timedelta(days=1))

    assert bool(competition_leaders.due()) is looked_after


def test_each_competition_and_the_open_board_confirm_for_themselves(lab: Group, private: Competition, alice: User, bob: User) -> None:
    other = competition(lab)
    for to in (private, other):
        audited(bob, to, 1.1)
        audited(alice, to, 1.4)
    end(unfinished(alice), 1.4)
    first = next(run for run in open_confirming_runs() if run.submission.competition == private)

    end(first, 1.4, verdict=Verdict.WRONG_RESULT)

    states = {entry.competition_id: entry.confirmation for entry in Entry.objects.filter(author=alice)}
    assert states == {private.pk: Confirmation.NOT_CONFIRMED, other.pk: Confirmation.CONFIRMING, None: Confirmation.CONFIRMING}


def test_confirmed_in_a_competition_is_no_record_and_takes_none(private: Competition, alice: User, bob: User, dana: User) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 4.0)
    confirm(4.0, 4.0, 4.0)
    end(unfinished(dana), 1.5)
    confirm(1.5, 1.5, 1.5)

    assert [record.author for record in Record.objects.all()] == [dana]
    assert Entry.objects.get(author=alice).confirmed


def test_what_a_competition_refused_is_not_told_by_the_results_of_a_suite(private: Competition, alice: User, bob: User, dana: User) -> None:
    audited(bob, private, 1.1)
    here = audited(alice, private, 1.4)
    end(unfinished(alice, source=here.submission.source), 1.4)
    before = of_suite(suites()["smoke"], "cpu", reader=dana)
    there = next(run for run in open_confirming_runs() if run.submission.competition == private)

    end(there, 1.4, verdict=Verdict.WRONG_RESULT)

    assert of_suite(suites()["smoke"], "cpu", reader=dana) == before
    assert [row.author for row in before.rows] == ["alice"]


def test_readers_hear_of_a_confirmation_that_another_ending_begins(private: Competition, alice: User, bob: User) -> None:
    audited(alice, private, 1.4)
    audited(bob, private, 1.1)

    told = [event.data["change"] for event in read(competition_stream(private.pk), 0)]

    assert told == ["new", "confirming", "new"]


def test_a_deleted_competition_leaves_no_run_behind(private: Competition, alice: User, bob: User) -> None:
    audited(bob, private, 1.1)
    audited(alice, private, 1.4)
    assert open_confirming_runs()

    private.delete()
    keep_house(None)

    assert open_confirming_runs() == []
