"""Statistics of timing: known values, known formulae. Whole distributions: `test_intervals.py`."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.contract import CaseTiming, Limits
from evaluator.timing.stats import StopRule, quad_ratio, ratio_estimate, sample_stats, stop_rule, summary

TIMES = st.floats(min_value=1e-3, max_value=1e7)


def test_sample_stats_of_known_values() -> None:
    stats = sample_stats([4.0, 1.0, 3.0, 2.0, 100.0])

    assert (stats.n, stats.median_us, stats.mean_us, stats.min_us, stats.max_us) == (5, 3.0, 22.0, 1.0, 100.0)
    assert stats.mad_us == 1.0
    assert stats.p5_us == pytest.approx(1.2)
    assert stats.p95_us == pytest.approx(80.8)
    assert stats.cv == pytest.approx(43.623 / 22, rel=1e-3)


def test_no_samples_is_an_error() -> None:
    with pytest.raises(ValueError, match="no samples"):
        sample_stats([])


@given(st.lists(TIMES, min_size=1, max_size=60))
def test_sample_stats_are_ordered(samples: list[float]) -> None:
    stats = sample_stats(samples)

    assert stats.min_us <= stats.p5_us <= stats.median_us * (1 + 1e-12)
    assert stats.median_us <= stats.p95_us * (1 + 1e-12)
    assert stats.p95_us <= stats.max_us
    assert stats.cv >= 0


@given(TIMES, TIMES, TIMES, TIMES)
def test_swapping_sides_inverts_the_ratio(a1: float, b1: float, b2: float, a2: float) -> None:
    assert quad_ratio(a1, b1, b2, a2) * quad_ratio(b1, a1, a2, b2) == pytest.approx(1)


@given(st.floats(min_value=0.5, max_value=2), st.floats(min_value=0.9, max_value=1.1))
def test_steady_drift_cancels(ratio: float, drift: float) -> None:
    slowed = [drift**step for step in range(4)]

    assert quad_ratio(ratio * slowed[0], slowed[1], slowed[2], ratio * slowed[3]) == pytest.approx(ratio)


def test_a_time_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="above zero"):
        quad_ratio(1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(("n", "rank"), [(5, 1), (6, 1), (9, 2), (10, 2), (20, 6), (100, 40)])
def test_ranks_agree_with_published_tables(n: int, rank: int) -> None:
    estimate = ratio_estimate([float(value) for value in range(1, n + 1)])

    assert (estimate.low, estimate.high) == (rank, n + 1 - rank)


@pytest.mark.parametrize("n", [400, 1100, 20_000])
def test_of_many_values_ranks_are_those_of_the_normal_distribution(n: int) -> None:
    estimate = ratio_estimate([float(value) for value in range(1, n + 1)])

    assert estimate.low == pytest.approx(n / 2 - statistics.NormalDist().inv_cdf(0.975) * math.sqrt(n) / 2, abs=2)


def test_five_quads_give_their_extremes() -> None:
    estimate = ratio_estimate([1.0, 1.2, 1.1, 0.9, 1.05])

    assert (estimate.low, estimate.median, estimate.high) == (0.9, 1.05, 1.2)
    assert estimate.half_width == pytest.approx(0.3 / 2 / 1.05)


class TestStopRule:
    rule = StopRule(budget_s=2.0)

    @pytest.mark.parametrize("quads", range(5))
    def test_never_below_five_quads(self, quads: int) -> None:
        assert self.rule.reason(quads, 100.0, 0.0) is None

    def test_budget_ends_it(self) -> None:
        assert self.rule.reason(5, 2.0, None) == "budget"
        assert self.rule.reason(5, 1.9, None) is None

    def test_precision_is_looked_at_every_ten_from_twenty_on(self) -> None:
        looked = [quads for quads in range(5, 61) if self.rule.reason(quads, 0.1, 0.001) == "precise"]

        assert looked == [20, 30, 40, 50, 60]
        assert self.rule.reason(20, 0.1, 0.0051) is None

    def test_budget_comes_before_precision(self) -> None:
        assert self.rule.reason(20, 2.0, 0.001) == "budget"

    def test_limit(self) -> None:
        assert self.rule.reason(400, 0.1, 0.1) == "max_quads"


def test_runs_that_confirm_a_record_take_longer_and_end_narrower() -> None:
    ordinary, confirming = stop_rule(Limits().timing_case_s), stop_rule(Limits().for_confirming().timing_case_s, confirming=True)

    assert (ordinary.budget_s, ordinary.target_half_width) == (2.0, 0.005)
    assert (confirming.budget_s, confirming.target_half_width) == (5.0, 0.0025)
    assert confirming.reason(20, 0.1, 0.003) is None
    assert ordinary.reason(20, 0.1, 0.003) == "precise"


def test_a_lower_limit_of_a_case_bounds_both_rules() -> None:
    limits = Limits(timing_case_s=1.0)

    assert stop_rule(limits.timing_case_s).budget_s == 1.0
    assert stop_rule(limits.for_confirming().timing_case_s, confirming=True).budget_s == 2.5


def timing(speedup: float, low: float, high: float) -> CaseTiming:
    stats = sample_stats([10.0, 10.0])
    return CaseTiming("wall", stats, stats, speedup, low, high, 20, "precise")


def test_summary_is_the_geometric_mean() -> None:
    total = summary([timing(2.0, 2.0, 2.0), timing(0.5, 0.5, 0.5)])

    assert total.speedup == pytest.approx(1)
    assert (total.low, total.high) == (pytest.approx(1), pytest.approx(1))
    assert total.cases == 2
    assert total.candidate_us == pytest.approx(10)


def test_errors_propagate_as_independent_ones() -> None:
    one = summary([timing(1.0, math.exp(-0.1), math.exp(0.2))])
    four = summary([timing(1.0, math.exp(-0.1), math.exp(0.2))] * 4)

    assert (math.log(one.low), math.log(one.high)) == (pytest.approx(-0.1), pytest.approx(0.2))
    assert (math.log(four.low), math.log(four.high)) == (pytest.approx(-0.05), pytest.approx(0.1))


@given(st.lists(st.tuples(TIMES, st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_score_lies_in_its_interval(cases: list[tuple[float, float, float]]) -> None:
    total = summary([timing(s, s * math.exp(-down), s * math.exp(up)) for s, down, up in cases])

    assert all(a <= b * (1 + 1e-9) for a, b in itertools.pairwise([total.low, total.speedup, total.high]))


def test_no_cases_is_an_error() -> None:
    with pytest.raises(ValueError, match="no timed cases"):
        summary([])
