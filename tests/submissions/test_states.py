"""One table of moves, and a fence."""

from __future__ import annotations

import itertools

import pytest
from django.contrib.auth.models import User

from evaluator.contract import State, Verdict
from submissions import events
from submissions.models import Evaluation
from submissions.states import HELD, MOVES, RETURNS, Fenced, IllegalMove, advance, move
from tests.submissions.conftest import HandIn


def held(run: Evaluation, state: State, worker: str = "w1") -> Evaluation:
    Evaluation.objects.filter(pk=run.pk).update(state=state, worker=worker)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize(("start", "to"), list(itertools.product(State, State)))
def test_only_moves_of_the_table(alice: User, hand_in: HandIn, start: State, to: State) -> None:
    run = hand_in(alice)
    verdict = Verdict.CANCELLED.value if start is State.DONE else ""
    Evaluation.objects.filter(pk=run.pk).update(state=start, verdict=verdict)
    run.refresh_from_db()
    end = {"verdict": Verdict.ACCEPTED.value} if to is State.DONE else {}

    if to in MOVES[start]:
        move(run, to, **end)
        assert Evaluation.objects.get(pk=run.pk).state == to
    else:
        with pytest.raises(IllegalMove):
            move(run, to, **end)
        assert Evaluation.objects.get(pk=run.pk).state == start


def test_every_state_but_done_can_end_and_every_held_one_can_be_given_back() -> None:
    assert all(State.DONE in MOVES[state] for state in State if state is not State.DONE)
    assert set(RETURNS) == HELD
    assert all(back in MOVES[state] for state, back in RETURNS.items())


def test_each_move_writes_an_event(alice: User, hand_in: HandIn) -> None:
    run = held(hand_in(alice), State.CHECKING)

    advance(run.pk, State.TIMING, attempt=1, worker="w1")

    newest = events.read(events.evaluation_stream(run.pk), 0)[-1]
    assert (newest.kind, newest.data) == ("state", {"state": "timing", "attempt": 1, "worker": "w1"})


@pytest.mark.parametrize(("attempt", "worker"), [(1, "w2"), (2, "w1"), (1, "")])
def test_a_worker_that_does_not_hold_it_is_fenced(alice: User, hand_in: HandIn, attempt: int, worker: str) -> None:
    run = held(hand_in(alice), State.CHECKING)

    with pytest.raises(Fenced):
        advance(run.pk, State.TIMING, attempt=attempt, worker=worker)

    assert Evaluation.objects.get(pk=run.pk).state == State.CHECKING


def test_a_waiting_evaluation_is_held_by_nobody(alice: User, hand_in: HandIn) -> None:
    run = hand_in(alice)

    with pytest.raises(Fenced):
        advance(run.pk, State.BUILDING, attempt=1, worker="")


def test_a_deleted_evaluation_fences(alice: User) -> None:
    with pytest.raises(Fenced):
        advance("nothing", State.DONE, attempt=1, worker="w1")
