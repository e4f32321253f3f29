"""`kb rerun --top N`: the best of every board once more."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from typer.testing import CliRunner, Result

from evaluator.contract import EPOCH, Flag
from kbweb.cli import app
from kbweb.cli.output import Failure
from leaderboard.models import Op
from leaderboard.ranking import board
from leaderboard.reruns import rerun_top
from submissions.models import Evaluation, Purpose
from tests.leaderboard.conftest import Finish, complete, confirm
from tests.leaderboard.test_epochs import grow_old

Kb = Callable[..., Result]


@pytest.fixture
def kb() -> Kb:
    return lambda *arguments: CliRunner().invoke(app, ["rerun", *arguments])


def test_the_best_of_each_board_are_handed_in_once(finish: Finish, alice: User, bob: User, charlie: User) -> None:
    for author, speedup in ((alice, 0.5), (bob, 0.7), (charlie, 0.6)):
        finish(author, speedup, audited=False)
        finish(author, speedup, op="relu", device="h100", audited=False)

    made, again = rerun_top(2), rerun_top(2)

    assert [(r.op, r.device, r.place, r.author) for r in made] == [
        ("relu", "h100", 1, "bob"), ("relu", "h100", 2, "charlie"), ("softmax", "cpu", 1, "bob"), ("softmax", "cpu", 2, "charlie"),
    ]  # fmt: skip
    assert [r.evaluation for r in again] == [r.evaluation for r in made]
    assert all(r.waits_already for r in again)
    assert Evaluation.objects.filter(purpose=Purpose.HOUSE).count() == 4


def test_a_new_epochs_board_fills_itself_from_the_one_before(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 1.5)
    finish(bob, 1.2)
    Evaluation.objects.filter(purpose=Purpose.CONFIRMING).delete()
    grow_old()
    finish(bob, 1.1, audited=False)

    made = rerun_top(2, ops=["softmax"], device="cpu")
    for one in made:
        complete(Evaluation.objects.get(pk=one.evaluation), one.speedup, audited=False)

    assert [(one.author, one.epoch) for one in made] == [("alice", EPOCH - 1), ("bob", EPOCH)]
    assert [(row.author, row.speedup) for row in board("softmax", "cpu").rows] == [("alice", 1.5), ("bob", 1.1)]


def test_a_confirmed_entry_is_confirmed_once_more(finish: Finish, alice: User) -> None:
    finish(alice, 1.5)
    confirm(1.5, 1.5, 1.5)

    rerun_top(1)
    confirm(1.7)

    (row,) = board("softmax", "cpu").rows
    assert (row.confirmed, row.confirming_runs, row.speedup) == (True, 4, 1.5)


def test_interpreted_entries_are_counted_apart(finish: Finish, alice: User, bob: User) -> None:
    finish(alice, 0.9, audited=False)
    finish(bob, 0.1, flags=(Flag.INTERPRETED,))

    assert [(one.author, one.place, one.interpreted) for one in rerun_top(1)] == [("alice", 1, False), ("bob", 1, True)]


def test_the_command_tells_what_it_did(finish: Finish, alice: User, kb: Kb) -> None:
    evaluation = finish(alice, 0.9, audited=False)

    done = kb("--top", "3", "--suite", "smoke", "--device", "cpu", "--json")

    assert done.exit_code == 0, done.output
    (one,) = json.loads(done.output)["reruns"]
    new = Evaluation.objects.get(purpose=Purpose.HOUSE)
    assert (one["op"], one["place"], one["of"], one["evaluation"]) == ("softmax", 1, evaluation.pk, new.pk)
    assert f"{new.pk} waits already" in kb("--top", "3").output
    assert kb("--top", "3", "--op", "relu").output == "No board has an entry.\n"


def test_what_cannot_be_judged_any_more_is_left_out_with_the_reason(finish: Finish, alice: User, kb: Kb) -> None:
    Op.objects.create(slug="mine/gone", title="Gone", signature="f(x)", precision="ieee_fp32")
    finish(alice, 0.9, op="mine/gone", audited=False)

    assert "left out: mine/gone is not offered any more." in kb("--top", "1").output
    assert not Evaluation.objects.filter(purpose=Purpose.HOUSE).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--op", "softmux"), "There is no op 'softmux'. Did you mean softmax?"),
        (("--suite", "none"), "No op of a suite 'none'"),
        (("--device", "h10"), "There is no device 'h10'. Did you mean h100?"),
    ],
)
def test_a_wrong_name_is_2_and_says_which(loaded: None, kb: Kb, arguments: tuple[str, ...], said: str) -> None:
    failure = kb("--top", "1", *arguments).exception

    assert isinstance(failure, Failure)
    assert (failure.exit_code, said in failure.message) == (2, True)


def test_how_many_must_be_said(kb: Kb) -> None:
    assert kb().exit_code == 2
    assert kb("--top", "0").exit_code == 2
