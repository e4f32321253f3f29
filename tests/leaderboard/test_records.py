"""How a board's record passes on: between confirmed sources alone."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from evaluator.contract import Flag, Verdict
from leaderboard import challengers, records
from leaderboard.bands import places
from leaderboard.models import Entry, Record, RecordEnd
from leaderboard.overview import record_history
from submissions.models import Evaluation
from tests.leaderboard.conftest import Finish, complete, confirm, open_confirming_runs


def holders() -> list[tuple[str, float, bool]]:
    return [(p.author, p.speedup, p.stands) for p in record_history("softmax", "cpu")]


def test_a_lead_is_no_record_until_it_is_confirmed(finish: Finish, alice: User) -> None:
    finish(alice, 1.8)
    confirm(1.5, 1.52)
    assert holders() == []

    confirm(1.48)

    assert holders() == [("alice", 1.5, True)]


def test_a_faster_one_takes_it_away_once_it_is_confirmed_too(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 2.0)
    assert holders() == [("alice", 1.5, True)]

    confirm(2.0, 2.1, 1.9)

    assert holders() == [("alice", 1.5, False), ("bob", 2.0, True)]
    assert Record.objects.order_by("pk")[0].ended_by == RecordEnd.BEATEN


def test_who_was_only_lucky_takes_nothing(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 1.7)

    confirm(1.4, 1.41, 1.4)

    assert holders() == [("alice", 1.5, True)]
    assert {e.author.username: e.confirmed for e in Entry.objects.all()} == {"alice": True, "bob": True}


def test_the_holder_can_beat_himself(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(alice, 1.51)
    assert open_confirming_runs() == []
    assert holders() == [("alice", 1.5, True)]

    finish(alice, 2.0)
    confirm(2.0, 2.0, 2.0)

    assert holders() == [("alice", 1.5, False), ("alice", 2.0, True)]


def test_whoever_is_confirmed_takes_it_though_a_faster_one_is_provisional(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 9.0)
    assert [run.author for run in open_confirming_runs()] == [alice, bob]

    for _ in range(3):
        complete(next(run for run in open_confirming_runs() if run.author == alice), 1.5)

    assert holders() == [("alice", 1.5, True)]


def test_of_several_confirmed_the_best_that_beats_the_record_takes_it(finish: Finish, alice: User, bob: User, charlie: User) -> None:
    """Bob leads by his median, and ties with the record: Charlie does not."""
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)
    finish(bob, 1.7)
    confirm(1.6, 1.6, 1.6, error=0.09)
    assert holders() == [("alice", 1.5, True)]

    finish(charlie, 1.58, error=0.005)
    confirm(1.58, 1.58, 1.58, error=0.005)

    assert holders() == [("alice", 1.5, False), ("charlie", 1.58, True)]


def test_a_lead_that_was_luck_begins_no_record(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)

    confirm(1.0, 0.99, 1.0)

    assert Entry.objects.get().confirmed
    assert holders() == []


def test_a_record_follows_later_confirming_runs_and_no_other_run(finish: Finish, alice: User) -> None:
    first = finish(alice, 1.5, source="same")
    runs = confirm(1.5, 1.5, 1.5)
    finish(alice, 9.0, source="same")
    assert holders() == [("alice", 1.5, True)]

    Evaluation.objects.filter(pk=runs[0].pk).update(speedup=1.3, speedup_low=1.29, speedup_high=1.31)
    Evaluation.objects.filter(pk=runs[1].pk).update(speedup=1.4, speedup_low=1.39, speedup_high=1.41)
    call_command("rebuild_entries")

    assert holders() == [("alice", 1.4, True)]
    assert Record.objects.get().evaluation != first


def test_interpreted_kernels_are_never_confirmed(finish: Finish, alice: User) -> None:
    finish(alice, 3.0, flags=(Flag.INTERPRETED,))

    assert open_confirming_runs() == []
    assert holders() == []


def test_a_withdrawn_record_passes_to_the_next_that_is_confirmed(finish: Finish, alice: User, bob: User) -> None:
    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)
    finish(alice, 50.0)
    cheats = confirm(50.0, 50.0, 50.0)
    Evaluation.objects.filter(pk=cheats[0].pk).update(verdict=Verdict.REJECTED.value)

    call_command("rebuild_entries")

    assert holders() == [("bob", 1.2, False), ("bob", 1.2, True)], "what was refused is told of no more"
    assert [record.ended_by for record in Record.objects.filter(author=alice)] == [RecordEnd.WITHDRAWN]


def test_no_record_without_an_audited_case(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 5.0, audited=False)
    finish(bob, 1.2)
    confirm(1.2, 1.2, 1.2)

    assert holders() == [("bob", 1.2, True)]


@pytest.mark.parametrize("seed", range(4))
def test_records_and_bands_agree_when_all_is_confirmed(finish: Finish, seed: int) -> None:
    """The holder of the record is in the first band: what the page says of ranks and of the record cannot contradict each other."""
    chance = random.Random(seed)
    authors = [User.objects.create_user(f"author{i}") for i in range(4)]
    truth: dict[str, float] = {}
    for _ in range(8):
        true = chance.uniform(1.05, 1.3)
        run = finish(chance.choice(authors), true * chance.lognormvariate(0, 0.02), error=0.01)
        truth[run.submission_id] = true
        while pending := open_confirming_runs():
            complete(pending[0], truth[pending[0].submission_id] * chance.lognormvariate(0, 0.002), 0.004)

    ranked = list(Entry.objects.eligible().best_first())
    first_band = [entry.author_id for entry, place in zip(ranked, places([e.interval for e in ranked]), strict=True) if place.band == 1]
    record = Record.objects.current().get()
    assert challengers.challenger("softmax", "cpu") is None
    assert record.author_id in first_band
    holder = next(entry for entry in ranked if entry.author_id == record.author_id)
    assert holder.interval.overlaps(record.interval), "of two sources that tie, the row may show the one that holds no record"
    source = next(s for s in records.confirmed("softmax", "cpu") if s.normalised_sha256 == record.normalised_sha256)
    assert (source.author_id, source.interval) == (record.author_id, record.interval)
