"""The state machine of an evaluation: one table of moves, one way to move, and a fence against workers that lost their lease."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from evaluator.contract import State
from submissions import events
from submissions.models import Evaluation

MOVES: Mapping[State, frozenset[State]] = {
    State.QUEUED: frozenset({State.BUILDING, State.DONE}),
    State.BUILDING: frozenset({State.WAITING, State.QUEUED, State.DONE}),
    State.WAITING: frozenset({State.CHECKING, State.QUEUED, State.DONE}),
    State.CHECKING: frozenset({State.TIMING, State.PROFILING, State.WAITING, State.DONE}),
    State.TIMING: frozenset({State.PROFILING, State.WAITING, State.DONE}),
    State.PROFILING: frozenset({State.WAITING, State.DONE}),
    State.DONE: frozenset(),
}
HELD = frozenset({State.BUILDING, State.CHECKING, State.TIMING, State.PROFILING})
"""States in which a worker holds the evaluation under a lease."""
RETURNS: Mapping[State, State] = {
    State.BUILDING: State.QUEUED,
    State.CHECKING: State.WAITING,
    State.TIMING: State.WAITING,
    State.PROFILING: State.WAITING,
}
"""Where a held evaluation goes when its worker gives it back or is lost."""


class IllegalMove(Exception):
    """The table of moves does not allow it: a bug of ours."""


class Fenced(Exception):
    """The caller no longer holds the evaluation: another attempt or worker does, or it is done. Its result must be dropped."""


def advance(evaluation_id: str, to: State, *, attempt: int, worker: str, **fields: object) -> Evaluation:
    """Move an evaluation that `worker` holds to state `to` and set `fields` with it.

    Raises `Fenced` when the caller's attempt or lease is no longer the current one, `IllegalMove` when the table does not
    allow the move.
    """
    with transaction.atomic():
        return move(hold(evaluation_id, attempt=attempt, worker=worker), to, **fields)


def hold(evaluation_id: str, *, attempt: int, worker: str) -> Evaluation:
    """Lock the row of an evaluation until the transaction ends and prove that `worker` still holds it. Raises `Fenced`."""
    evaluation = Evaluation.objects.select_for_update().filter(pk=evaluation_id).first()
    if evaluation is None:
        raise Fenced(f"{evaluation_id} is gone")
    if (evaluation.attempt, evaluation.worker) != (attempt, worker) or State(evaluation.state) not in HELD:
        raise Fenced(f"{evaluation_id} is {evaluation.state}, attempt {evaluation.attempt} of {evaluation.worker or 'nobody'}")
    return evaluation


def move(evaluation: Evaluation, to: State, **fields: object) -> Evaluation:
    """Move an evaluation whose row the caller has locked, and append its `state` event. Raises `IllegalMove`."""
    if to not in MOVES[State(evaluation.state)]:
        raise IllegalMove(f"{evaluation.pk}: {evaluation.state} → {to}")
    values = {"state": to.value, "state_at": timezone.now(), **fields}
    for name, value in values.items():
        setattr(evaluation, name, value)
    evaluation.save(update_fields=list(values))
    events.append(
        events.evaluation_stream(evaluation.pk),
        "state",
        {"state": to.value, "attempt": evaluation.attempt, "worker": evaluation.worker},
    )
    return evaluation
