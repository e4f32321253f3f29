"""What a confirming run says of its source, in Python and in SQL alike."""

from __future__ import annotations

from itertools import chain, combinations

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluator.contract import EPOCH, Flag, State, Verdict
from submissions.confirming import (
    MOST_UNCOUNTED,
    Confirmation,
    ConfirmingRuns,
    Ending,
    counts,
    doubts,
    ending,
    numbered,
    on_board,
    refuses,
)
from submissions.models import Evaluation, Purpose
from tests.submissions.conftest import HandIn

FLAGS = (Flag.DISTURBED, Flag.THROTTLED, Flag.NOT_CAPTURED)


def run(verdict: Verdict, *flags: Flag) -> Evaluation:
    return Evaluation(state=State.DONE, verdict=verdict.value, flags=[flag.value for flag in flags], queued_at=timezone.now(), epoch=EPOCH)


def named(value: Evaluation | Ending) -> str:
    """What a case is called. An evaluation's own text holds a fresh id, and every test process must find the same tests."""
    if isinstance(value, Evaluation):
        return " ".join([value.verdict or value.state, *value.flags])
    return value.name


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (run(Verdict.ACCEPTED), Ending.COUNTED),
        (run(Verdict.ACCEPTED, Flag.NONDETERMINISTIC), Ending.COUNTED),
        (run(Verdict.ACCEPTED, Flag.DISTURBED), Ending.UNCOUNTED),
        (run(Verdict.ACCEPTED, Flag.THROTTLED), Ending.UNCOUNTED),
        (run(Verdict.ACCEPTED, Flag.NOT_CAPTURED), Ending.REFUSED),
        (run(Verdict.INFRA_ERROR), Ending.UNCOUNTED),
        (run(Verdict.CANCELLED), Ending.VOID),
        (run(Verdict.CANCELLED, Flag.DISTURBED), Ending.VOID),
        (run(Verdict.SUSPECT), Ending.DOUBTED),
        (run(Verdict.SUSPECT, Flag.THROTTLED), Ending.UNCOUNTED),
        (run(Verdict.TIMEOUT), Ending.REFUSED),
        (run(Verdict.TIMEOUT, Flag.DISTURBED), Ending.UNCOUNTED),
        (run(Verdict.WRONG_RESULT, Flag.DISTURBED), Ending.REFUSED),
        (run(Verdict.CRASHED), Ending.REFUSED),
        (Evaluation(state=State.TIMING), Ending.OPEN),
    ],
    ids=named,
)
def test_what_each_end_says(ended: Evaluation, said: Ending) -> None:
    assert ending(ended) is said


def test_queries_say_the_same(alice: User, hand_in: HandIn) -> None:
    submission = hand_in(alice).submission
    subsets = list(chain.from_iterable(combinations(FLAGS, size) for size in range(len(FLAGS) + 1)))
    runs = Evaluation.objects.bulk_create(
        Evaluation(
            submission=submission, author=alice, op="softmax", device="cpu", purpose=Purpose.CONFIRMING, epoch=EPOCH,
            state=State.DONE, verdict=verdict.value, flags=[flag.value for flag in flags],
        )
        for verdict in Verdict
        for flags in subsets
    )  # fmt: skip

    said = {each.pk: ending(each) for each in runs}

    def found(condition: object) -> set[str]:
        return set(Evaluation.objects.filter(condition).values_list("pk", flat=True))

    assert found(counts()) == {pk for pk, what in said.items() if what is Ending.COUNTED}
    assert found(doubts()) == {pk for pk, what in said.items() if what is Ending.DOUBTED}
    on_the_kernel = {each.pk for each in runs if each.verdict != Verdict.ACCEPTED}
    assert found(refuses()) == {pk for pk, what in said.items() if what is Ending.REFUSED and pk in on_the_kernel}


def standing(*runs: Evaluation) -> tuple[Confirmation, list[int | None], str]:
    found = numbered(runs)
    return found.confirmation, [each.number for each in found.runs], found.why_not


ACCEPTED, SPOILT, SUSPECT = (Verdict.ACCEPTED, ()), (Verdict.ACCEPTED, (Flag.DISTURBED,)), (Verdict.SUSPECT, ())


@pytest.mark.parametrize(
    ("ends", "confirmation", "numbers", "why"),
    [
        ([], Confirmation.PROVISIONAL, [], ""),
        ([ACCEPTED] * 3, Confirmation.CONFIRMED, [1, 2, 3], ""),
        ([ACCEPTED, SUSPECT, ACCEPTED, ACCEPTED], Confirmation.CONFIRMED, [1, None, 2, 3], ""),
        ([ACCEPTED] * 3 + [SPOILT] * MOST_UNCOUNTED, Confirmation.CONFIRMED, [1, 2, 3] + [None] * 6, ""),
        ([SUSPECT, ACCEPTED, SUSPECT], Confirmation.NOT_CONFIRMED, [None, 1, 2], "a confirming run ended as suspect"),
        ([SPOILT] * 5 + [ACCEPTED], Confirmation.PROVISIONAL, [None] * 5 + [1], ""),
        ([SPOILT] * 5 + [SUSPECT], Confirmation.NOT_CONFIRMED, [None] * 6, "could not be confirmed: 6 runs did not count"),
        ([(Verdict.ACCEPTED, (Flag.NOT_CAPTURED,))], Confirmation.NOT_CONFIRMED, [1], "a confirming run ended as not_captured"),
        ([ACCEPTED] * 3 + [(Verdict.CRASHED, ())], Confirmation.NOT_CONFIRMED, [1, 2, 3, 4], "a confirming run ended as crashed"),
    ],
)
def test_where_a_source_stands_after_some_runs(
    ends: list[tuple[Verdict, tuple[Flag, ...]]], confirmation: Confirmation, numbers: list[int | None], why: str
) -> None:
    assert standing(*(run(verdict, *flags) for verdict, flags in ends)) == (confirmation, numbers, why)


def test_a_board_is_read_in_one_query_by_source(alice: User, bob: User, hand_in: HandIn, django_assert_num_queries: object) -> None:
    for author in (alice, bob):
        made = hand_in(author)
        Evaluation.objects.filter(pk=made.pk).update(purpose=Purpose.CONFIRMING, state=State.DONE, verdict=Verdict.ACCEPTED, epoch=EPOCH)
    hand_in(alice)

    with django_assert_num_queries(1):  # type: ignore[operator]
        found = on_board("softmax", "cpu")

    assert {author: runs.counted for (author, _), runs in found.items()} == {alice.pk: 1, bob.pk: 1}
    assert ConfirmingRuns().confirmation is Confirmation.PROVISIONAL
