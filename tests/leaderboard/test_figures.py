"""The arithmetic of correctness rate, correctness_score, fast_p and geomean."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.figures import THRESHOLDS, Attempt, Figures, OpResult, Speed, best_first, best_of, figures


def attempt(score: float, *, accepted: bool = False, evaluations: int = 1, name: str = "e") -> Attempt:
    return Attempt(name, f"s-{name}", "alice", "", "accepted" if accepted else "wrong_result", "ranked", score, evaluations)


def speed(speedup: float, name: str = "e") -> Speed:
    return Speed(name, f"s-{name}", "alice", "", speedup, speedup * 0.99, speedup * 1.01)


def never(op: str = "op") -> OpResult:
    return OpResult(op, op)


def wrong(score: float, op: str = "op") -> OpResult:
    return OpResult(op, op, attempt(score))


def right(speedup: float | None = None, op: str = "op", evaluations: int = 1) -> OpResult:
    return OpResult(op, op, attempt(1.0, accepted=True, evaluations=evaluations), None if speedup is None else speed(speedup))


def fast(sums: Figures) -> dict[float, tuple[int, float, float | None]]:
    return {one.p: (one.ops, one.of_suite, one.of_attempted) for one in sums.fast_p}


results_of_ops = st.lists(
    st.one_of(
        st.just(never()),
        st.builds(wrong, st.floats(0, 1)),
        st.builds(right, st.one_of(st.none(), st.sampled_from(THRESHOLDS), st.floats(0.01, 100))),
    ),
    min_size=1,
    max_size=12,
)


def test_an_op_never_attempted_counts_as_not_correct() -> None:
    sums = figures([right(1.6), right(0.9), wrong(0.5), never(), never()])

    assert (sums.ops, sums.attempted, sums.accepted) == (5, 3, 2)
    assert sums.correctness_rate == pytest.approx(2 / 5)
    assert sums.correctness_rate_of_attempted == pytest.approx(2 / 3)
    assert sums.correctness_score == pytest.approx((1 + 1 + 0.5) / 3)
    assert sums.correctness_score_of_suite == pytest.approx((1 + 1 + 0.5) / 5)
    assert fast(sums) == {
        0.8: (2, pytest.approx(2 / 5), pytest.approx(2 / 3)),
        1.0: (1, pytest.approx(1 / 5), pytest.approx(1 / 3)),
        1.5: (1, pytest.approx(1 / 5), pytest.approx(1 / 3)),
        2.0: (0, 0.0, 0.0),
    }
    assert sums.geomean_speedup == pytest.approx(math.sqrt(1.6 * 0.9))
    assert sums.geomean_ops == 2


@pytest.mark.parametrize("p", THRESHOLDS)
def test_a_speedup_of_exactly_p_is_not_greater_than_p(p: float) -> None:
    assert fast(figures([right(p)]))[p][0] == 0
    assert fast(figures([right(math.nextafter(p, 9))]))[p][0] == 1


def test_right_but_not_timed_is_correct_and_not_fast() -> None:
    sums = figures([right(None), right(4.0)])

    assert sums.correctness_rate == 1.0
    assert [one.of_suite for one in sums.fast_p] == [0.5] * 4
    assert (sums.geomean_speedup, sums.geomean_ops) == (pytest.approx(4.0), 1)


def test_nothing_attempted_has_no_shares_of_attempted() -> None:
    sums = figures([never(), never()])

    assert (sums.correctness_rate, sums.correctness_score_of_suite, sums.evaluations) == (0.0, 0.0, 0)
    assert sums.correctness_rate_of_attempted is sums.correctness_score is sums.geomean_speedup is None
    assert all((one.of_suite, one.of_attempted) == (0.0, None) for one in sums.fast_p)


def test_no_ops_have_no_figures() -> None:
    with pytest.raises(ValueError, match="no ops"):
        figures([])


def test_a_speed_needs_an_accepted_attempt() -> None:
    with pytest.raises(ValueError, match="relu has a speed"):
        OpResult("relu", "ReLU", attempt(1.0), speed(2.0))


@settings(deadline=None)
@given(results_of_ops)
def test_shares_are_shares_and_fast_p_falls_with_p(ops: Sequence[OpResult]) -> None:
    sums = figures(ops)

    shares = [one.of_suite for one in sums.fast_p]
    assert shares == sorted(shares, reverse=True)
    assert all(0 <= share <= sums.correctness_rate <= 1 for share in shares)
    assert 0 <= sums.correctness_score_of_suite <= 1
    assert sums.correctness_rate <= sums.correctness_score_of_suite + 1e-12
    for one in sums.fast_p:
        assert (one.of_attempted is None) == (sums.attempted == 0)
        assert one.of_attempted is None or one.of_suite <= one.of_attempted <= 1


@settings(deadline=None)
@given(results_of_ops, st.integers(1, 5))
def test_ops_never_attempted_lower_the_shares_of_the_suite_alone(ops: Sequence[OpResult], more: int) -> None:
    before, after = figures(ops), figures([*ops, *[never()] * more])

    assert after.correctness_rate_of_attempted == before.correctness_rate_of_attempted
    assert after.correctness_score == before.correctness_score
    assert [one.of_attempted for one in after.fast_p] == [one.of_attempted for one in before.fast_p]
    assert after.correctness_rate == pytest.approx(before.correctness_rate * len(ops) / (len(ops) + more))
    assert after.geomean_speedup == before.geomean_speedup


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8), st.lists(st.floats(0, 1), max_size=4))
def test_the_geomean_lies_between_its_speedups_and_knows_no_failed_op(speedups: list[float], failed: list[float]) -> None:
    sums = figures([*(right(one) for one in speedups), *(wrong(score) for score in failed)])

    assert sums.geomean_ops == len(speedups)
    assert sums.geomean_speedup is not None
    assert min(speedups) * (1 - 1e-9) <= sums.geomean_speedup <= max(speedups) * (1 + 1e-9)
    assert figures([right(1 / one) for one in speedups]).geomean_speedup == pytest.approx(1 / sums.geomean_speedup)


def test_the_best_of_several_takes_the_best_attempt_and_the_greatest_speedup() -> None:
    slow, quick = right(1.1, evaluations=4), dataclasses.replace(right(1.0), speed=speed(2.0, "quick"))

    best = best_of([wrong(0.9), slow, never(), quick])

    assert best.accepted
    assert best.speed == speed(2.0, "quick")
    assert best.shown == best.speed
    assert best.attempt is not None
    assert best.attempt.evaluations == 1 + 4 + 1
    assert best.passed == (0.8, 1.0, 1.5)


@settings(deadline=None)
@given(st.lists(results_of_ops.map(lambda ops: ops[0]), min_size=1, max_size=6))
def test_together_nobody_is_worse_than_alone(several: list[OpResult]) -> None:
    together = figures([best_of(several)])

    for alone in several:
        sums = figures([alone])
        assert together.accepted >= sums.accepted
        assert together.correctness_score_of_suite >= sums.correctness_score_of_suite
        assert [a.ops for a in together.fast_p] >= [b.ops for b in sums.fast_p]
    assert together.evaluations == sum(figures([one]).evaluations for one in several)


def test_the_best_of_ops_never_attempted_was_never_attempted() -> None:
    assert best_of([never("relu"), never("relu")]) == never("relu")
    with pytest.raises(ValueError, match="nothing"):
        best_of([])


def test_who_beats_more_ops_comes_first_whatever_the_geomean() -> None:
    wide = figures([right(1.1), right(1.1), never()])
    high = figures([right(50.0), wrong(0.9), never()])
    careful = figures([right(0.5), right(0.5), never()])
    lucky = figures([right(1.1, evaluations=500), right(1.1), never()])
    idle = figures([never()] * 3)

    assert sorted([idle, careful, lucky, high, wide], key=best_first) == [wide, lucky, high, careful, idle]
