"""A moderator decides on what was handed in to a competition: its board follows, and the open ones do not."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from evaluator.contract import Verdict
from leaderboard.moderation import DecisionError, decide, withdraw
from submissions.access import may_read_source, visible_submissions
from submissions.competitions.models import Competition
from submissions.decisions.models import Kind
from submissions.events import board_stream, read
from submissions.intake import add_evaluations
from submissions.models import Evaluation, Purpose, Submission
from tests.competitions.conftest import client_of, closed
from tests.competitions.test_boards import authors, enter
from tests.pages.cast import finish
from tests.pages.outcomes import accepted, suspect


def test_what_is_refused_leaves_the_board_and_returns_when_that_is_withdrawn(
    private: Competition, alice: User, bob: User, charlie: User
) -> None:
    enter(alice, private, 1.2)
    cheat = enter(bob, private, 3.0)

    (decision,) = decide(charlie, cheat.pk, Kind.REFUSE, "caches its answers", every_run=False)
    refused = authors(private, alice)
    withdraw(charlie, decision.pk, "it does not")

    assert refused == [(1, "alice")]
    assert authors(private, alice)[0] == (1, "bob")
    assert not [event for event in read(board_stream("softmax", "cpu"), 0) if event.kind == "decision"]


def test_what_is_accepted_enters_its_board_alone(private: Competition, bob: User, charlie: User) -> None:
    held = enter(bob, private, 1.4, outcome=suspect())

    decide(charlie, held.pk, Kind.ACCEPT, "a graph replay explains it", every_run=False)

    assert [author for _, author in authors(private, bob)] == ["bob"]
    assert authors(None, bob) == []


def test_what_is_hidden_is_its_authors_and_staffs_alone_even_after_the_closing(
    private: Competition, alice: User, bob: User, charlie: User
) -> None:
    hidden = enter(bob, private, 1.4)
    enter(alice, private, 1.2)

    (decision,) = decide(charlie, hidden.pk, Kind.HIDE, "names a person", every_run=False)
    closed(private)

    assert authors(private, alice) == [(1, "alice")]
    assert [visible_submissions(user).filter(pk=hidden.submission_id).exists() for user in (alice, bob, charlie)] == [False, True, True]
    assert client_of(alice).get(f"/s/{hidden.submission_id}/").status_code == 404
    assert not may_read_source(alice, Submission.objects.get(pk=hidden.submission_id))
    with pytest.raises(DecisionError, match="hidden already"):
        decide(charlie, again(hidden).pk, Kind.HIDE, "once more", every_run=False)

    withdraw(charlie, decision.pk, "a made-up name")

    assert authors(private, alice)[0] == (1, "bob")
    assert may_read_source(alice, Submission.objects.get(pk=hidden.submission_id))


def again(evaluation: Evaluation) -> Evaluation:
    """Another run of the submission that is done."""
    (run,) = add_evaluations(Submission.objects.get(pk=evaluation.submission_id), ("cpu",), evaluation.terms, Purpose.RERUN)
    return finish(run, accepted(1.3))


def test_staff_find_hide_among_the_decisions_until_it_is_hidden(private: Competition, bob: User, charlie: User) -> None:
    run = enter(bob, private, 1.4)
    page = f"/moderation/{run.pk}/"
    assert 'value="hide"' in client_of(charlie).get(page).content.decode()

    client_of(charlie).post(page, {"kind": "hide", "reason": "names a person"})

    assert client_of(bob).get(f"/s/{run.submission_id}/").content.decode().count("Hidden by staff") == 1


def test_a_decision_on_every_run_of_a_source_stays_within_the_competition(private: Competition, bob: User, charlie: User) -> None:
    inside, outside = enter(bob, private, 1.4, text="same"), enter(bob, None, 1.4, text="same")

    decided = decide(charlie, inside.pk, Kind.REFUSE, "caches its answers", every_run=True)

    outside.refresh_from_db()
    assert [decision.evaluation_id for decision in decided] == [inside.pk]
    assert outside.verdict == Verdict.ACCEPTED
    assert [author for _, author in authors(None, bob)] == ["bob"]
