"""How a board's record passes on."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management import call_command

from evaluator.contract import Flag, Verdict
from leaderboard.models import Record
from leaderboard.overview import record_history
from submissions.models import Evaluation
from tests.leaderboard.conftest import Finish


def holders() -> list[tuple[str, float, bool]]:
    return [(p.author, p.speedup, p.held_until is None) for p in record_history("softmax", "cpu")]


def test_the_first_entry_takes_the_record_and_a_faster_one_takes_it_away(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 2.0)

    assert holders() == [("alice", 1.5, False), ("bob", 2.0, True)]


def test_a_tie_takes_no_record(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.500)
    finish(bob, 1.505)

    assert holders() == [("alice", 1.5, True)]


def test_the_holder_can_beat_himself(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    finish(alice, 1.51)
    finish(alice, 2.0)

    assert holders() == [("alice", 1.5, False), ("alice", 2.0, True)]


def test_a_record_follows_the_median_of_its_own_source(finish: Finish, alice: User) -> None:
    finish(alice, 1.5, source="same")
    finish(alice, 1.3, source="same")

    assert holders() == [("alice", 1.4, True)]


def test_interpreted_kernels_hold_no_record(finish: Finish, alice: User) -> None:
    finish(alice, 3.0, flags=(Flag.INTERPRETED,))

    assert holders() == []


def test_a_withdrawn_record_passes_to_the_next(finish: Finish, alice: User, bob: User) -> None:
    finish(bob, 1.2)
    cheat = finish(alice, 50.0)
    Evaluation.objects.filter(pk=cheat.pk).update(verdict=Verdict.REJECTED.value)

    call_command("rebuild_entries")

    assert holders()[-1] == ("bob", 1.2, True)
    assert Record.objects.filter(held_until__isnull=True).count() == 1


def test_no_record_without_an_audited_case(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 5.0, audited=False)
    finish(bob, 1.2)

    assert holders() == [("bob", 1.2, True)]
