"""Too much at once is refused with a time; the same key twice is one submission."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import connection

from evaluator.contract import Verdict
from submissions.cancel import cancel
from submissions.intake import IdempotencyError, QuotaError, submit
from submissions.models import Evaluation, Submission
from tests.submissions.conftest import SOURCE, HandIn, committed


def test_open_evaluations_are_limited_until_one_ends(alice: User, hand_in: HandIn, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS = 2
    first = hand_in(alice)
    hand_in(alice)

    with pytest.raises(QuotaError) as refused:
        hand_in(alice)
    assert "2 evaluations that are not done" in str(refused.value)

    cancel(alice, first.pk)
    assert hand_in(alice).verdict == ""


def test_two_devices_count_twice(alice: User, hand_in: HandIn, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS = 1

    with pytest.raises(QuotaError):
        hand_in(alice, device=["cpu", "h100"])
    assert not Submission.objects.exists()


def test_submissions_per_hour_say_when_the_next_is_taken(alice: User, bob: User, hand_in: HandIn, settings: LazySettings) -> None:
    settings.KB_SUBMISSIONS_PER_HOUR = 1
    hand_in(alice)

    with pytest.raises(QuotaError) as refused:
        hand_in(alice)

    assert 3590 <= refused.value.retry_after_s <= 3600
    assert "UTC" in str(refused.value)
    assert hand_in(bob)


def test_the_same_key_and_content_is_one_submission(alice: User, bob: User) -> None:
    wish: dict[str, object] = {"op": "softmax", "source": SOURCE, "device": ["cpu", "h100"], "idempotency_key": "k1"}

    first = submit(alice, **wish)

    assert submit(alice, **wish) == first
    assert submit(bob, **wish) != first
    assert Evaluation.objects.filter(author=alice).count() == 2


@pytest.mark.parametrize(
    "change", [{"source": SOURCE + b"#"}, {"op": "relu"}, {"device": "h100"}, {"mode": "test"}, {"visibility": "private"}]
)
def test_the_same_key_for_other_content_is_refused(alice: User, change: dict[str, object]) -> None:
    wish: dict[str, object] = {"op": "softmax", "source": SOURCE, "device": "cpu", "idempotency_key": "k1"}
    submit(alice, **wish)

    with pytest.raises(IdempotencyError) as refused:
        submit(alice, **{**wish, **change})

    assert list(refused.value.errors) == ["idempotency_key"]


def test_a_repeat_is_answered_even_when_the_quota_is_used_up(alice: User, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS = 1
    wish: dict[str, object] = {"op": "softmax", "source": SOURCE, "device": "cpu", "idempotency_key": "k1"}

    assert submit(alice, **wish) == submit(alice, **wish)


@committed
def test_many_at_once_pass_neither_quota_nor_key(alice: User, settings: LazySettings) -> None:
    settings.KB_OPEN_EVALUATIONS = 3

    def attempt(number: int) -> object:
        try:
            return submit(alice, op="softmax", source=SOURCE, device="cpu", idempotency_key=f"k{number % 5}").pk
        except QuotaError as error:
            return type(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(attempt, range(20)))

    assert Submission.objects.count() == 3
    assert len(set(results)) == 4
    assert Evaluation.objects.exclude(verdict=Verdict.CANCELLED).count() == 3
