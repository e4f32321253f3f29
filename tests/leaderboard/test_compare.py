"""Comparing evaluations: ratios through the baseline, intervals, and when there is no verdict."""

from __future__ import annotations

import math

import pytest
from django.contrib.auth.models import AnonymousUser, User
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import CaseTiming, Verdict
from leaderboard.compare import NotComparableError, compare, ratio_of, wanted_ids
from submissions.models import Evaluation, Visibility
from tests.leaderboard.conftest import Finish, stats

speedups = st.floats(0.01, 100)
errors = st.floats(0.0001, 0.5)
ANYBODY = AnonymousUser()


def timing(speedup: float, error: float) -> CaseTiming:
    return CaseTiming("wall", stats(10), stats(10 * speedup), speedup, speedup * (1 - error), speedup * (1 + error), 20, "interval")


@given(speedups, errors, speedups, errors)
def test_a_ratio_read_backwards_is_its_inverse(a: float, error_a: float, b: float, error_b: float) -> None:
    there, back = ratio_of(timing(a, error_a), timing(b, error_b)), ratio_of(timing(b, error_b), timing(a, error_a))

    assert there.ratio == pytest.approx(1 / back.ratio)
    assert (there.low, there.high) == pytest.approx((1 / back.high, 1 / back.low))
    assert there.low <= there.ratio <= there.high
    assert {there.verdict, back.verdict} in ({"faster", "slower"}, {"tied"})


@given(speedups, errors, errors)
def test_the_error_of_a_ratio_is_larger_than_each_and_smaller_than_their_sum(a: float, error_a: float, error_b: float) -> None:
    found = ratio_of(timing(a, error_a), timing(a, error_b))

    up = math.log(found.high)
    parts = math.log1p(error_b), -math.log1p(-error_a)
    assert max(parts) * 0.999 <= up <= sum(parts) * 1.001


def test_verdicts_fall_only_beyond_the_interval(finish: Finish, alice: User, bob: User) -> None:
    slow, close, fast = finish(alice, 1.5), finish(bob, 1.51), finish(bob, 3.0)

    found = compare([slow.pk, close.pk, fast.pk], ANYBODY)

    assert [pair.verdict for pair in found.pairs] == ["tied", "faster"]
    assert found.pairs[1].overall is not None
    assert found.pairs[1].overall.ratio == pytest.approx(2)
    assert (found.pairs[1].faster, found.pairs[1].common) == (1, 1)


@pytest.mark.parametrize(
    ("part", "values"), [("driver", ("550", "560")), ("torch", ("2.12", "2.13")), ("cuda", ("12", "13")), ("device_name", ("H100", "H200"))]
)
def test_another_machine_gives_ratios_and_no_verdict(finish: Finish, alice: User, part: str, values: tuple[str, str]) -> None:
    before, after = finish(alice, 1.5), finish(alice, 3.0)
    for evaluation, value in zip((before, after), values, strict=True):
        _change(evaluation, environment={part: value})

    (pair,) = compare([before.pk, after.pk], ANYBODY).pairs

    assert pair.differences == (f"{part.replace('_', ' ')}: {values[0]} and {values[1]}",)
    assert pair.verdict == ""
    assert pair.common == 1


def test_another_epoch_or_method_gives_no_verdict(finish: Finish, alice: User) -> None:
    before, after = finish(alice, 1.5), finish(alice, 3.0)
    Evaluation.objects.filter(pk=before.pk).update(epoch=before.epoch + 1)
    outcome = dict(after.outcome)
    outcome["cases"] = [{**case, "timing": {**case["timing"], "method": "event"}} for case in outcome["cases"]]
    Evaluation.objects.filter(pk=after.pk).update(outcome=outcome)

    (pair,) = compare([before.pk, after.pk], ANYBODY).pairs

    assert [difference.partition(":")[0] for difference in pair.differences] == ["epoch", "method"]


def test_ops_and_devices_are_not_held_against_each_other(finish: Finish, alice: User) -> None:
    found = compare([finish(alice).pk, finish(alice, op="relu").pk, finish(alice, device="h100").pk], ANYBODY)

    assert [pair.differences for pair in found.pairs] == [("op: softmax and relu",), ("device: cpu and h100",)]
    assert all(pair.cases == () and pair.overall is None for pair in found.pairs)


def test_what_has_no_times_has_no_ratio(finish: Finish, alice: User) -> None:
    (pair,) = compare([finish(alice).pk, finish(alice, verdict=Verdict.WRONG_RESULT).pk], ANYBODY).pairs

    assert not pair.side.timed
    assert (pair.cases, pair.verdict) == ((), "")


def test_a_case_of_one_alone_says_so(finish: Finish, alice: User) -> None:
    first, second = finish(alice, 1.5), finish(alice, 3.0)
    outcome = dict(second.outcome)
    outcome["cases"] = [{**case, "name": "another"} for case in outcome["cases"]]
    Evaluation.objects.filter(pk=second.pk).update(outcome=outcome)

    (pair,) = compare([first.pk, second.pk], ANYBODY).pairs

    assert [(case.name, case.why) for case in pair.cases] == [("128x4096", "not timed in this one"), ("another", "not timed in the first")]
    assert pair.overall is None


def test_wrong_ids_are_named_with_what_to_do(finish: Finish, alice: User, bob: User) -> None:
    public, private = finish(alice), finish(bob, visibility=Visibility.PRIVATE)

    with pytest.raises(NotComparableError) as refused:
        compare([public.pk, public.submission_id, private.pk, "nonsense"], ANYBODY)

    submission, hidden, unknown = refused.value.errors
    assert submission.startswith(f"{public.submission_id} is a submission. Its evaluations: {public.pk}")
    assert "private" in hidden
    assert "private" in unknown
    assert compare([public.pk, private.pk], bob).sides[1].id == private.pk


@pytest.mark.parametrize("ids", [[], ["a"], list("abcdefg")])
def test_too_few_and_too_many_are_refused(db: None, ids: list[str]) -> None:
    with pytest.raises(NotComparableError, match="2 to 6"):
        compare(ids, ANYBODY)


def test_ids_come_in_many_ways() -> None:
    given_so = ["a, b a", "", "https://example.org/s/c/?evaluation=d&x=1\0"]

    assert wanted_ids(given_so) == ["a", "b", "d"]


def _change(evaluation: Evaluation, **fields: object) -> None:
    Evaluation.objects.filter(pk=evaluation.pk).update(outcome={**evaluation.outcome, **fields})
