"""What stands beside a result: its place, and what it is worth comparing with."""

from __future__ import annotations

import dataclasses

from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from evaluator.contract import KernelType
from leaderboard.baselines import store
from submissions.models import Evaluation
from submissions.pages.beside import Beside, beside
from tests.leaderboard.test_baselines import measured
from tests.pages.cast import evaluation_of, finish, hand_in
from tests.pages.outcomes import accepted, wrong_result


def result(author: User, speedup: float, **fields: object) -> Evaluation:
    source = f"ANOTHER = {speedup}, {sorted(fields.items())}\n".encode()
    return finish(evaluation_of(hand_in(author, source=source, **fields)), accepted(speedup))


def seen(evaluation: Evaluation, reader: User | None = None) -> Beside:
    found = beside(evaluation, reader or AnonymousUser())
    assert found is not None
    return found


def others(evaluation: Evaluation, reader: User | None = None) -> list[tuple[str, str]]:
    return [(other.kind, other.evaluation) for other in seen(evaluation, reader).others]


def test_the_best_the_next_and_the_authors_own(alice: User, bob: User) -> None:
    best = result(alice, 2.0)
    first, entry = result(bob, 1.2), result(bob, 1.6)
    worse = result(bob, 1.1)

    assert others(best) == [("next", entry.pk)]
    assert others(entry) == [("best", best.pk), ("previous", first.pk)]
    assert others(worse) == [("best", best.pk), ("entry", entry.pk)]
    assert seen(worse).place is None
    place = seen(entry).place
    assert place is not None
    assert (place.rank, place.of, place.tied, place.holds_record) == (2, 2, 0, False)


def test_who_is_alone_has_nobody_to_be_compared_with(alice: User) -> None:
    assert others(result(alice, 1.5)) == []


def test_a_tie_is_told(alice: User, bob: User) -> None:
    result(alice, 1.5)
    place = seen(result(bob, 1.501)).place

    assert place is not None
    assert (place.rank, place.tied) == (1, 1)


def test_what_is_private_is_nobody_elses_previous(alice: User, bob: User) -> None:
    secret = result(alice, 1.2, visibility="private")
    shown = result(alice, 1.4)

    assert others(shown, alice) == [("previous", secret.pk)]
    assert others(shown) == others(shown, bob) == []


def test_the_interpreter_is_compared_with_the_interpreter(alice: User, bob: User) -> None:
    result(bob, 1.5)
    slow = accepted(0.01, interpreted=True, kernel_type=KernelType.TRITON)

    evaluation = finish(evaluation_of(hand_in(alice, kernel_type="triton")), slow)

    found = seen(evaluation)
    assert (found.others, found.baselines) == ((), ())
    assert found.place is not None
    assert found.place.of == 1


def test_baselines_of_the_board_stand_beside(client: Client, alice: User) -> None:
    store(measured())
    evaluation = result(alice, 1.5)

    assert [row.name for row in seen(evaluation).baselines] == ["torch_compile"]
    assert "torch_compile" in client.get(f"/s/{evaluation.submission_id}/").content.decode()


def test_links_to_the_comparison_hold_both(client: Client, alice: User, bob: User) -> None:
    best, first = result(alice, 2.0), result(bob, 1.2)
    evaluation = result(bob, 1.6)

    shown = client.get(f"/s/{evaluation.submission_id}/").content.decode()

    assert f'href="/compare/?ids={evaluation.pk},{best.pk}"' in shown
    assert f'href="/compare/?ids={evaluation.pk},{first.pk}"' in shown
    assert f'href="/compare/?ids={evaluation.pk},{best.pk},{first.pk}"' in shown


def test_what_was_not_accepted_stands_beside_nothing(alice: User) -> None:
    assert beside(finish(evaluation_of(hand_in(alice)), wrong_result()), alice) is None
    untimed = dataclasses.replace(accepted(), timing=None, performance_score=None)
    assert beside(finish(evaluation_of(hand_in(alice)), untimed), alice) is None
