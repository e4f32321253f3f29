"""What readers of a board and of the feed are told."""

from __future__ import annotations

from django.contrib.auth.models import User

from evaluator.contract import Verdict
from submissions.events import FEED, board_stream, read
from tests.leaderboard.conftest import Finish


def told(stream: str) -> list[tuple[object, object, object]]:
    return [(event.data["change"], event.data["author"], event.data["rank"]) for event in read(stream, 0) if event.kind == "entry"]


def test_the_board_and_the_feed_hear_of_new_and_improved_entries(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 1.2)
    finish(bob, 2.0)

    expected = [("new", "alice", 1), ("new", "bob", 2), ("improved", "bob", 1)]
    assert told(board_stream("softmax", "cpu")) == expected
    assert told(FEED) == expected


def test_a_slower_kernel_changes_nothing_and_nothing_is_said(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    finish(alice, 1.2)
    finish(alice, 9.9, verdict=Verdict.WRONG_RESULT)

    assert len(told(board_stream("softmax", "cpu"))) == 1


def test_another_run_of_the_same_source_moves_the_board_but_is_no_news(finish: Finish, alice: User) -> None:
    finish(alice, 1.5, source="same")
    finish(alice, 1.3, source="same")

    assert [change for change, *_ in told(board_stream("softmax", "cpu"))] == ["new", "changed"]
    assert len(told(FEED)) == 1


def test_an_event_names_what_a_row_shows(finish: Finish, alice: User) -> None:
    evaluation = finish(alice, 1.5)

    (event,) = read(FEED, 0)
    assert event.data["evaluation"] == evaluation.pk
    assert event.data["submission"] == evaluation.submission_id
    assert (event.data["op"], event.data["device"], event.data["speedup"]) == ("softmax", "cpu", 1.5)
