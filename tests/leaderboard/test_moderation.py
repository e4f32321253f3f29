"""A moderator decides, and boards, records and confirming runs follow; withdrawn, they are again what they were."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.http import Http404

from evaluator.contract import EPOCH, Mode, Verdict
from leaderboard.models import Entry, Record, RecordEnd
from leaderboard.moderation import MAX_REASON, DecisionError, decide, waiting, withdraw
from submissions.confirming import MOST_DOUBTS, Confirmation
from submissions.decisions.models import Decision, Kind
from submissions.events import board_stream, evaluation_stream, read
from submissions.models import Evaluation, Purpose
from submissions.webhooks import owning
from submissions.webhooks.models import Delivery
from tests.leaderboard.conftest import Finish, confirm, open_confirming_runs, standing, unfinished
from tests.leaderboard.held import accept, held, hold


def test_what_is_held_stands_nowhere_and_waits(loaded: None, alice: User) -> None:
    evaluation = held(alice)

    assert standing() == []
    assert list(waiting()) == [evaluation]


def test_accepted_as_it_is_it_stands_and_is_confirmed_like_any_other(loaded: None, alice: User, mod: User) -> None:
    evaluation = held(alice, 1.5)

    (decision,) = decide(mod, evaluation.pk, Kind.ACCEPT, "a graph replay explains it", every_run=False)

    evaluation.refresh_from_db()
    assert evaluation.verdict == Verdict.ACCEPTED
    assert (evaluation.outcome or {})["verdict"] == Verdict.SUSPECT, "what the evaluator said stays"
    assert standing() == [("alice", 1.5)]
    assert not waiting().exists()
    assert (decision.actor, decision.verdict_before, decision.stands) == (mod, Verdict.SUSPECT, True)
    confirm(1.5, 1.5, 1.5)
    assert Record.objects.current().get().author == alice


def test_refused_it_is_rejected_and_stays_out(loaded: None, alice: User, mod: User) -> None:
    evaluation = held(alice)

    decide(mod, evaluation.pk, Kind.REFUSE, "caches its answers", every_run=False)

    evaluation.refresh_from_db()
    assert evaluation.verdict == Verdict.REJECTED
    assert standing() == []
    assert not waiting().exists()


def test_a_record_that_is_refused_later_goes_with_all_runs_and_passes_on(finish: Finish, alice: User, bob: User, mod: User) -> None:
    finish(bob, 1.2, source="honest")
    confirm(1.2, 1.2, 1.2)
    cheat = finish(alice, 3.0, source="cheat")
    confirm(3.0, 3.0, 3.0)
    assert Record.objects.current().get().author == alice

    made = decide(mod, cheat.pk, Kind.REFUSE, "works outside of the timed window", every_run=True)

    assert len(made) == 4 and made[0].evaluation == cheat
    assert standing() == [("bob", 1.2)]
    assert Record.objects.get(author=alice).ended_by == RecordEnd.WITHDRAWN
    assert Record.objects.current().get().author == bob
    assert [event.kind for event in read(board_stream("softmax", "cpu"), 0)][-1] == "decision"

    withdraw(mod, made[2].pk, "it was a mistake of ours")

    assert standing() == [("alice", 3.0), ("bob", 1.2)]
    assert Record.objects.current().get().author == alice
    assert not Decision.objects.standing().exists()
    assert set(Evaluation.objects.filter(author=alice).values_list("verdict", flat=True)) == {Verdict.ACCEPTED}


def test_one_run_alone_can_be_refused(finish: Finish, alice: User, mod: User) -> None:
    lucky = finish(alice, 3.0, source="same")
    finish(alice, 1.5, source="same")

    decide(mod, lucky.pk, Kind.REFUSE, "the GPU was disturbed", every_run=False)

    assert standing() == [("alice", 1.5)]


def test_confirming_runs_that_are_held_stop_it_until_one_is_accepted(finish: Finish, alice: User, mod: User) -> None:
    finish(alice, 1.5)
    confirm(1.5)
    for _ in range(MOST_DOUBTS):
        (run,) = open_confirming_runs()
        hold(run, 1.5)
    assert Entry.objects.get().confirmation == Confirmation.NOT_CONFIRMED
    assert open_confirming_runs() == []

    (decision,) = decide(mod, run.pk, Kind.ACCEPT, "fine", every_run=False)

    assert Entry.objects.get().confirmation == Confirmation.CONFIRMING
    confirm(1.5)
    assert Record.objects.current().get().author == alice

    withdraw(mod, decision.pk, "looked again")
    assert not Record.objects.current().exists()
    assert Entry.objects.get().confirmation == Confirmation.NOT_CONFIRMED


@pytest.mark.parametrize("again_by", ["alice", "bob"])
def test_a_refused_source_is_held_again_whoever_hands_it_in(loaded: None, alice: User, bob: User, mod: User, again_by: str) -> None:
    (decision,) = decide(mod, held(alice, source="cheat").pk, Kind.REFUSE, "cheats", every_run=False)
    author = {"alice": alice, "bob": bob}[again_by]

    tried = accept(unfinished(author, source="cheat"))
    other = accept(unfinished(author, source="something else"))

    assert (tried.verdict, other.verdict) == (Verdict.SUSPECT, Verdict.ACCEPTED)
    assert (tried.outcome or {})["reasons"][0]["code"] == "refused_before"
    withdraw(mod, decision.pk, "it does not cheat")
    assert accept(unfinished(author, source="cheat")).verdict == Verdict.ACCEPTED


def test_who_is_accepted_after_a_refusal_of_the_same_source_is_confirmed_as_usual(loaded: None, alice: User, bob: User, mod: User) -> None:
    decide(mod, held(alice, source="looks copied").pk, Kind.REFUSE, "copied", every_run=False)
    original = accept(unfinished(bob, source="looks copied"))
    assert original.verdict == Verdict.SUSPECT

    decide(mod, original.pk, Kind.ACCEPT, "the original", every_run=False)
    for _ in range(3):
        (run,) = open_confirming_runs()
        accept(run)

    assert Record.objects.current().get().author == bob


def test_what_is_not_ranked_or_wrong_anyway_is_not_held_for_it(loaded: None, alice: User, mod: User) -> None:
    decide(mod, held(alice, source="cheat").pk, Kind.REFUSE, "cheats", every_run=False)

    assert accept(unfinished(alice, source="cheat", mode=Mode.BENCHMARK)).verdict == Verdict.ACCEPTED


def test_an_earlier_epochs_board_follows_too(finish: Finish, alice: User, mod: User) -> None:
    evaluation = finish(alice, 1.5)
    Evaluation.objects.update(epoch=EPOCH - 1)
    Entry.objects.update(epoch=EPOCH - 1)

    decide(mod, evaluation.pk, Kind.REFUSE, "cheats", every_run=False)

    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    ("kind", "verdict", "said"),
    [
        (Kind.ACCEPT, Verdict.WRONG_RESULT, "only suspect can be accepted"),
        (Kind.ACCEPT, Verdict.ACCEPTED, "only suspect"),
        (Kind.REFUSE, Verdict.TIMEOUT, "only accepted or suspect"),
    ],
)
def test_nobody_makes_a_wrong_result_right(finish: Finish, alice: User, mod: User, kind: Kind, verdict: Verdict, said: str) -> None:
    with pytest.raises(DecisionError, match=said):
        decide(mod, finish(alice, verdict=verdict).pk, kind, "because", every_run=False)


def test_what_runs_is_not_decided_on(loaded: None, alice: User, mod: User) -> None:
    with pytest.raises(DecisionError, match="when it is done"):
        decide(mod, unfinished(alice).pk, Kind.REFUSE, "because", every_run=False)


@pytest.mark.parametrize("reason", ["", "  \n", "x" * (MAX_REASON + 1)])
def test_a_reason_is_needed_and_has_an_end(loaded: None, alice: User, mod: User, reason: str) -> None:
    evaluation = held(alice)

    with pytest.raises(DecisionError):
        decide(mod, evaluation.pk, Kind.ACCEPT, reason, every_run=False)
    assert list(waiting()) == [evaluation]


def test_staff_alone_decide(loaded: None, alice: User, bob: User, mod: User) -> None:
    evaluation = held(alice)
    for user in (alice, bob):
        with pytest.raises(PermissionDenied):
            decide(user, evaluation.pk, Kind.ACCEPT, "please", every_run=False)
    (decision,) = decide(mod, evaluation.pk, Kind.REFUSE, "no", every_run=False)
    with pytest.raises(PermissionDenied):
        withdraw(alice, decision.pk, "please")
    with pytest.raises(Http404):
        decide(mod, "nosuchthing2", Kind.REFUSE, "no", every_run=False)
    with pytest.raises(Http404):
        withdraw(mod, "nosuchthing2", "no")


def test_a_decision_is_withdrawn_once_and_another_may_follow(loaded: None, alice: User, mod: User) -> None:
    evaluation = held(alice)
    (first,) = decide(mod, evaluation.pk, Kind.REFUSE, "no", every_run=False)
    withdraw(mod, first.pk, "hm")
    with pytest.raises(DecisionError, match="withdrawn already"):
        withdraw(mod, first.pk, "hm")

    assert list(waiting()) == [evaluation]
    decide(mod, evaluation.pk, Kind.ACCEPT, "yes", every_run=False)

    assert standing() == [("alice", 1.5)]
    assert Decision.objects.count() == 2


def test_two_at_once_cannot_both_stand(loaded: None, alice: User, mod: User) -> None:
    (decision,) = decide(mod, held(alice).pk, Kind.ACCEPT, "yes", every_run=False)

    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.create(evaluation=decision.evaluation, kind=Kind.REFUSE, reason="no", batch="b", verdict_before="suspect")


def test_streams_say_that_and_not_why(loaded: None, alice: User, mod: User) -> None:
    evaluation = held(alice)
    decide(mod, evaluation.pk, Kind.REFUSE, "between us", every_run=False)

    event = read(evaluation_stream(evaluation.pk), 0)[-1]
    assert (event.kind, event.data) == ("decision", {"decision": "refuse", "withdrawn": False, "verdict": "rejected"})


def test_the_authors_webhooks_are_told_once_for_all_runs(finish: Finish, alice: User, mod: User) -> None:
    owning.make_webhook(alice, "https://example.org/", ["decided"])
    evaluation = finish(alice, 1.5)
    confirm(1.5)

    made = decide(mod, evaluation.pk, Kind.REFUSE, "cheats", every_run=True)
    withdraw(mod, made[0].pk, "does not")

    told = [json.loads(delivery.body)["data"] for delivery in Delivery.objects.order_by("created_at")]
    assert [(one["verdict"], one["decision"]["reason"], len(one["decision"]["evaluations"])) for one in told] == [
        ("rejected", "cheats", 2),
        ("accepted", "does not", 2),
    ]


def test_deriving_all_entries_again_changes_nothing(finish: Finish, alice: User, bob: User, mod: User) -> None:
    finish(bob, 1.2)
    decide(mod, held(alice, 1.5).pk, Kind.ACCEPT, "yes", every_run=False)
    decide(mod, finish(User.objects.create_user("dora"), 2.0).pk, Kind.REFUSE, "no", every_run=True)
    before = standing()

    call_command("rebuild_entries", verbosity=0)

    assert standing() == before == [("alice", 1.5), ("bob", 1.2)]
    assert Evaluation.objects.filter(purpose=Purpose.CONFIRMING).exists()
