"""What moderators hide is its author's alone, on every page, board and stream."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from evaluator.contract import Verdict
from leaderboard.authors import profile
from leaderboard.housekeeping import keep_house
from leaderboard.moderation import DecisionError, decide, withdraw
from leaderboard.overview import recent_records, record_history
from submissions.access import visible_submissions
from submissions.confirming import of_evaluation
from submissions.decisions.models import Kind
from submissions.events import FEED, append, board_stream, read
from submissions.models import Evaluation, Submission, Visibility
from tests.leaderboard.conftest import Finish, confirm, open_confirming_runs, standing


def test_hidden_it_is_its_authors_alone_and_leaves_every_board(finish: Finish, alice: User, bob: User, mod: User) -> None:
    evaluation = finish(alice, 1.5)
    submission = evaluation.submission

    (decision,) = decide(mod, evaluation.pk, Kind.HIDE, "the source names a person", every_run=True)

    assert standing() == []
    assert not visible_submissions(bob).filter(pk=submission.pk).exists()
    assert visible_submissions(alice).filter(pk=submission.pk).exists()
    evaluation.refresh_from_db()
    assert evaluation.verdict == Verdict.ACCEPTED
    with pytest.raises(DecisionError, match="stands already"):
        decide(mod, evaluation.pk, Kind.HIDE, "again", every_run=False)

    withdraw(mod, decision.pk, "it is a made-up name")

    assert standing() == [("alice", 1.5)]
    submission.refresh_from_db()
    assert submission.visibility == Visibility.PUBLIC


def test_a_hidden_submission_is_not_hidden_twice(finish: Finish, alice: User, mod: User) -> None:
    evaluation = finish(alice, 1.5)
    (run,) = confirm(1.5)
    decide(mod, evaluation.pk, Kind.HIDE, "once", every_run=False)

    with pytest.raises(DecisionError, match="hidden already"):
        decide(mod, run.pk, Kind.HIDE, "twice", every_run=False)


@pytest.fixture
def beaten(finish: Finish, alice: User, bob: User) -> Evaluation:
    """Alice held the record until Bob took it."""
    first = finish(alice, 1.5, source="first")
    confirm(1.5, 1.5, 1.5)
    finish(bob, 3.0, source="second")
    confirm(3.0, 3.0, 3.0)
    assert [point.author for point in record_history("softmax", "cpu")] == ["alice", "bob"]
    return first


PUBLIC = ("/", "/ops/softmax/cpu/", "/records.atom", "/ops/softmax/cpu/feed.atom")


@pytest.mark.parametrize("kind", [Kind.HIDE, Kind.REFUSE])
def test_a_record_of_what_is_hidden_or_refused_is_told_of_no_more(beaten: Evaluation, client: Client, mod: User, kind: Kind) -> None:
    assert [path for path in PUBLIC if beaten.submission_id in client.get(path).content.decode()]

    (decision, *_) = decide(mod, beaten.pk, kind, "names a person", every_run=True)

    assert [point.author for point in record_history("softmax", "cpu")] == ["bob"]
    assert [news.point.author for news in recent_records()] == ["bob"]
    assert profile(beaten.author, AnonymousUser()).records_ever == 0
    told = {path: client.get(path).content.decode() for path in PUBLIC}
    assert [path for path, page in told.items() if beaten.submission_id in page] == ([] if kind is Kind.HIDE else ["/"]), "as rejected"

    withdraw(mod, decision.pk, "it is a made-up name")
    assert [point.author for point in record_history("softmax", "cpu")] == ["alice", "bob"]


def test_streams_that_all_read_forget_what_is_hidden(beaten: Evaluation, mod: User) -> None:
    append(FEED, "verdict", {"submission": beaten.submission_id, "author": "alice"})

    decide(mod, beaten.pk, Kind.HIDE, "names a person", every_run=True)

    told = json.dumps([event.data for stream in (FEED, board_stream("softmax", "cpu")) for event in read(stream, 0)])
    assert beaten.submission_id not in told and "alice" not in told
    assert "bob" in told


def test_another_submission_of_a_hidden_source_begins_anew(finish: Finish, alice: User, bob: User, mod: User) -> None:
    hidden = finish(alice, 1.5, source="same")
    confirm(1.5)
    decide(mod, hidden.pk, Kind.HIDE, "the comment names a person", every_run=False)
    keep_house(None)
    assert open_confirming_runs() == [], "what nobody may see is run no more"
    ours = {run.pk for run in Evaluation.objects.filter(submission=hidden.submission)}

    again = finish(alice, 1.5, source="same")
    confirm(1.5)

    found = of_evaluation(again, again.submission)
    assert found is not None and found.counted == 1
    assert not ours & {run.evaluation.pk for run in found.runs}
    of_the_hidden = of_evaluation(hidden, Submission.objects.get(pk=hidden.submission_id))
    assert of_the_hidden is not None and {run.evaluation.pk for run in of_the_hidden.runs} <= ours


def test_what_its_author_alone_sees_is_not_hidden(finish: Finish, alice: User, mod: User) -> None:
    with pytest.raises(DecisionError, match="private"):
        decide(mod, finish(alice, visibility=Visibility.PRIVATE).pk, Kind.HIDE, "why not", every_run=False)
